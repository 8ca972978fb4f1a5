import { execFile, execFileSync } from 'node:child_process';
import { chmodSync, chownSync, existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { Pool, type PoolConfig } from 'pg';
import { hasDebian } from '../debian.ts';
import { type Program, ServerProcess, startOnFreePorts } from './server-process.ts';

const run = promisify(execFile);
const ALL_VERSIONS = '/usr/lib/postgresql';

export function hasPostgres(): boolean {
  return hasDebian('PostgreSQL', ['postgresql']);
}

/** Who may do everything, and who owns the database of the tests. The characters need care in a URL and in SQL. */
const ADMIN_PASSWORD = 'for-the-admin-only';
export const USER = 'elector';
export const PASSWORD = "s3cret:p@ss/w'rd#";
const DATABASE = 'elections';

/** Debian's PostgreSQL. */
export class PostgresServer extends ServerProcess {
  readonly #settings: Readonly<Record<string, string>>;
  readonly #env: NodeJS.ProcessEnv;
  /** It would outlive us. */
  readonly #onExit = (): void => this.signal('SIGQUIT');

  private constructor(port: number, settings: Readonly<Record<string, string>>, env: NodeJS.ProcessEnv) {
    super('postgres', port);
    this.#settings = settings;
    this.#env = env;
    const { uid, gid } = owner();
    if (uid !== undefined && gid !== undefined) chownSync(this.folder, uid, gid);
    chmodSync(this.folder, 0o700);
    process.on('exit', this.#onExit);
  }

  static async start(
    settings: Readonly<Record<string, string>> = {},
    env: NodeJS.ProcessEnv = {},
  ): Promise<PostgresServer> {
    return await PostgresServer.#startWith(settings, env, async (server) => {
      const file = server.file('password');
      writeFileSync(file, ADMIN_PASSWORD);
      const how = ['--auth=scram-sha-256', `--pwfile=${file}`, '--username=postgres', '--encoding=UTF8'];
      chmodSync(file, 0o644);
      await server.#run('initdb', ['-D', server.#data, '-N', '--locale=C', ...how]);
    });
  }

  /** Another one, which follows this one and cannot be written to. */
  async standby(): Promise<PostgresServer> {
    return await PostgresServer.#startWith({}, {}, async (server) => {
      const from = ['-h', '127.0.0.1', '-p', String(this.port), '-U', 'postgres'];
      await server.#run('pg_basebackup', [
        ...from,
        '-D',
        server.#data,
        '-R',
        '-X',
        'stream',
        '-c',
        'fast',
        '-N',
      ]);
    });
  }

  static #startWith(
    settings: Readonly<Record<string, string>>,
    env: NodeJS.ProcessEnv,
    prepare: (server: PostgresServer) => Promise<unknown>,
  ): Promise<PostgresServer> {
    const make = (port: number): PostgresServer => new PostgresServer(port, settings, env);
    return startOnFreePorts(make, async (server) => {
      await prepare(server);
      await server.restart();
      await server.#makeDatabase();
    });
  }

  /** What the engine takes. */
  get url(): string {
    return this.urlAt(this.port);
  }

  /** The same through a tunnel at this port, or as somebody else. */
  urlAt(port: number, user: string = USER, password: string = PASSWORD): string {
    return `postgres://${user}:${encodeURIComponent(password)}@127.0.0.1:${port}/${DATABASE}`;
  }

  get adminUrl(): string {
    return this.urlAt(this.port, 'postgres', ADMIN_PASSWORD);
  }

  /** A test that fails may leave it open: its connections then end with the server, and that is no error of its own. */
  pool(options: PoolConfig = {}): Pool {
    const pool = new Pool({ connectionString: this.url, ...options });
    pool.on('error', () => {});
    pool.on('connect', (client) => client.on('error', () => {}));
    return pool;
  }

  protected program(): Program {
    const settings = {
      listen_addresses: '127.0.0.1',
      port: String(this.port),
      unix_socket_directories: this.folder,
      max_connections: '200',
      ...this.#settings,
    };
    const args = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
    return {
      file: program('postgres'),
      args: ['-D', this.#data, ...args],
      options: { ...owner(), cwd: this.folder, env: { ...process.env, ...this.#env } },
    };
  }

  protected ask(): Promise<unknown> {
    return this.sql('SELECT 1', 'postgres');
  }

  /** Ends it, in good order or as by a power cut; its data stays. */
  override stop(signal: 'SIGINT' | 'SIGQUIT' = 'SIGINT'): Promise<void> {
    return super.stop(signal);
  }

  /** Stops all of its processes where they are; the first one first, which would start others. */
  override pause(): void {
    super.pause();
    this.#signalChildren('SIGSTOP');
  }

  override resume(): void {
    this.#signalChildren('SIGCONT');
    super.resume();
  }

  /** Asks with psql, and returns what it printed. */
  async sql(text: string, database: string = DATABASE): Promise<string> {
    const at = ['-h', '127.0.0.1', '-p', String(this.port), '-U', 'postgres', '-d', database];
    return await this.#run('psql', ['-X', '-q', '-t', '-A', '-v', 'ON_ERROR_STOP=1', ...at, '-c', text]);
  }

  /** Removes the row of an election behind everybody's back. */
  async deleteElection(name: string): Promise<void> {
    await this.sql(`DELETE FROM caucus_lease WHERE name = '${name}'`);
  }

  override async close(): Promise<void> {
    this.resume();
    await this.stop('SIGQUIT');
    process.off('exit', this.#onExit);
    await super.close();
  }

  get #data(): string {
    return this.file('data');
  }

  async #makeDatabase(): Promise<void> {
    if ((await this.sql('SELECT pg_is_in_recovery()', 'postgres')) === 't') return;
    const write = 'SET default_transaction_read_only = off;';
    const password = PASSWORD.replaceAll("'", "''");
    await this.sql(`${write} CREATE ROLE ${USER} LOGIN PASSWORD '${password}'`, 'postgres');
    const args = ['-h', '127.0.0.1', '-p', String(this.port), '-U', 'postgres', '-O', USER, DATABASE];
    await this.#run('createdb', args);
  }

  async #run(command: string, args: readonly string[]): Promise<string> {
    const env = {
      ...process.env,
      PGPASSWORD: ADMIN_PASSWORD,
      PGOPTIONS: '-c default_transaction_read_only=off',
    };
    const options = { ...owner(), env, cwd: this.folder, timeout: 30_000 };
    return (await run(program(command), args, options)).stdout.trim();
  }

  /** Each of them has a session of its own. One may have ended by now. */
  #signalChildren(signal: 'SIGSTOP' | 'SIGCONT'): void {
    const { pid } = this;
    if (pid === undefined || !existsSync(`/proc/${pid}`)) return;
    const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim();
    for (const child of children === '' ? [] : children.split(' ')) {
      try {
        process.kill(Number(child), signal);
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
      }
    }
  }
}

/** The server refuses to run as root. */
function owner(): { uid?: number; gid?: number } {
  if (process.getuid?.() !== 0) return {};
  const id = (flag: string): number => Number(execFileSync('/usr/bin/id', [flag, 'postgres']));
  return { uid: id('-u'), gid: id('-g') };
}

/** From the newest version that is there. */
function program(name: string): string {
  const versions = readdirSync(ALL_VERSIONS).filter((each) =>
    existsSync(path.join(ALL_VERSIONS, each, 'bin', name)),
  );
  const newest = versions.toSorted((a, b) => Number(b) - Number(a))[0];
  return path.join(ALL_VERSIONS, newest!, 'bin', name);
}
