/** A member that is slow to answer is waited for if there is no other to ask. */
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { join } from '../../src/member/index.ts';
import { until } from '../support/linked.ts';
import { caucus } from './caucus.ts';

/** Longer than one of many members is waited for, and shorter than the only one is. */
const SLOW_MS = 2500;

it('status tells the leader of a cluster of one that answers late', async () => {
  const member = await join({ id: 'a' });
  member.seat().stand();
  await until('it leads', () => member.electionPort('main').acting);
  let asked = 0;
  const pass = async (path: string, response: ServerResponse): Promise<void> => {
    if (asked++ > 0) await sleep(SLOW_MS);
    const said = await (await fetch(`${member.url}${path}`)).text();
    response.end(said.replaceAll(member.url, url));
  };
  const front = createServer((request, response) => {
    // A request that is still under way when the member is closed has no answer.
    pass(request.url ?? '/', response).catch(() => response.destroy());
  });
  await new Promise<void>((resolve) => front.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(front.address() as AddressInfo).port}`;
  try {
    const { code, stdout } = await caucus(['status', url]);
    expect([code, stdout]).toEqual([0, expect.stringContaining('a leads')]);
    expect(asked).toBe(3); // Which members there are, what each of them knows, and which elections there are.
  } finally {
    front.close();
    await member.close();
  }
});
