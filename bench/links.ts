import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import http from 'node:http';
import net, { type AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import { WebSocket, WebSocketServer } from 'ws';
import { createLinks } from '../src/member/links/index.ts';
import type { Identity, LinkEvents } from '../src/member/links/links.ts';
import { printTable } from './table.ts';

const SELF = fileURLToPath(import.meta.url);
const ROUNDS = 5000;
const KILLS = 10;

const message = { type: 'heartbeat', term: 7, round: 123, age: [3, 1] };

function identity(id: number, url: string): Identity {
  return { id, cluster: 'bench', incarnation: 1, life: randomUUID(), url, process: null };
}

async function listen(server: net.Server): Promise<string> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return `127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** The other end of everything below, in a process of its own: it sends back what it gets. */
async function echo(): Promise<void> {
  const raw = net.createServer((socket) => socket.setNoDelay(true).pipe(socket));
  const bare = http.createServer();
  const acceptor = new WebSocketServer({ server: bare, perMessageDeflate: false });
  acceptor.on('connection', (ws) => ws.on('message', (data) => ws.send(data.toString())));
  const plain = http.createServer((request, response) => {
    if (request.url === '/link') response.writeHead(404).end();
    else request.on('data', () => {}).on('end', () => response.end('{"ok":true}'));
  });
  const member = http.createServer();
  const url = `http://${await listen(member)}`;
  const links = createLinks(identity(2, url), {
    onMessage: (from, election, each) => links.send(from, election, each),
    onUp() {},
    onDown() {},
    onRefused() {},
  });
  links.attach(member);
  links.setPeers([{ id: 1, url: 'http://127.0.0.1:9' }]);
  const places = { raw: await listen(raw), ws: await listen(bare), rest: await listen(plain), url };
  process.stdout.write(JSON.stringify(places));
}

interface Places {
  readonly raw: string;
  readonly ws: string;
  readonly rest: string;
  readonly url: string;
}

async function startEcho(): Promise<{ places: Places; kill: () => void; stop: () => Promise<unknown> }> {
  const child = spawn(process.execPath, ['--import', 'tsx', SELF, 'echo'], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const exit = once(child, 'exit');
  const [said] = (await once(child.stdout, 'data')) as [Buffer];
  const kill = (): void => void child.kill('SIGKILL');
  return {
    places: JSON.parse(said.toString()),
    kill,
    stop() {
      kill();
      return exit;
    },
  };
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)]!;
}

/** The time of each round trip: `ask` sends, and the receiver of the answer calls `answered`. */
async function roundTrips(rounds: number, ask: (answered: () => void) => void): Promise<number[]> {
  const times: number[] = [];
  for (let i = 0; i < rounds; i++) {
    const startMs = performance.now();
    await new Promise<void>((resolve) => ask(resolve));
    times.push(performance.now() - startMs);
  }
  return times.slice(rounds / 5);
}

async function connectRaw(place: string): Promise<net.Socket> {
  const [host, port] = place.split(':');
  const socket = net.connect(Number(port), host).setNoDelay(true);
  socket.on('error', () => {});
  await once(socket, 'connect');
  return socket;
}

interface Joined {
  readonly links: ReturnType<typeof createLinks>;
  readonly heard: { answered: () => void; down: () => void };
}

async function join(url: string, isRest: boolean): Promise<Joined> {
  const heard = { answered: (): void => {}, down: (): void => {} };
  let onUp = (): void => {};
  const up = new Promise<void>((resolve) => {
    onUp = resolve;
  });
  const events: LinkEvents = {
    onMessage: () => heard.answered(),
    onUp: () => onUp(),
    onDown: () => heard.down(),
    onRefused: (reason) => process.stderr.write(`${reason}\n`),
  };
  const links = createLinks(identity(1, 'http://127.0.0.1:9'), events, { mainElection: 'main' });
  links.setPeers([{ id: 2, url }]);
  if (!isRest) await up;
  return { links, heard };
}

/** From kill −9 to knowing of it: by a bare socket, and by the links, of the same process in the same moment. */
async function killTimes(): Promise<{ raw: number; links: number }> {
  const { places, stop, kill } = await startEcho();
  const socket = await connectRaw(places.raw);
  const { links, heard } = await join(places.url, false);
  const closed = new Promise<number>((resolve) => socket.once('close', () => resolve(performance.now())));
  const down = new Promise<number>((resolve) => {
    heard.down = () => resolve(performance.now());
  });
  const startMs = performance.now();
  kill();
  const result = { raw: (await closed) - startMs, links: (await down) - startMs };
  await stop();
  await links.close();
  return result;
}

export async function benchLinks(): Promise<void> {
  const { places, stop } = await startEcho();
  const text = JSON.stringify(['main', message]);

  const socket = await connectRaw(places.raw);
  const raw = await roundTrips(ROUNDS, (answered) => {
    socket.once('data', answered);
    socket.write(text);
  });
  const ws = new WebSocket(`ws://${places.ws}`, { perMessageDeflate: false });
  await once(ws, 'open');
  const bare = await roundTrips(ROUNDS, (answered) => {
    ws.once('message', (data: Buffer) => {
      JSON.parse(data.toString());
      answered();
    });
    ws.send(JSON.stringify(['main', message]));
  });
  const linked = await join(places.url, false);
  const link = await roundTrips(ROUNDS, (answered) => {
    linked.heard.answered = answered;
    linked.links.send(2, 'main', message);
  });
  const burst = await roundTrips(50, (answered) => {
    let left = 1000;
    linked.heard.answered = () => {
      left--;
      if (left === 0) answered();
    };
    for (let i = 0; i < 1000; i++) linked.links.send(2, 'main', message);
  });
  const rest = await join(`http://${places.rest}`, true);
  const post = await roundTrips(ROUNDS / 5, (answered) => {
    rest.heard.answered = answered;
    rest.links.send(2, 'main', message);
  });
  ws.terminate();
  socket.destroy();
  await Promise.all([linked.links.close(), rest.links.close()]);
  await stop();

  const kills = [];
  for (let i = 0; i < KILLS; i++) kills.push(await killTimes());

  const row = (what: string, ms: number, floorMs: number): Record<string, string | number> => ({
    what,
    'median µs': ms * 1000,
    'of the floor': ms / floorMs,
  });
  const floor = median(bare);
  printTable('One message to another process and back', [
    row('a TCP socket', median(raw), floor),
    row('floor: a bare WebSocket, JSON both ways', floor, floor),
    row('a link', median(link), floor),
    row('a link, each of a burst of 1,000', median(burst) / 1000, floor),
    row('POST to a REST-only voter', median(post), floor),
  ]);
  const rawKill = median(kills.map((each) => each.raw));
  printTable('kill -9 of the other process to knowing of it', [
    row('floor: a bare socket closed', rawKill, rawKill),
    row('onDown of the link', median(kills.map((each) => each.links)), rawKill),
  ]);
}

if (process.argv[1] === SELF) await (process.argv[2] === 'echo' ? echo() : benchLinks());
