/** Members that have certificates and a secret need both. */
import { expect, it } from 'vitest';
import { until } from '../support/linked.ts';
import { ask, authorities, isLinked, leaderOf, portOf, start, startThree, urls } from '../support/tls-bed.ts';

const secret = 'a-secret-of-this-test-which-is-long-enough';

it('they elect a leader, and a certificate alone sends no message', async () => {
  const all = await startThree({ secret });
  const leader = leaderOf(all)!;
  const certificate = await authorities().ca.issue(2);
  const said = await ask(portOf(all[0]!.member), 'POST', '/term', certificate, { voterId: 2, term: 9 });
  expect([said.status, JSON.parse(said.body).error.code]).toEqual([401, 'E_PROOF_NEEDED']);
  expect(leaderOf(all)).toEqual(leader);
});

it('a member with a certificate and another secret is refused', async () => {
  const { ca } = authorities();
  const peers = await urls(2);
  const { member, log } = await start({ id: 1, peers, tls: await ca.member(1), secret });
  await start({ id: 2, peers, tls: await ca.member(2), secret: `${secret}-and-another` });
  await until('it is told', () => log.some(({ message }) => message.includes('another secret')));
  expect(isLinked(member)).toBe(false);
});
