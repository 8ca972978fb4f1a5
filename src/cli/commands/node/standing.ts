import type { Election } from '../../../election/index.ts';
import type { Change, ElectionPort, MemberPort } from '../../../member/index.ts';
import type { Log } from '../../terminal/log.ts';

/** Leads whenever it is elected. Programs use the HTTP API to see that. */
export async function standFor(election: Election, signal: AbortSignal): Promise<void> {
  await election
    .lead(({ ended }) => ended, { signal })
    .catch((error: unknown) => {
      if (!signal.aborted) throw error;
    });
}

/**
 * Logs whether this member may act, and for programs every change of leader: people read that in the member's own
 * log.
 */
export function follow(member: MemberPort, port: ElectionPort, log: Log, json: boolean): () => void {
  let told: Change | undefined;
  let acting = false;
  let { illness } = member;
  const look = (): void => {
    // The history is bounded: the last entry that was logged may be anywhere in it, or gone.
    const news = told === undefined ? port.history : port.history.slice(port.history.lastIndexOf(told) + 1);
    for (const { leader, token, cause, detail } of news) {
      const who = leader === null ? 'there is no leader' : `${leader} leads`;
      const text = `${who}${token === null || leader === null ? '' : `, token ${token}`} (${cause}${detail === '' ? '' : `: ${detail}`})`;
      if (json) log({ level: 'info', event: 'change', text, id: member.id, leader, token, cause, detail });
    }
    told = port.history.at(-1);
    if (port.acting !== acting) {
      acting = port.acting;
      const { token } = port;
      const text = acting
        ? `${member.id} leads and may act${token === null ? '' : `, token ${token}`}`
        : `${member.id} may not act any more: ${port.history.at(-1)?.detail ?? 'for an unknown reason'}`;
      log({ level: 'info', event: acting ? 'acting' : 'idle', text, id: member.id, token });
    }
    if (member.illness !== illness) {
      illness = member.illness;
      const text = illness ?? 'well again';
      log({ level: illness === null ? 'info' : 'error', event: 'health', text, id: member.id, illness });
    }
  };
  const stops = [port.subscribe(look), member.subscribe(look)];
  look();
  return () => {
    for (const stop of stops) stop();
  };
}
