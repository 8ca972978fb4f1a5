/** The test vector of docs/authentication.md is what the code does: another language can be held against it. */
import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import {
  answerProof,
  Initiator,
  Opener,
  Responder,
  readAuthorization,
  readSecrets,
  requestProof,
  Sealer,
  writeAnswerProof,
  writeAuthorization,
} from '../../src/auth/index.ts';
import { RestVoterProof } from '../support/rest-voter-proof.ts';

const page = readFileSync(new URL('../../docs/authentication.md', import.meta.url), 'utf8');
const vector = JSON.parse(/```json\n([\s\S]*?)```/.exec(page)![1]!);
const secrets = readSecrets(vector.secret, 'secret');
const [secret] = secrets;
const hex = (text: string): Buffer => Buffer.from(text, 'hex');

it('has the keys of a secret', () => {
  expect(secret!.fingerprint).toBe(vector.fingerprint);
  for (const purpose of ['link proof', 'link session', 'rest'] as const)
    expect(secret!.key(purpose).toString('hex')).toBe(vector.keys[purpose]);
});

it('has the frames of a handshake, and the sealed ones after it', () => {
  const { link } = vector;
  const initiator = new Initiator(
    { cluster: 'caucus', from: 'a', to: 'b' },
    secrets,
    hex(link.initiatorNonce),
  );
  const responder = new Responder({ cluster: 'caucus', id: 'b' }, secrets, hex(link.responderNonce));
  const frames = [initiator.first()];
  const challenge = responder.take(frames[0]!);
  const proofs = initiator.take(challenge.type === 'say' ? challenge.frame : null);
  const theirs = responder.take(proofs.type === 'say' ? proofs.frame : null);
  const ours = initiator.take(theirs.type === 'proven' ? theirs.frame : null);
  for (const step of [challenge, proofs, theirs]) if (step.type !== 'failed') frames.push(step.frame!);
  expect(frames).toEqual(link.frames);
  if (ours.type !== 'proven') throw new Error('not proven');
  const { sendKey, receiveKey } = ours.session;
  expect([sendKey.toString('hex'), receiveKey.toString('hex')]).toEqual([
    link.keyToResponder,
    link.keyToInitiator,
  ]);
  const [sealer, opener] = [new Sealer(sendKey), new Opener(sendKey)];
  for (const { kind, body, frame } of link.sealed) {
    expect(sealer.seal(kind, body).toString('hex')).toBe(frame);
    expect(opener.open(hex(frame))).toEqual({ kind, body: Buffer.from(body) });
  }
});

it('has a request of a voter and its answer', () => {
  const { cluster, authorization, method, path, body, answer } = vector.rest;
  const { claim, proof } = readAuthorization(authorization)!;
  const made = requestProof(secret!, claim, { cluster, method, path, body: Buffer.from(body) });
  expect(made).toEqual(proof);
  expect(writeAuthorization(claim, made)).toBe(authorization);
  const info = writeAnswerProof(answerProof(secret!, proof, answer.status, Buffer.from(answer.body)));
  expect(info).toBe(answer['authentication-info']);
  // The voter that was written from the page alone knows another boot.
  const voter = new RestVoterProof('b', cluster, vector.secret);
  expect(voter.check(authorization, method, path, body)).toHaveProperty('challenge');
});
