import { BadInput, show } from '../../core/index.ts';
import { readToken, staleToken } from '../../election/index.ts';

/** A client of Redis: `ioredis` (`call`) or `redis` (`sendCommand`). */
export type RedisClient =
  | { call(command: string, ...args: string[]): Promise<unknown> }
  | { sendCommand(args: string[]): Promise<unknown> };

/**
 * Tokens are compared as texts, the longer one being the greater: Lua's numbers lose digits above 2^53. A reply of one
 * element is the token that was seen.
 */
const SCRIPT = `
local seen = redis.call('GET', KEYS[1])
local token = ARGV[1]
if seen and (#seen > #token or (#seen == #token and seen > token)) then return { seen } end
redis.call('SET', KEYS[1], token)
local replies = {}
for i = 2, #ARGV do replies[i - 1] = redis.call(unpack(cjson.decode(ARGV[i]))) end
return { token, replies }`;

/**
 * Commands that Redis runs only if their token is not stale, in one script: no other client comes between. The highest
 * token is kept in `key`, without an expiry.
 */
export class RedisFence {
  readonly #send: (args: string[]) => Promise<unknown>;
  readonly #key: string;

  constructor(client: RedisClient, key: string) {
    if (typeof key !== 'string' || key === '') throw new BadInput('key', 'the name of a key', show(key));
    this.#key = key;
    if ('call' in client && typeof client.call === 'function') {
      this.#send = ([command, ...args]) => client.call(command!, ...args);
    } else if ('sendCommand' in client && typeof client.sendCommand === 'function') {
      this.#send = (args) => client.sendCommand(args);
    } else {
      throw new BadInput('client', 'a client of the package ioredis or redis', show(client));
    }
  }

  /**
   * Runs the commands, for example `[['SET', 'report', '42'], ['INCR', 'reports']]`, and resolves with their replies.
   * Throws E_STALE_TOKEN, and runs none, if a newer leader has written. A command that fails ends the script: those
   * before it stay done, as in any script of Redis. `keys`: the keys of the commands, which Redis Cluster needs to know.
   */
  async run(
    token: bigint,
    commands: readonly (readonly string[])[],
    keys: readonly string[] = [],
  ): Promise<unknown[]> {
    const all = [this.#key, ...keys];
    const given = commands.map((command) => JSON.stringify(command));
    const reply = await this.#send(['EVAL', SCRIPT, String(all.length), ...all, readToken(token), ...given]);
    const [seen, replies] = reply as [string, unknown[]?];
    if (replies === undefined) throw staleToken(token, seen);
    return replies;
  }
}
