/**
 * How the leader publishes the cluster state, in the two phases of seed 003: send, then commit.
 *
 * A member holds each version at most once, and none below one that it has held or applied. Any two majorities share
 * a member, so with the default `minimumMasterNodes` one version never has two values, whatever leaders there are; a
 * leader that meets a higher version goes above it. A value that is only held is never revived: a publication whose
 * commit was not sent certainly had no effect. Once sent, a commit is a fact that any member may pass on.
 */
import { addId, assert, type Json, type MemberId, type Outcome } from '../../core/index.ts';
import { ask, forget, isFlying, land } from './flights.ts';
import type { MessageOf } from './messages.ts';
import type { Rules } from './settings.ts';
import { type Out, report, type State, save, send } from './state.ts';

/** "the leader pushes the newest cluster state to the other nodes (this is the send instruction)" */
export function startPublishing(s: State, command: number, value: Json, rules: Rules, out: Out): void {
  forget(s, ['publish/commit'], rules, out); // A member that has not applied the last one learns of it by heartbeat, or of this one.
  s.publishing = { command, phase: 'send', version: newest(s) + 1, holders: [], applied: [] };
  out.push({ type: 'cancel-timer', timer: 'publish' });
  out.push({ type: 'set-timer', timer: 'commit', delayMs: rules.commitTimeoutMs });
  sendOut(s, value, rules, out);
}

function sendOut(s: State, value: Json, rules: Rules, out: Out): void {
  const { epoch, publishing } = s;
  const { version } = publishing!;
  s.held = { by: s.id, epoch, version, value };
  publishing!.holders = [s.id];
  save(s, out);
  for (const to of s.others) ask(s, to, { type: 'publish/send', epoch, version, value }, rules, out);
  commitWithEnough(s, rules, out);
}

/**
 * "the other nodes do not apply this cluster state at once, but first respond to the leader that they have
 * received the update, and wait for the leader's commit instruction"
 */
export function onPublishSend(
  s: State,
  from: MemberId,
  { version, value }: MessageOf<'publish/send'>,
  out: Out,
): void {
  const { epoch } = s;
  if (s.leader !== from) return; // It retries; by then we may know the leader.
  if (!holds(s, from, epoch, version)) {
    if (version <= newest(s)) return send(from, { type: 'publish/refused', epoch, version: newest(s) }, out);
    s.held = { by: from, epoch, version, value };
    save(s, out);
  }
  send(from, { type: 'publish/ack', epoch, version }, out);
}

export function onPublishAck(
  s: State,
  from: MemberId,
  { version }: MessageOf<'publish/ack'>,
  rules: Rules,
  out: Out,
): void {
  const { publishing } = s;
  if (publishing?.phase !== 'send' || publishing.version !== version) return;
  land(s, from, 'publish/send', rules, out);
  addId(publishing.holders, from);
  commitWithEnough(s, rules, out);
}

type Refusal = Pick<MessageOf<'publish/refused'>, 'version'>;

/**
 * Another leader was at a higher version. The value that was sent so far stays uncommitted, and is sent again above
 * it.
 */
export function onPublishRefused(s: State, { version }: Refusal, rules: Rules, out: Out): void {
  const { publishing, held } = s;
  if (publishing?.phase !== 'send' || version < publishing.version) return;
  publishing.version = version + 1;
  sendOut(s, held!.value, rules, out);
}

/** "if the leader has received enough responses, it gives the cluster the instruction to commit" */
function commitWithEnough(s: State, rules: Rules, out: Out): void {
  const publishing = s.publishing!;
  if (publishing.holders.length < rules.enough(s.others.length + 1)) return;
  out.push({ type: 'cancel-timer', timer: 'commit' });
  forget(s, ['publish/send'], rules, out);
  publishing.phase = 'commit';
  publishing.applied = [s.id];
  apply(s, publishing.version, s.held!.value, rules, out);
  const { epoch } = s;
  for (const to of s.others)
    ask(s, to, { type: 'publish/commit', epoch, version: publishing.version }, rules, out);
  out.push({ type: 'set-timer', timer: 'publish', delayMs: rules.publishTimeoutMs });
  finishWhenApplied(s, rules, out);
}

/** "then the other nodes apply the newest cluster state" */
export function onPublishCommit(
  s: State,
  from: MemberId,
  { epoch, version }: MessageOf<'publish/commit'>,
  rules: Rules,
  out: Out,
): void {
  if (holds(s, from, epoch, version)) apply(s, version, s.held!.value, rules, out);
  // A member that never held it answers with its own version, and is sent the whole state.
  sendApplied(s, from, out);
}

export function onPublishState(
  s: State,
  from: MemberId,
  m: MessageOf<'publish/state'>,
  rules: Rules,
  out: Out,
): void {
  apply(s, m.version, m.value, rules, out);
  sendApplied(s, from, out);
  onPublishRefused(s, m, rules, out); // Should this member be publishing, that version is taken.
}

