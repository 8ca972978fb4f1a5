/** The proof between two members that share a secret: what it accepts, and each way to cheat. */
import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import {
  Initiator,
  Responder,
  readSecrets,
  type Secret,
  type Session,
  type Step,
} from '../../src/auth/index.ts';
import type { MemberId } from '../../src/core/index.ts';

const OLD = 'the old secret of a test';
const NEW = 'the new secret of a test'.replaceAll(' ', '-');
const secrets = (...texts: string[]): readonly Secret[] =>
  readSecrets(
    texts.map((text) => text.replaceAll(' ', '-')),
    'secret',
  );

/** Bytes that differ for each name, and are the same in every run. */
const nonce = (name: string): Buffer => createHash('sha256').update(name).digest();

interface Pair {
  readonly initiator: Initiator;
  readonly responder: Responder;
}

function pair(ours: readonly Secret[], theirs: readonly Secret[] = ours, id: MemberId = 'b'): Pair {
  return {
    initiator: new Initiator({ cluster: 'test', from: 'a', to: 'b' }, ours, nonce('a')),
    responder: new Responder({ cluster: 'test', id }, theirs, nonce('b')),
  };
}

function said(step: Step): string {
  if (step.type === 'failed') throw new Error(`failed: ${step.flaw}`);
  return step.frame!;
}

/** All four frames; the sessions of both sides. */
function run({ initiator, responder }: Pair): [ours: Step, theirs: Step] {
  const challenge = said(responder.take(initiator.first()));
  const theirs = responder.take(said(initiator.take(challenge)));
  if (theirs.type !== 'proven') return [initiator.take('{"refused":"wrong-secret"}'), theirs];
  return [initiator.take(theirs.frame), theirs];
}

function sessions(made: Pair): [ours: Session, theirs: Session] {
  const [ours, theirs] = run(made);
  if (ours.type !== 'proven' || theirs.type !== 'proven') throw new Error('not proven');
  return [ours.session, theirs.session];
}

const flaws = (steps: readonly Step[]): string[] =>
  steps.map((step) => (step.type === 'failed' ? step.flaw : step.type));

describe('two members with one secret', () => {
  it('prove themselves, and have the same key in each direction, and another one in the other', () => {
    const [ours, theirs] = sessions(pair(secrets(OLD)));
    expect([ours.peer, theirs.peer]).toEqual(['b', 'a']);
    expect(ours.sendKey).toEqual(theirs.receiveKey);
    expect(ours.receiveKey).toEqual(theirs.sendKey);
    expect(ours.sendKey).not.toEqual(ours.receiveKey);
  });

  it('tell nothing of themselves but cluster and ids, and the responder nothing that depends on the secret', () => {
    const { initiator, responder } = pair(secrets(OLD));
    expect(Object.keys(JSON.parse(initiator.first()))).toEqual(['prove', 'cluster', 'from', 'to', 'nonce']);
    const other = pair(secrets(NEW)).responder;
    expect(said(responder.take(initiator.first()))).toBe(said(other.take(initiator.first())));
  });

  it('have other keys with other nonces', () => {
    const first = sessions(pair(secrets(OLD)))[0];
    const initiator = new Initiator({ cluster: 'test', from: 'a', to: 'b' }, secrets(OLD), nonce('again'));
    const responder = new Responder({ cluster: 'test', id: 'b' }, secrets(OLD), nonce('b'));
    expect(sessions({ initiator, responder })[0].sendKey).not.toEqual(first.sendKey);
  });
});

describe('a rotation', () => {
  it.each([
    [[OLD], [OLD, NEW], OLD],
    [[OLD, NEW], [OLD], OLD],
    [[OLD, NEW], [NEW, OLD], OLD],
    [[NEW, OLD], [OLD, NEW], NEW],
    [[NEW, OLD], [NEW], NEW],
    [[NEW], [NEW, OLD], NEW],
    [[OLD], [NEW, OLD], OLD],
    [[NEW, OLD], [OLD], OLD],
  ])('finds the secret that both have: %j with %j', (ours, theirs, common) => {
    const made = sessions(pair(secrets(...ours), secrets(...theirs)));
    expect(made.map(({ secret }) => secret.fingerprint)).toEqual([
      secrets(common)[0]!.fingerprint,
      secrets(common)[0]!.fingerprint,
    ]);
  });

  it('ends with the old secret being refused', () => {
    expect(flaws(run(pair(secrets(OLD), secrets(NEW))))).toEqual(['wrong-secret', 'wrong-secret']);
    expect(flaws(run(pair(secrets(NEW), secrets(OLD))))).toEqual(['wrong-secret', 'wrong-secret']);
  });

  it('cannot be set back by taking the newer proof out in between', () => {
    const { initiator, responder } = pair(secrets(NEW, OLD), secrets(NEW, OLD));
    const offered = JSON.parse(said(initiator.take(said(responder.take(initiator.first())))));
    expect(offered.proofs).toHaveLength(2);
    const answer = said(responder.take(JSON.stringify({ proofs: offered.proofs.slice(1) })));
    expect(flaws([initiator.take(answer)])).toEqual(['wrong-secret']);
  });
});

