/**
 * The path of witnesses that are no members (`caucus witness`). They authenticate themselves as voters do, by the secret of the
 * cluster or by a certificate; without either there are none.
 */
import type { Call } from './call.ts';
import { HttpError } from './http-error.ts';
import { sendJson } from './reply.ts';
import { refuseOther } from './voters.ts';
import { type WitnessAnswer, witnessRequest } from './wire/witness.ts';

export async function hearWitness(call: Call, body: unknown): Promise<void> {
  const { voterId, host, token, gone = [] } = witnessRequest.read(body, '');
  const { member, entry, response, witnesses } = call;
  if (witnesses === null || entry.claim === null)
    throw new HttpError(
      409,
      'E_NO_WITNESSES',
      `${member.id} takes no reports of witnesses: start it with trustWitnesses (--trust-witness)`,
    );
  refuseOther(call, voterId);
  if (!witnesses.trusts(voterId)) {
    const reason = `${voterId} is no witness that ${member.id} trusts: name it there in trustWitnesses (--trust-witness)`;
    member.countRefusal('unauthorized', { from: entry.from, reason });
    throw new HttpError(403, 'E_NOT_TRUSTED', reason);
  }
  for (const death of gone) witnesses.report(voterId, host, death);
  const answer: WitnessAnswer = {
    voterId: member.id,
    neighbour: witnesses.neighbourOn(host),
    isMet: token !== undefined && witnesses.drew(token),
    members: member.voters.map(({ id, url }) => ({ id, url })),
  };
  sendJson(response, 200, answer);
}
