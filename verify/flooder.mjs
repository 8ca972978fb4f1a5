// One client of verify/flood.ts, in a process of its own: junk requests at a steady rate over a few connections, one behind the other.
import net from 'node:net';

const [url, seconds, rate] = process.argv.slice(2);
const { hostname, port } = new URL(url);
const CONNECTIONS = 20;
const TICK_MS = 10;
const perTick = (Number(rate) * TICK_MS) / 1000;
const bodies = ['{}', '{"voterId":9,"term":9007199254740991}', '[[[[', '{"value":"evil"}'];
const heads = [
  ['GET', '/nothing'],
  ['POST', '/resign'],
  ['POST', '/term'],
  ['PUT', '/value'],
  ['GET', '/status?token=junk'],
];

function request(i) {
  const [method, path] = heads[i % heads.length];
  const body = method === 'GET' ? '' : bodies[i % bodies.length];
  const token = i % 3 === 0 ? '' : 'authorization: Bearer junk-token-junk-token\r\n';
  return `${method} ${path} HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-type: application/json\r\n${token}content-length: ${body.length}\r\n\r\n${body}`;
}

let sent = 0;
let answered = 0;
let isOver = false;
const codes = {};
const sockets = new Array(CONNECTIONS).fill(null);

function open(i) {
  if (isOver) return;
  const socket = net.connect(Number(port), hostname);
  socket.setNoDelay(true);
  sockets[i] = socket;
  let rest = '';
  socket.setEncoding('latin1').on('data', (text) => {
    const whole = rest + text;
    for (const [, code] of whole.matchAll(/HTTP\/1\.1 (\d{3})/g)) {
      answered++;
      codes[code] = (codes[code] ?? 0) + 1;
    }
    rest = whole.slice(-11).replace(/HTTP\/1\.1 \d{3}/, '');
  });
  socket.on('error', () => {});
  // The member closes a connection whose body it does not read: the client goes on with another.
  socket.on('close', () => setImmediate(() => open(i)));
}
for (let i = 0; i < CONNECTIONS; i++) open(i);

const startMs = performance.now();
const timer = setInterval(() => {
  const elapsedMs = performance.now() - startMs;
  if (elapsedMs >= Number(seconds) * 1000) {
    clearInterval(timer);
    isOver = true;
    for (const socket of sockets) socket?.destroy();
    process.send({ sent, answered, codes }, () => process.disconnect());
    return;
  }
  const due = Math.min((elapsedMs * Number(rate)) / 1000 - sent, perTick * 10);
  for (let i = 0; i < due; i++) {
    const socket = sockets[sent % CONNECTIONS];
    if (socket?.writable && socket.writableLength < 65_536) socket.write(request(sent));
    sent++;
  }
}, TICK_MS);