describe('a process without the secret', () => {
  it('cannot send a proof back to its sender', () => {
    // It dials the member that dials it, and passes all frames on.
    const { initiator } = pair(secrets(OLD));
    const mirror = new Responder({ cluster: 'test', id: 'a' }, secrets(OLD), nonce('m'));
    const proofs = said(initiator.take(said(mirror.take(initiator.first()))));
    expect(flaws([mirror.take(proofs)])).toEqual(['other-member']);
    // It answers with the proof that it got.
    const [proof] = JSON.parse(proofs).proofs;
    expect(flaws([initiator.take(JSON.stringify({ proof }))])).toEqual(['wrong-secret']);
  });

  it('cannot answer with the frame that it got', () => {
    const { initiator } = pair(secrets(OLD));
    const echoed = said(initiator.take(initiator.first()));
    expect(flaws([initiator.take(echoed)])).toEqual(['unauthenticated']);
  });

  it('cannot use the proof of another pair', () => {
    const { initiator } = pair(secrets(OLD));
    const third = new Responder({ cluster: 'test', id: 'c' }, secrets(OLD), nonce('c'));
    const proofs = said(initiator.take(said(third.take(initiator.first()))));
    expect(flaws([third.take(proofs)])).toEqual(['other-member']);
    // With the name of the third in the first frame, the proof does not fit any more.
    const again = new Responder({ cluster: 'test', id: 'c' }, secrets(OLD), nonce('c'));
    again.take(JSON.stringify({ ...JSON.parse(initiator.first()), to: 'c' }));
    expect(flaws([again.take(proofs)])).toEqual(['wrong-secret']);
  });

  it('cannot use the proof of another cluster with the same secret', () => {
    const { initiator } = pair(secrets(OLD));
    const other = new Responder({ cluster: 'other', id: 'b' }, secrets(OLD), nonce('b'));
    const proofs = said(initiator.take(said(other.take(initiator.first()))));
    expect(flaws([other.take(proofs)])).toEqual(['other-cluster']);
  });

  it('cannot replay a handshake', () => {
    const { initiator, responder } = pair(secrets(OLD));
    const first = initiator.first();
    const proofs = said(initiator.take(said(responder.take(first))));
    expect(responder.take(proofs).type).toBe('proven');
    const later = new Responder({ cluster: 'test', id: 'b' }, secrets(OLD), nonce('later'));
    later.take(first);
    expect(flaws([later.take(proofs)])).toEqual(['wrong-secret']);
  });

  it('cannot speak in the name of another by changing the first frame', () => {
    const { initiator, responder } = pair(secrets(OLD));
    const forged = JSON.stringify({ ...JSON.parse(initiator.first()), from: 'c' });
    const proofs = said(initiator.take(said(responder.take(forged))));
    expect(flaws([responder.take(proofs)])).toEqual(['wrong-secret']);
  });
});

describe('bad frames', () => {
  it.each([
    null,
    '',
    'no JSON',
    '[]',
    '{}',
    '{"caucus":2,"id":"a"}',
    '{"prove":2,"cluster":"test","from":"a","to":"b","nonce":"AAAA"}',
    '{"prove":1,"cluster":"test","from":"a","to":"b","nonce":"AAAA"}',
    '{"prove":1,"cluster":"a b","from":"a","to":"b"}',
    `{"refused":"${'x'.repeat(10_000)}"}`,
  ])('are refused: %j', (frame) => {
    expect(flaws([pair(secrets(OLD)).responder.take(frame)])).toEqual(['unauthenticated']);
    expect(flaws([pair(secrets(OLD)).initiator.take(frame)])).toEqual(['unauthenticated']);
  });

  it('as the first one, of another version', () => {
    const frame = `{"prove":2,"cluster":"test","from":"a","to":"b","nonce":"${'A'.repeat(43)}"}`;
    expect(flaws([pair(secrets(OLD)).responder.take(frame)])).toEqual(['unauthenticated']);
    const first = pair(secrets(OLD)).responder.take(frame.replace('"prove":2', '"prove":1'));
    expect(first.type).toBe('say');
  });

  it('as the first one, from an id that is none', () => {
    const frame = `{"prove":1,"cluster":"test","from":{},"to":"b","nonce":"${'A'.repeat(43)}"}`;
    expect(flaws([pair(secrets(OLD)).responder.take(frame)])).toEqual(['unauthenticated']);
  });

  it.each(['{}', '{"proofs":[]}', '{"proofs":["AAAA"]}', '{"proofs":"AAAA"}'])('as proofs: %j', (frame) => {
    const { initiator, responder } = pair(secrets(OLD));
    responder.take(initiator.first());
    expect(flaws([responder.take(frame)])).toEqual(['unauthenticated']);
  });

  it('name who says that it sent them', () => {
    const step = pair(secrets(OLD)).responder.take('{"caucus":2,"id":"a","cluster":"test"}');
    expect(step).toMatchObject({ type: 'failed', claimed: 'a' });
  });
});

describe('secrets', () => {
  it.each([
    ['tiny', 'one of 4 characters'],
    ['with a gap in between', 'one of 21 characters'],
    [42, '"number"'],
    [[], '0'],
    [[NEW, NEW], 'the same twice'],
    [[NEW, `${NEW}2`, `${NEW}3`], '3'],
  ])('are refused without being shown: %j', (given, found) => {
    expect(() => readSecrets(given, 'secret')).toThrow(found);
    expect(() => readSecrets(given, 'secret')).not.toThrow(/tiny|gap|new-secret/);
  });

  it('are not shown by an inspection', async () => {
    const { inspect } = await import('node:util');
    const [secret] = secrets(OLD);
    expect(inspect(secret, { depth: 9, showHidden: true })).not.toMatch(/old-secret|Buffer/);
    expect(JSON.stringify(secret)).toBe(`{"fingerprint":"${secret!.fingerprint}"}`);
  });
});
