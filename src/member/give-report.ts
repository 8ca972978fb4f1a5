import type { Input } from '../core/index.ts';
import { gone } from '../host/index.ts';
import type { ElectionHost } from './election-host.ts';

type Gone = Extract<Input, { type: 'peer-gone' }>;

/**
 * Tells an election of a death that a witness has reported. The report may come after the connection was closed, which is then the
 * last cause in the history: the better one is added.
 */
export function giveReport(host: ElectionHost, input: Gone): void {
  const [before, last] = host.history.slice(-2);
  const isSuspected = last?.leader === null && last.cause === 'closed' && before?.leader === input.peer;
  host.give(input);
  if (isSuspected && host.history.at(-1) === last) host.note(gone(input.peer, input));
}
