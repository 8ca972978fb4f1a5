import type { Given, Source } from './sources.ts';

/** The names of seed 002 and one of ours, and the fields that they set. */
export const VARIABLES: Readonly<Record<string, string>> = {
  VOTER_ID: 'id',
  VOTER_URL: 'url',
  VOTER_LIST: 'peers',
  SEED_HOST: 'seedHost',
  HEARTBEAT_INTERVAL: 'heartbeatInterval',
  MISSED_HEARTBEAT_TOLERANCE: 'missedHeartbeatTolerance',
  CAUCUS_TOKENS_FILE: 'tokensFile',
  CAUCUS_SECRET_FILE: 'secretFile',
  CAUCUS_TLS_CERT: 'tlsCert',
  CAUCUS_TLS_KEY: 'tlsKey',
  CAUCUS_TLS_CA: 'tlsCa',
  CAUCUS_TLS_NAMES: 'tlsNames',
};

/** The settings of the environment, by the names of seed 002. An empty variable counts as unset. */
export function fromEnvironment(env: NodeJS.ProcessEnv): Source {
  const source = new Map<string, Given>();
  for (const [name, field] of Object.entries(VARIABLES)) {
    const text = env[name];
    if (text !== undefined && text !== '') source.set(field, { value: text, from: name });
  }
  return source;
}
