/**
 * One of three bare processes that only send each other what members at rest do, with `ws`: node bare-member.mjs ID PORTS. The first
 * one sends heartbeats and the others answer them, in messages of the same size. What members cost more is theirs.
 */
import { WebSocket, WebSocketServer } from 'ws';

/** Of the preset `lan`. */
const HEARTBEAT_MS = 50;

const id = Number(process.argv[2]);
const ports = JSON.parse(process.argv[3]);
const life = 'a-name-of-22-letters--';
const by = { disk: life, start: 1, life };
const age = { term: 12, version: 5 };
const sent = { messages: 0, bytes: 0 };

function send(socket, message) {
  const frame = JSON.stringify(['main', message]);
  sent.messages += 1;
  sent.bytes += Buffer.byteLength(frame);
  socket.send(frame);
}

process.on('message', (what) => {
  if (what === 'traffic') process.send({ is: 'traffic', ...sent });
});
process.on('disconnect', () => process.exit(0));

if (id === 1) {
  const sockets = ports
    .slice(1)
    .map((port) => new WebSocket(`ws://127.0.0.1:${port}`, { perMessageDeflate: false }));
  let round = 1000;
  let answered = round;
  for (const socket of sockets)
    socket.on('message', (data) => {
      answered = JSON.parse(data.toString())[1].round;
    });
  await Promise.all(sockets.map((socket) => new Promise((resolve) => socket.on('open', resolve))));
  setInterval(() => {
    round += 1;
    if (round - answered > 1000) throw new Error('the others do not answer');
    for (const socket of sockets)
      send(socket, { type: 'heartbeat', term: 12, round, age, committed: age, promiseMs: 125, by });
  }, HEARTBEAT_MS);
  process.send({ is: 'up' });
  process.send({ is: 'acting', name: 'main', acting: true, atMs: Number(process.hrtime.bigint()) / 1e6 });
} else {
  const server = new WebSocketServer({ host: '127.0.0.1', port: ports[id - 1], perMessageDeflate: false });
  server.on('connection', (socket) => {
    socket.on('message', (data) => {
      const { term, round } = JSON.parse(data.toString())[1];
      send(socket, { type: 'heartbeat/answer', to: life, term, round, age, priority: 100, by });
    });
  });
  server.on('listening', () => process.send({ is: 'up' }));
}
