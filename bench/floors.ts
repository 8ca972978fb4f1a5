/** What this machine takes at least, whatever the election: every figure of real processes stands beside it. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, fsyncSync, mkdtempSync, openSync, renameSync, rmSync, writeSync } from 'node:fs';
import { connect, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { nowMs, rssMbOf } from './takeover-cluster.ts';

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

export async function measureFloors(): Promise<Floors> {
  const sockets: Socket[] = [];
  const server = createServer((socket) => {
    socket.setNoDelay(true);
    socket.on('error', () => {});
    sockets.push(socket);
    server.emit('accepted', socket);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as { port: number };
  const kills: number[] = [];
  const sizes: number[] = [];
  for (let i = 0; i < FLOOR_TRIALS; i++) {
    const script = `require('net').connect(${port}, '127.0.0.1')`;
    const accepted = once(server, 'accepted') as Promise<[Socket]>;
    const child = spawn(process.execPath, ['-e', script], { stdio: 'ignore' });
    const [socket] = await accepted;
    socket.resume();
    const closed = once(socket, 'close');
    sizes.push(rssMbOf(child.pid!));
    const fromMs = nowMs();
    child.kill('SIGKILL');
    await closed;
    kills.push(nowMs() - fromMs);
  }
  const accepted = once(server, 'accepted') as Promise<[Socket]>;
  const client = connect(port, '127.0.0.1').setNoDelay(true);
  const [echo] = await accepted;
  echo.on('data', (data) => echo.write(data));
  const trips: number[] = [];
  for (let i = 0; i < 300; i++) {
    const fromMs = nowMs();
    client.write('ping\n');
    await once(client, 'data');
    trips.push(nowMs() - fromMs);
  }
  client.destroy();
  for (const socket of sockets) socket.destroy();
  server.close();
  const saveTimes = saves();
  return {
    killMs: at(kills, 0.5),
    roundTripMs: at(trips, 0.5),
    saveMs: at(saveTimes, 0.5),
    slowestSaveMs: at(saveTimes, 1),
    rssMb: at(sizes, 0.5),
  };
}

function saves(): number[] {
  const folder = mkdtempSync(path.join(tmpdir(), 'caucus-floor-'));
  const times: number[] = [];
  for (let i = 0; i < 300; i++) {
    const fromMs = nowMs();
    const file = openSync(path.join(folder, 'new'), 'w');
    writeSync(file, 'x'.repeat(300));
    fsyncSync(file);
    closeSync(file);
    renameSync(path.join(folder, 'new'), path.join(folder, 'record'));
    times.push(nowMs() - fromMs);
  }
  rmSync(folder, { recursive: true, force: true });
  return times;
}

/** The value below which this part of all values lies. */
export function at(times: readonly number[], p: number): number {
  const sorted = [...times].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * p))]!;
}
