/**
 * The variables that hold secrets of ours. No process that we start gets them: neither the command of `caucus run` nor
 * its keeper, nor the members of `caucus up`. Variables that name a file are no secrets, but are of no use there either.
 */
const SECRET_VARIABLES = [
  'CAUCUS_API_TOKEN',
  'CAUCUS_API_TOKEN_FILE',
  'CAUCUS_TOKENS',
  'CAUCUS_TOKENS_FILE',
  'CAUCUS_SECRET',
  'CAUCUS_SECRET_FILE',
  'CAUCUS_ENGINE_PASSWORD',
  'CAUCUS_ENGINE_PASSWORD_FILE',
  'CAUCUS_TLS_CERT',
  'CAUCUS_TLS_KEY',
];

export function withoutSecretVariables(env: NodeJS.ProcessEnv): Record<string, string> {
  const rest = Object.entries(env).filter(([name]) => !SECRET_VARIABLES.includes(name));
  return Object.fromEntries(rest) as Record<string, string>;
}
