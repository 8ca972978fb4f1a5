import { type ChildProcess, execFile, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { ensureDebian } from '../debian.ts';
import { freePorts } from '../free-ports.ts';

const run = promisify(execFile);
const ALL_VERSIONS = '/usr/lib/postgresql';

const missing = ensureDebian(['postgresql']);

/** Whether there is a PostgreSQL to test with. Where there must be one, it is an error that there is not. */
export function hasPostgres(): boolean {
  if (missing === null) return true;
  if (process.env.CI) throw new Error(missing);
  process.stderr.write(`SKIPPED, no PostgreSQL to test with: ${missing}\n`);
  return false;
}

/** Who may do everything, and who owns the database of the tests. The characters need care in a URL and in SQL. */
const ADMIN_PASSWORD = 'for-the-admin-only';
export const USER = 'elector';
export const PASSWORD = "s3cret:p@ss/w'rd#";
const DATABASE = 'elections';

/** Debian's PostgreSQL, on the loopback, with its data in a folder of its own. */
export class PostgresServer {
  readonly port: number;
  readonly #folder: string;
  #settings: Readonly<Record<string, string>>;
  #child: ChildProcess | null = null;
  readonly #onExit = (): void => void this.#child?.kill('SIGQUIT');

  private constructor(port: number, settings: Readonly<Record<string, string>>) {
    this.port = port;
    this.#settings = settings;
    this.#folder = mkdtempSync(path.join(tmpdir(), 'caucus-postgres-'));
    const { uid, gid } = owner();
    if (uid !== undefined && gid !== undefined) chownSync(this.#folder, uid, gid);
    chmodSync(this.#folder, 0o700);
    process.on('exit', this.#onExit);
  }

  static async start(settings: Readonly<Record<string, string>> = {}): Promise<PostgresServer> {
    return await PostgresServer.#startWith(settings, async (server) => {
      const file = path.join(server.#folder, 'password');
      writeFileSync(file, ADMIN_PASSWORD);
      const how = ['--auth=scram-sha-256', `--pwfile=${file}`, '--username=postgres', '--encoding=UTF8'];
      chmodSync(file, 0o644);
      await server.#run('initdb', ['-D', server.#data, '-N', '--locale=C', ...how]);
    });
  }

  /** Another one, which follows this one and cannot be written to. */
  async standby(): Promise<PostgresServer> {
    return await PostgresServer.#startWith({}, async (server) => {
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

  static async #startWith(
    settings: Readonly<Record<string, string>>,
    prepare: (server: PostgresServer) => Promise<void>,
  ): Promise<PostgresServer> {
    for (let tries = 3; ; tries--) {
      const [port] = await freePorts(1);
      const server = new PostgresServer(port!, settings);
      try {
        await prepare(server);
        await server.restart();
        await server.#makeDatabase();
        return server;
      } catch (error) {
        await server.close();
        if (tries === 1) throw error;
      }
    }
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

  /** Starts it with the data that it has. */
  async restart(): Promise<void> {
    const settings = {
      listen_addresses: '127.0.0.1',
      port: String(this.port),
      unix_socket_directories: this.#folder,
      max_connections: '200',
      ...this.#settings,
    };
    const args = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
    const child = spawn(program('postgres'), ['-D', this.#data, ...args], {
      ...owner(),
      stdio: ['ignore', 'ignore', 'pipe'],
      cwd: this.#folder,
    });
    let said = '';
    child.stderr.on('data', (data) => {
      said = `${said}${data}`.slice(-2000);
    });
    this.#child = child;
    for (let tries = 200; ; tries--) {
      if (child.exitCode !== null) throw new Error(`postgres has ended: ${said}`);
      try {
        await this.sql('SELECT 1', 'postgres');
        return;
      } catch (error) {
        if (tries === 1) throw new Error(`postgres does not answer: ${error}\n${said}`);
      }
      await sleep(50);
    }
  }

  /** Ends it, in good order or as by a power cut; its data stays. */
  async stop(signal: 'SIGINT' | 'SIGQUIT' = 'SIGINT'): Promise<void> {
    const child = this.#child;
    this.#child = null;
    if (child === null || child.exitCode !== null || child.signalCode !== null) return;
    child.kill(signal);
    await once(child, 'exit');
  }

  /** Stops all of its processes where they are; the first one first, which would start others. */
  pause(): void {
    this.#child?.kill('SIGSTOP');
    this.#signalChildren('SIGSTOP');
  }

  resume(): void {
    this.#signalChildren('SIGCONT');
    this.#child?.kill('SIGCONT');
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

  async close(): Promise<void> {
    this.resume();
    await this.stop('SIGQUIT');
    process.off('exit', this.#onExit);
    rmSync(this.#folder, { recursive: true, force: true });
  }

  get #data(): string {
    return path.join(this.#folder, 'data');
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
    const options = { ...owner(), env, cwd: this.#folder, timeout: 30_000 };
    return (await run(program(command), args, options)).stdout.trim();
  }

  /** Each of them has a session of its own. One may have ended by now. */
  #signalChildren(signal: 'SIGSTOP' | 'SIGCONT'): void {
    const pid = this.#child?.pid;
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
