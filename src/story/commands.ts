import type { Input, MemberId } from '../core/index.ts';
import type { EventScene } from './scene.ts';

/** A command that was given and not answered so far. */
export interface Pending {
  readonly what: string;
  readonly atMs: number;
  readonly member: MemberId;
  /** The id that its answer will have; null until the member processes it. */
  id: number | null;
}

export const COMMANDS: readonly string[] = [
  'campaign',
  'resign',
  'transfer',
  'publish',
  'reconfigure',
  'add',
  'remove',
];

/** Follows every command from the moment it is given to its answer. */
export class Commands {
  readonly #pending: Pending[] = [];

  get unanswered(): readonly Pending[] {
    return this.#pending;
  }

  given(atMs: number, event: EventScene['event']): void {
    if (!COMMANDS.includes(event.do) || event.skipped !== undefined) return;
    const member = (event.asked ?? event.member) as MemberId;
    this.#pending.push({ what: event.do, atMs, member, id: null });
  }

  /** A paused member processes commands in their order when it resumes. */
  taken(member: MemberId, { id, command }: Extract<Input, { type: 'command' }>): void {
    const given = this.#pending.find(
      (each) => each.id === null && each.member === member && each.what === command.type,
    );
    if (given !== undefined) given.id = id;
  }

  /** The command that the answer is about. */
  answered(id: number): string | null {
    const at = this.#pending.findIndex((each) => each.id === id);
    if (at < 0) return null;
    return this.#pending.splice(at, 1)[0]!.what;
  }
}
