/** The counters of proofs by REST, on both sides, without a network. */
import type { IncomingMessage } from 'node:http';
import { afterEach, expect, it, vi } from 'vitest';
import { HttpError } from '../../src/api/index.ts';
import { readChallenge, readSecrets, Secrets } from '../../src/auth/index.ts';
import type { MemberId } from '../../src/core/index.ts';
import { RestProver } from '../../src/member/links/rest-prover.ts';
import { voterCheck } from '../../src/member/voter-proofs.ts';

const URL_OF_A = 'http://127.0.0.1:9';
const A = 'a' as MemberId;
const [OLD, NEW] = ['the-old-secret-of-a-test', 'the-new-secret-of-a-test'];

class Receiver {
  readonly secrets = new Secrets(readSecrets(OLD, 'secret'));
  readonly check = voterCheck({ id: A, cluster: 'caucus', url: URL_OF_A }, this.secrets, null)!;

  /** The code of the refusal, with its challenge; null if the request is accepted. */
  hear(authorization: string, beforeBody = (): void => {}): { code: string; header: string } | null {
    try {
      const request = { headers: { authorization }, method: 'POST', url: '/heartbeat' };
      const claim = this.check.claim(request as unknown as IncomingMessage);
      beforeBody();
      claim.verify!(Buffer.from('{}'));
      claim.accept();
      return null;
    } catch (error) {
      if (!(error instanceof HttpError)) throw error;
      return { code: error.code, header: error.headers['www-authenticate'] ?? '' };
    }
  }
}

class Sender {
  readonly prover: RestProver;
  /** The last request. */
  authorization = '';

  constructor(id: string, secrets: Secrets) {
    this.prover = new RestProver({ id: id as MemberId, cluster: 'caucus' }, secrets);
  }

  /** The codes of the refusals, until the request is accepted. */
  send(to: Receiver): string[] {
    const codes: string[] = [];
    while (codes.length < 5) {
      const proof = this.prover.prove(URL_OF_A, A, 'POST', '/heartbeat', '{}');
      this.authorization = proof.authorization;
      const refused = to.hear(proof.authorization);
      if (refused === null) return codes;
      codes.push(refused.code);
      if (!this.prover.challenged(URL_OF_A, refused.header, proof.counter, true)) break;
    }
    throw new Error(`refused: ${codes}`);
  }
}

afterEach(() => {
  vi.restoreAllMocks();
});

it('made-up names shut no voter out, and let no request be replayed', () => {
  const receiver = new Receiver();
  const voter = new Sender('b', receiver.secrets);
  expect(voter.send(receiver)).toEqual(['E_PROOF_BOOT']);
  const heard = voter.authorization;
  const { boot } = readChallenge(receiver.hear('Caucus')!.header)!;
  let made = 0;
  while (readChallenge(receiver.hear('Caucus')!.header)!.boot === boot && made < 10_001)
    new Sender(`made-up-${made++}`, receiver.secrets).send(receiver);
  expect(made).toBe(10_000);
  expect(receiver.hear(heard)?.code).toBe('E_PROOF_BOOT');
  expect(new Sender('c', receiver.secrets).send(receiver)).toEqual(['E_PROOF_BOOT']);
  expect(voter.send(receiver)).toEqual(['E_PROOF_BOOT']);
  expect(voter.send(receiver)).toEqual([]);
});

it('a sender whose clock is wrong is told once where to go on', () => {
  const receiver = new Receiver();
  const right = new Sender('b', receiver.secrets);
  right.send(receiver);
  for (const date of ['2200-01-01', '1970-01-02']) {
    vi.spyOn(Date, 'now').mockReturnValue(Date.parse(date));
    const wrong = new Sender('b', receiver.secrets);
    vi.restoreAllMocks();
    const code = date === '2200-01-01' ? 'E_PROOF_AHEAD' : 'E_PROOF_OLD';
    expect(wrong.send(receiver)).toEqual(['E_PROOF_BOOT', code]);
    expect(wrong.send(receiver)).toEqual([]);
    expect(wrong.send(receiver)).toEqual([]);
  }
});

it('above the largest counter that is accepted there is room as soon as time has passed', () => {
  const receiver = new Receiver();
  const nowMs = performance.now();
  const time = vi.spyOn(performance, 'now').mockReturnValue(nowMs);
  const mostUs = (performance.timeOrigin + nowMs) * 1000 + 3e15;
  const date = vi.spyOn(Date, 'now').mockReturnValue((mostUs - 100) / 1000);
  const other = new Sender('b', receiver.secrets);
  date.mockRestore();
  expect(other.send(receiver)).toEqual(['E_PROOF_BOOT']);
  let refused: ReturnType<Receiver['hear']> = null;
  for (let i = 0; i < 200 && refused === null; i++)
    refused = receiver.hear(other.prover.prove(URL_OF_A, A, 'POST', '/heartbeat', '{}').authorization);
  expect(refused?.code).toBe('E_PROOF_AHEAD');
  expect(readChallenge(refused?.header)?.counter).toBe(Math.floor(mostUs));
  time.mockReturnValue(nowMs + 1);
  expect(new Sender('b', receiver.secrets).send(receiver)).toEqual(['E_PROOF_BOOT', 'E_PROOF_OLD']);
});

it('a request for the boot before is refused, also if the boot changed while its body was read', () => {
  const receiver = new Receiver();
  receiver.secrets.replace([...readSecrets(NEW, 'secret'), ...readSecrets(OLD, 'secret')]);
  const voter = new Sender('b', receiver.secrets);
  voter.send(receiver);
  const next = voter.prover.prove(URL_OF_A, A, 'POST', '/heartbeat', '{}').authorization;
  const takeOut = (): void => void receiver.secrets.replace(readSecrets(NEW, 'secret'));
  expect(receiver.hear(next, takeOut)?.code).toBe('E_PROOF_BOOT');
  expect(voter.send(receiver)).toEqual(['E_PROOF_BOOT']);
});

it('requests that are refused together are all told where to go on', () => {
  const receiver = new Receiver();
  vi.spyOn(Date, 'now').mockReturnValue(Date.parse('2200-01-01'));
  const { prover } = new Sender('b', receiver.secrets);
  vi.restoreAllMocks();
  const prove = () => prover.prove(URL_OF_A, A, 'POST', '/heartbeat', '{}');
  prover.challenged(URL_OF_A, receiver.hear(prove().authorization)!.header, 0, false);
  for (const proof of [prove(), prove(), prove()]) {
    const refused = receiver.hear(proof.authorization)!;
    expect(refused.code).toBe('E_PROOF_AHEAD');
    expect(prover.challenged(URL_OF_A, refused.header, proof.counter, true)).toBe(true);
    expect(receiver.hear(prove().authorization)).toBeNull();
  }
});
