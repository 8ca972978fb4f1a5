/** A service that only the leader may change: it answers 412 to a token that is older than one it has seen. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { checkToken, Gate, TOKEN_HEADER } from 'caucus';

const gate = new Gate();
let balance = 0;

const server = createServer((request, response) => {
  const check = checkToken(request.headers[TOKEN_HEADER], gate);
  if (!check.ok) {
    response.writeHead(check.status).end(check.error.message);
    return;
  }
  balance += 1;
  response.end(`the balance is ${balance}`);
});

await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

/** What a leader does: its token goes with every request. */
async function deposit(token: bigint | null): Promise<void> {
  const headers: Record<string, string> = token === null ? {} : { [TOKEN_HEADER]: `${token}` };
  const answer = await fetch(url, { method: 'POST', headers });
  process.stdout.write(`token ${token}: ${answer.status} ${await answer.text()}\n`);
}

await deposit(4n);
await deposit(5n); // A new leader.
await deposit(4n); // The old one was frozen in the middle of its work, and wakes up.
await deposit(5n);
await deposit(null);
server.close();
server.closeAllConnections();