function sendApplied(s: State, to: MemberId, out: Out): void {
  const { epoch, version } = s;
  send(to, { type: 'publish/applied', epoch, version }, out);
}

export function onPublishApplied(
  s: State,
  from: MemberId,
  { version }: MessageOf<'publish/applied'>,
  rules: Rules,
  out: Out,
): void {
  land(s, from, 'publish/commit', rules, out);
  land(s, from, 'publish/state', rules, out);
  // A member at a later version of another leader may have skipped this one.
  if (s.publishing?.phase === 'commit' && version === s.publishing.version) {
    addId(s.publishing.applied, from);
    finishWhenApplied(s, rules, out);
  }
  bringUpToDate(s, from, version, rules, out);
}

/** A commit is final: a member that is behind gets the whole state from any member that hears of it. */
export function bringUpToDate(s: State, peer: MemberId, theirs: number, rules: Rules, out: Out): void {
  if (theirs >= s.version || isFlying(s, 'publish/state', peer)) return;
  sendState(s, peer, rules, out);
}

function sendState(s: State, to: MemberId, rules: Rules, out: Out): void {
  const { epoch, version, value } = s;
  ask(s, to, { type: 'publish/state', epoch, version, value }, rules, out);
}

/** Versions only grow. */
export function apply(s: State, version: number, value: Json, rules: Rules, out: Out): void {
  if (version <= s.version) return;
  s.version = version;
  s.value = value;
  save(s, out);
  report(s, rules, out);
}

/**
 * The command is done when as many members have applied it as must hold it: any later majority finds it. The leader
 * keeps waiting for the rest.
 */
function finishWhenApplied(s: State, rules: Rules, out: Out): void {
  const publishing = s.publishing!;
  if (publishing.applied.length >= rules.enough(s.others.length + 1)) answerOnce(s, { status: 'done' }, out);
  if (publishing.applied.length <= s.others.length) return;
  out.push({ type: 'cancel-timer', timer: 'publish' });
  s.publishing = null;
}

/** "if within commit_timeout it has not received responses from minimum_master_nodes nodes, it sends no commit" */
export function onCommitTimeout(s: State, rules: Rules, out: Out): void {
  if (s.publishing?.phase !== 'send') return;
  forget(s, ['publish/send'], rules, out);
  const { holders } = s.publishing;
  const reason = `${holders.length} of ${rules.enough(s.others.length + 1)} members acknowledged it in time`;
  answerOnce(s, { status: 'failed', reason, effect: 'definite' }, out);
  s.publishing = null;
}

/**
 * "the waiting time is publish_timeout; if any node has not answered the commit, the leader updates the whole
 * cluster state again". From here on every heartbeat shows who is still behind.
 */
export function onPublishTimeout(s: State, rules: Rules, out: Out): void {
  if (s.publishing?.phase !== 'commit') return;
  const { applied } = s.publishing;
  forget(s, ['publish/commit'], rules, out);
  for (const to of s.others) if (!applied.includes(to)) sendState(s, to, rules, out);
  const reason = `committed, but only ${applied.length} members are known to have applied it`;
  answerOnce(s, { status: 'failed', reason, effect: 'indefinite' }, out);
  s.publishing = null;
}

/** The channel of the seed is reliable; ours becomes so by retries, within the two timeouts. */
export function onPublishOverdue(
  s: State,
  to: MemberId,
  kind: 'publish/send' | 'publish/commit',
  rules: Rules,
  out: Out,
): void {
  const { epoch, publishing, held } = s;
  assert(publishing !== null && kind === `publish/${publishing.phase}`, `${kind} outlived its publication`);
  const { version } = publishing;
  if (kind === 'publish/commit') return ask(s, to, { type: kind, epoch, version }, rules, out);
  ask(s, to, { type: kind, epoch, version, value: held!.value }, rules, out);
}

/** The leader no longer leads. Without a commit the publication had no effect; with one, its result is unknown here. */
export function abandonPublishing(s: State, out: Out): void {
  if (s.publishing === null) return;
  const effect = s.publishing.phase === 'send' ? 'definite' : 'indefinite';
  out.push({ type: 'cancel-timer', timer: 'commit' }, { type: 'cancel-timer', timer: 'publish' });
  answerOnce(s, { status: 'failed', reason: 'it lost the leadership', effect }, out);
  s.publishing = null;
}

function answerOnce(s: State, outcome: Outcome, out: Out): void {
  const { command } = s.publishing!;
  if (command === null) return;
  out.push({ type: 'answer', command, outcome });
  s.publishing!.command = null;
}

function holds({ held }: State, by: MemberId, epoch: number, version: number): boolean {
  return held !== null && held.by === by && held.epoch === epoch && held.version === version;
}

/** The highest version that this member has held or applied. */
function newest(s: State): number {
  return Math.max(s.version, s.held?.version ?? 0);
}
