/** A witness that shows a certificate: it asks each member again and again over one connection. */
import { expect, it } from 'vitest';
import { type LogEntry, startWitness } from '../../src/member/index.ts';
import { until } from '../support/linked.ts';
import { authorities, cleanUp, start, urls } from '../support/tls-bed.ts';

it('a witness with a certificate watches a member of its host, and goes on to be believed', async () => {
  const { ca } = authorities();
  const peers = await urls(1);
  const { member } = await start({ id: 1, peers, tls: await ca.member(1), trustWitnesses: [2] });
  const log: LogEntry[] = [];
  const tls = await ca.member(2);
  const witness = startWitness({
    id: 2,
    cluster: 'caucus',
    peers,
    tls,
    log: (entry) => void log.push(entry),
  });
  cleanUp(async () => witness.close());
  const said = (words: string): boolean => log.some(({ message }) => message.includes(words));
  await until('it watches the member, or is refused', () => said('watches 1') || said('takes no reports'));
  expect(log.map(({ message }) => message)).toEqual([`watches ${member.id} (pid ${process.pid})`]);
});
