/** The death of a process is proven over TLS as it is without: its successor does not wait for the lease. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { afterEach, expect, it } from 'vitest';
import { compiled } from '../support/compiled.ts';
import { freePorts } from '../support/free-ports.ts';
import { until } from '../support/linked.ts';
import { TestCa } from '../support/test-ca.ts';

const SCRIPT = await compiled(path.resolve(import.meta.dirname, '../support/member-process.ts'));
/** The lease is five sixths of the least timeout. */
const LEASE_MS = 10_000;
const children = new Map<number, ChildProcess>();
let ca: TestCa | null = null;

afterEach(async () => {
  const gone = [...children.values()].map((child) => once(child, 'exit'));
  for (const child of children.values()) child.kill('SIGKILL');
  await Promise.all(gone);
  children.clear();
  ca?.close();
});

it('a leader that is killed is replaced at once', async () => {
  ca = await TestCa.open();
  const peers = (await freePorts(3)).map((port, i) => ({ id: i + 1, url: `https://127.0.0.1:${port}` }));
  const acting = new Map<number, number>();
  const reasons: string[] = [];
  for (const { id } of peers) {
    const options = { id, peers, tls: await ca.member(id), timing: { timeoutMs: [12_000, 12_100] } };
    const child = spawn(process.execPath, [SCRIPT, JSON.stringify(options)], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    children.set(id, child);
    createInterface({ input: child.stdout! }).on('line', (line) => {
      const said = JSON.parse(line) as { acting?: boolean; why?: string[] };
      if (said.acting) acting.set(id, performance.now());
      reasons.push(...(said.why ?? []));
    });
  }
  await untilLong('one leads', () => acting.size === 1);
  const [leader] = [...acting.keys()];
  const child = children.get(leader!)!;
  children.delete(leader!);
  const killedMs = performance.now();
  child.kill('SIGKILL');
  await until('another leads', () => acting.size === 2);
  const [next] = [...acting.values()].filter((atMs) => atMs > killedMs);
  expect(next! - killedMs).toBeLessThan(LEASE_MS / 2);
  expect(reasons.join()).toContain('its process is gone');
}, 120_000);

/** The first election waits for a timeout. */
async function untilLong(what: string, test: () => boolean): Promise<void> {
  for (let tries = 0; tries < 4; tries++) {
    try {
      return await until(what, test);
    } catch {
      // Not yet.
    }
  }
  throw new Error(`never came: ${what}`);
}
