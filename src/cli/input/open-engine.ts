/** Opens the store of `--engine`. Apart from the flags, so that the help of the command loads no engine. */
import { BadInput } from '../../core/index.ts';
import { CaucusError, Election, type ElectionOptions, type LogEntry } from '../../election/index.ts';
import { type OpenEngine, openEngine } from '../../engines/index.ts';
import type { Log } from '../terminal/log.ts';
import { type EngineFlags, engineOptionsOf } from './engine-flags.ts';
import { readEnginePassword, withPassword } from './engine-password.ts';
import { Refusal } from './refusal.ts';

/** The election that the flags name, on this store. A name that the store cannot hold is refused as what was given. */
export function electionOf(
  { election = 'main' }: { readonly election?: string },
  engine: OpenEngine,
  options?: ElectionOptions,
): Election {
  try {
    return new Election(election, engine, options);
  } catch (error) {
    if (!(error instanceof BadInput) || error.path !== 'election') throw error;
    throw new Refusal(`--election: expected ${error.expected}, found ${error.found}`);
  }
}

/**
 * Opens the store that the flags name. An observer takes no name from the environment, and logs no warnings of the
 * store.
 */
export async function openEngineOf(
  flags: EngineFlags,
  env: NodeJS.ProcessEnv = {},
  log: Log = () => {},
): Promise<OpenEngine> {
  const options = engineOptionsOf(flags, env);
  const given = [...options].map(([name, { value }]) => [name, value]);
  const note = ({ level, message }: LogEntry): void =>
    log({ level: level === 'warning' ? 'warn' : level, event: 'note', text: message });
  try {
    const password = readEnginePassword(flags.enginePasswordFile, process.env);
    const url = password === null ? flags.engine! : withPassword(flags.engine!, password);
    return await openEngine(url, { log: note, ...Object.fromEntries(given) });
  } catch (error) {
    // The person gave a flag, which need not have the name of the option.
    const from = error instanceof BadInput ? options.get(error.path)?.from : undefined;
    if (error instanceof BadInput && from !== undefined)
      throw new Refusal(
        `${from}${from === '--lease' ? ' (leaseMs)' : ''}: expected ${error.expected}, found ${error.found}`,
      );
    if (error instanceof BadInput && ['engine', 'url'].includes(error.path))
      throw new Refusal(`--engine: expected ${error.expected}, found ${error.found}`);
    // A missing package will be missing the next time too.
    if (error instanceof CaucusError) throw new Refusal(`--engine: ${error.message}`);
    throw error;
  }
}
