/**
 * The handshake of a connection between two members that share a secret (src/auth/handshake.ts), on a WebSocket that
 * was just opened. Nothing else of this member sees the connection before both sides have proven themselves.
 */
import { WebSocket } from 'ws';
import type { Flaw, Session, Step } from '../../auth/index.ts';
import type { MemberId } from '../../core/index.ts';
import type { LinkRefusal, Refused, Verdict } from '../../peers/index.ts';
import { claimed, encodeRefused, SAME_SECRET } from './frames.ts';

export type Proven =
  | { readonly type: 'proven'; readonly session: Session }
  | { readonly type: 'refused'; readonly refused: Refused; readonly verdict: Verdict }
  /** It closed the connection, or said nothing in time. */
  | { readonly type: 'failed'; readonly reason: string };

/** One side of the handshake. `first` is there for the side that begins. */
interface Machine {
  first?(): string;
  take(text: string | null): Step;
}

interface Limits {
  readonly helloMs: number;
  readonly goodbyeMs: number;
}

const KINDS: Readonly<Record<Flaw, LinkRefusal>> = {
  unauthenticated: 'unauthenticated',
  'wrong-secret': 'wrong-secret',
  'other-cluster': 'other-cluster',
  'other-member': 'unknown-member',
};

/** `done` is called exactly once, and not after the function that is returned, which cancels it. */
export function prove(
  ws: WebSocket,
  machine: Machine,
  limits: Limits,
  done: (result: Proven) => void,
): () => void {
  const begins = machine.first !== undefined;
  const finish = (result: Proven | null): void => {
    clearTimeout(timer);
    ws.off('message', onMessage);
    ws.off('ping', onControl);
    ws.off('pong', onControl);
    ws.off('close', onClose);
    if (result !== null) done(result);
  };
  const onMessage = (data: Buffer, isBinary: boolean): void => {
    const text = isBinary ? null : data.toString();
    const step = machine.take(text);
    if (step.type === 'say') return ws.send(step.frame);
    if (step.type === 'proven') {
      if (step.frame !== null) ws.send(step.frame);
      return finish({ type: 'proven', session: step.session });
    }
    const isByThem = begins && isRefusal(text);
    const refused = { kind: KINDS[step.flaw], reason: wordsOf(step.flaw, step.claimed, begins) };
    if (!isByThem) ws.send(encodeRefused({ ...refused, reason: wordsForThem(step.flaw) }));
    close(ws, limits.goodbyeMs);
    finish({ type: 'refused', refused, verdict: isByThem ? 'refuses-us' : 'refused' });
  };
  // Members send none before their proof; a flood of them would only cost time.
  const onControl = (): void => ws.terminate();
  const onClose = (): void => finish({ type: 'failed', reason: 'it closed the connection before its proof' });
  const timer = setTimeout(() => {
    ws.terminate();
    finish({ type: 'failed', reason: 'it did not prove itself in time' });
  }, limits.helloMs);
  ws.on('message', onMessage);
  ws.on('ping', onControl);
  ws.on('pong', onControl);
  ws.on('close', onClose);
  ws.on('error', () => {}); // It closes, which is told.
  if (machine.first !== undefined) ws.send(machine.first());
  return () => {
    finish(null);
    ws.terminate();
  };
}

/** Does not wait for a peer that does not close its side. */
function close(ws: WebSocket, withinMs: number): void {
  if (ws.readyState !== WebSocket.OPEN) return;
  ws.close();
  const timer = setTimeout(() => ws.terminate(), withinMs);
  ws.on('close', () => clearTimeout(timer));
}

function isRefusal(text: string | null): boolean {
  try {
    return Object.hasOwn(JSON.parse(text ?? '') as object, 'refused');
  } catch {
    return false;
  }
}

/** For the log of this member: which peer, and what to do. */
function wordsOf(flaw: Flaw, id: MemberId | null, begins: boolean): string {
  const other = begins ? `what answers as member ${id}` : claimed(id);
  switch (flaw) {
    case 'unauthenticated':
      return `${other} does not prove that it knows the secret of this member: it has no secret, or is of another version; ${SAME_SECRET}, and the same version`;
    case 'wrong-secret':
      return `${other} has another secret than this member; ${SAME_SECRET}`;
    case 'other-cluster':
      return `${other} knows the secret, but belongs to another cluster; give each cluster a secret of its own, and its members the same cluster name`;
    case 'other-member':
      return begins
        ? `${other} knows the secret, but is another member; correct its URL in the peers of this member`
        : `${other} knows the secret, but wants to reach another member; correct its peers`;
  }
}

/** For the log of the other side, which may be of an older version, or a process that only tries. It is told nothing of this member. */
function wordsForThem(flaw: Flaw): string {
  switch (flaw) {
    case 'unauthenticated':
      return `this member has a secret and accepts no connection without a proof; ${SAME_SECRET}`;
    case 'wrong-secret':
      return `this member has another secret; ${SAME_SECRET}`;
    case 'other-cluster':
      return 'this member belongs to another cluster';
    case 'other-member':
      return 'this is another member';
  }
}
