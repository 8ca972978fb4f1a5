/** Stands in a value for the token of the leadership with which it is published, which is not known before. No name has such characters. */
export const OWN_TOKEN = '\u0001token';

/** The same as JSON, with quotes. */
export const OWN_TOKEN_JSON: string = JSON.stringify(OWN_TOKEN);

/** The JSON of such a value, with the token in its place. */
export function withToken(json: string, token: bigint | string): string {
  return json.replaceAll(OWN_TOKEN_JSON, `"${token}"`);
}
