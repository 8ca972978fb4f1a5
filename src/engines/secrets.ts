/** Takes what must never be read by others out of a text that goes to a log or into an error. */
export function withoutSecrets(text: string, secrets: readonly (string | undefined)[]): string {
  let shown = text;
  for (const secret of secrets) {
    if (secret === undefined || secret === '') continue;
    for (const form of [secret, encodeURIComponent(secret)]) shown = shown.replaceAll(form, '***');
  }
  return shown;
}

/** An address for people: without the user, the password and the parameters that stand in it, whatever characters they hold. */
export function shownUrl(url: string): string {
  return url.replace(/^([a-z]+:(?:\/\/)?)?.*@/is, '$1***@').replace(/\?.*$/s, '?***');
}
