/** What this machine takes at least, whatever the election: every figure of real processes stands beside it. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, fsyncSync, mkdtempSync, openSync, renameSync, rmSync, writeSync } from 'node:fs';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { nowMs } from './candidates.ts';
import { rssMbOf } from './process-cost.ts';

const FLOOR_TRIALS = 30;

export interface Floors {
  readonly killMs: number;
  readonly roundTripMs: number;
  readonly saveMs: number;
  /** A disk that many use stops for longer than a time-out now and then, and an election with it. */
  readonly slowestSaveMs: number;
  /** The memory of a bare process. */
  readonly rssMb: number;
}

/** A server to which bare processes connect. The load of a machine changes, so trials of the floor take turns with others. */
export class FloorServer {
  readonly #server: Server;
  readonly #sockets: Socket[] = [];
  /** The memory of each bare process. */
  readonly sizesMb: number[] = [];

  private constructor() {
    this.#server = createServer((socket) => {
      socket.setNoDelay(true);
      socket.on('error', () => {});
      this.#sockets.push(socket);
      this.#server.emit('accepted', socket);
    }).listen(0, '127.0.0.1');
  }

  static async open(): Promise<FloorServer> {
    const made = new FloorServer();
    await once(made.#server, 'listening');
    return made;
  }

  get port(): number {
    return (this.#server.address() as { port: number }).port;
  }

  /** The next connection. */
  async accepted(): Promise<Socket> {
    const [socket] = (await once(this.#server, 'accepted')) as [Socket];
    return socket;
  }

  /** kill -9 of a bare process, until its peer sees the socket closed. */
  async kill(): Promise<number> {
    const accepted = this.accepted();
    const script = `require('net').connect(${this.port}, '127.0.0.1')`;
    const child = spawn(process.execPath, ['-e', script], { stdio: 'ignore' });
    const socket = await accepted;
    socket.resume();
    const closed = once(socket, 'close');
    this.sizesMb.push(rssMbOf(child.pid!));
    const fromMs = nowMs();
    child.kill('SIGKILL');
    await closed;
    return nowMs() - fromMs;
  }

  close(): void {
    for (const socket of this.#sockets) socket.destroy();
    this.#server.close();
  }
}

export async function measureFloors(): Promise<Floors> {
  const server = await FloorServer.open();
  const kills: number[] = [];
  for (let i = 0; i < FLOOR_TRIALS; i++) kills.push(await server.kill());
  const trips = await roundTrips(server);
  server.close();
  const saveTimes = saves();
  return {
    killMs: at(kills, 0.5),
    roundTripMs: at(trips, 0.5),
    saveMs: at(saveTimes, 0.5),
    slowestSaveMs: at(saveTimes, 1),
    rssMb: at(server.sizesMb, 0.5),
  };
}

async function roundTrips(server: FloorServer): Promise<number[]> {
  const accepted = server.accepted();
  const client = connect(server.port, '127.0.0.1').setNoDelay(true);
  const echo = await accepted;
  echo.on('data', (data) => echo.write(data));
  const trips: number[] = [];
  for (let i = 0; i < 300; i++) {
    const fromMs = nowMs();
    client.write('ping\n');
    await once(client, 'data');
    trips.push(nowMs() - fromMs);
  }
  client.destroy();
  return trips;
}

/** How long a write, its fsync and a rename take, many times. */
export function saves(times: number = 300): number[] {
  const folder = mkdtempSync(path.join(tmpdir(), 'caucus-floor-'));
  const found: number[] = [];
  for (let i = 0; i < times; i++) {
    const fromMs = nowMs();
    const file = openSync(path.join(folder, 'new'), 'w');
    writeSync(file, 'x'.repeat(300));
    fsyncSync(file);
    closeSync(file);
    renameSync(path.join(folder, 'new'), path.join(folder, 'record'));
    found.push(nowMs() - fromMs);
  }
  rmSync(folder, { recursive: true, force: true });
  return found;
}

/** The value below which this part of all values lies. NaN if there are none. */
export function at(times: readonly number[], p: number): number {
  const sorted = [...times].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * p))] ?? Number.NaN;
}
