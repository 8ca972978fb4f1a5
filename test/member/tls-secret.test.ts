/** Members that have certificates and a secret need both. */
import { expect, it } from 'vitest';
import { readChallenge, readSecrets, requestProof, writeAuthorization } from '../../src/auth/index.ts';
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

it('the proof of a member is of no use with the certificate of another', async () => {
  const all = await startThree({ secret });
  const leader = leaderOf(all)!;
  const port = portOf(all[0]!.member);
  const certificate = await authorities().ca.issue(3);
  const send = async (boot: string): ReturnType<typeof ask> => {
    const claim = { from: 2, to: 1, boot, counter: Date.now() * 1000 };
    const body = { voterId: 2, term: 1_000_000 };
    const request = {
      cluster: 'caucus',
      method: 'POST',
      path: '/term',
      body: Buffer.from(JSON.stringify(body)),
    };
    const proof = requestProof(readSecrets(secret, 'secret')[0]!, claim, request);
    const headers = { authorization: writeAuthorization(claim, proof) };
    return ask(port, 'POST', '/term', { ...certificate, headers }, body);
  };
  const { boot } = readChallenge((await send('')).challenge)!;
  const said = await send(boot);
  expect([said.status, JSON.parse(said.body).error]).toEqual([
    401,
    { code: 'E_CERTIFICATE', message: 'this is the certificate of 3, and the proof of 2' },
  ]);
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
