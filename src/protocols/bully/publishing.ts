/**
 * How the leader publishes the cluster state, in the two phases of seed 003: send, then commit.
 *
 * A member holds each version at most once, and none below one that it has held or applied. Any two majorities
 * share a member, so with the default `minimumMasterNodes` one version never has two values, whatever leaders
 * there are; a leader that meets a higher version goes above it. What is only held is never revived: a publication
 * whose commit was not sent did certainly not happen. Once sent, a commit is a fact that anybody may pass on.
 */
import { addId, assert, type Json, type MemberId, type Outcome } from '../../core/index.ts';
import { ask, forget, isFlying, land } from './flights.ts';
import { report, type State, save, send, type Turn } from './state.ts';

/** "the leader pushes the newest cluster state to the other nodes (this is the send instruction)" */
export function startPublishing(turn: Turn, command: number, value: Json): void {
  const { s, out, rules } = turn;
  forget(turn, 'publish/commit'); // Whoever has yet to apply the one before hears of it by heartbeat, or of this one.
  s.publishing = { command, phase: 'send', version: newest(s) + 1, holders: [], applied: [] };
  out.push({ type: 'cancel-timer', timer: 'publish' });
  out.push({ type: 'set-timer', timer: 'commit', delayMs: rules.commitTimeoutMs });
  sendOut(turn, value);
}

function sendOut(turn: Turn, value: Json): void {
  const { s } = turn;
  const { epoch, publishing } = s;
  const { version } = publishing!;
  s.held = { by: s.id, epoch, version, value };
  publishing!.holders = [s.id];
  save(turn);
  for (const to of s.others) ask(turn, to, { type: 'publish/send', epoch, version, value });
  commitWithEnough(turn);
}

/**
 * "the other nodes do not apply this cluster state at once, but first respond to the leader that they have
 * received the update, and wait for the leader's commit instruction"
 */
export function onPublishSend(turn: Turn, from: MemberId, version: number, value: Json): void {
  const { s } = turn;
  const { epoch } = s;
  if (s.leader !== from) return; // It asks again; until then we may have learnt who leads.
  if (!holds(s, from, epoch, version)) {
    if (version <= newest(s)) return send(turn, from, { type: 'publish/refused', epoch, version: newest(s) });
    s.held = { by: from, epoch, version, value };
    save(turn);
  }
  send(turn, from, { type: 'publish/ack', epoch, version });
}

export function onPublishAck(turn: Turn, from: MemberId, version: number): void {
  const { publishing } = turn.s;
  if (publishing?.phase !== 'send' || publishing.version !== version) return;
  land(turn, from, 'publish/send');
  addId(publishing.holders, from);
  commitWithEnough(turn);
}

/** Another leader had come further. What was sent so far is left uncommitted, and the value goes out above it. */
export function onPublishRefused(turn: Turn, version: number): void {
  const { publishing, held } = turn.s;
  if (publishing?.phase !== 'send' || version < publishing.version) return;
  publishing.version = version + 1;
  sendOut(turn, held!.value);
}

/** "if the leader has received enough responses, it gives the cluster the instruction to commit" */
function commitWithEnough(turn: Turn): void {
  const { s, out, rules } = turn;
  const publishing = s.publishing!;
  if (publishing.holders.length < rules.enough(s.others.length + 1)) return;
  out.push({ type: 'cancel-timer', timer: 'commit' });
  forget(turn, 'publish/send');
  publishing.phase = 'commit';
  publishing.applied = [s.id];
  apply(turn, publishing.version, s.held!.value);
  const { epoch } = s;
  for (const to of s.others) ask(turn, to, { type: 'publish/commit', epoch, version: publishing.version });
  out.push({ type: 'set-timer', timer: 'publish', delayMs: rules.publishTimeoutMs });
  finishWhenApplied(turn);
}

/** "then the other nodes apply the newest cluster state" */
export function onPublishCommit(turn: Turn, from: MemberId, epoch: number, version: number): void {
  const { s } = turn;
  if (holds(s, from, epoch, version)) apply(turn, version, s.held!.value);
  // A member that never held it says how far it has come, and is sent the whole state.
  sendApplied(turn, from);
}

export function onPublishState(turn: Turn, from: MemberId, version: number, value: Json): void {
  apply(turn, version, value);
  sendApplied(turn, from);
  onPublishRefused(turn, version); // Should this member be publishing, that version is taken.
}

function sendApplied(turn: Turn, to: MemberId): void {
  const { epoch, version } = turn.s;
  send(turn, to, { type: 'publish/applied', epoch, version });
}

export function onPublishApplied(turn: Turn, from: MemberId, version: number): void {
  const { s } = turn;
  land(turn, from, 'publish/commit');
  land(turn, from, 'publish/state');
  // Whoever is at a later version, by another leader's hand, may have passed over this one.
  if (s.publishing?.phase === 'commit' && version === s.publishing.version) {
    addId(s.publishing.applied, from);
    finishWhenApplied(turn);
  }
  bringUpToDate(turn, from, version);
}

/** Committed once is committed for good: whoever is behind gets the whole state from whoever hears of it. */
export function bringUpToDate(turn: Turn, peer: MemberId, theirs: number): void {
  if (theirs >= turn.s.version || isFlying(turn.s, 'publish/state', peer)) return;
  sendState(turn, peer);
}

function sendState(turn: Turn, to: MemberId): void {
  const { epoch, version, value } = turn.s;
  ask(turn, to, { type: 'publish/state', epoch, version, value });
}

/** Versions only grow. */
export function apply(turn: Turn, version: number, value: Json): void {
  const { s } = turn;
  if (version <= s.version) return;
  s.version = version;
  s.value = value;
  save(turn);
  report(turn);
}

/**
 * The command is done when as many have applied it as must hold it: whoever gathers a majority later finds it.
 * Until all have, the leader goes on waiting.
 */
function finishWhenApplied(turn: Turn): void {
  const { s, out, rules } = turn;
  const publishing = s.publishing!;
  if (publishing.applied.length >= rules.enough(s.others.length + 1)) answerOnce(turn, { status: 'done' });
  if (publishing.applied.length <= s.others.length) return;
  out.push({ type: 'cancel-timer', timer: 'publish' });
  s.publishing = null;
}

/** "if within commit_timeout it has not received responses from minimum_master_nodes nodes, it sends no commit" */
export function onCommitTimeout(turn: Turn): void {
  const { s, rules } = turn;
  if (s.publishing?.phase !== 'send') return;
  forget(turn, 'publish/send');
  const { holders } = s.publishing;
  const reason = `${holders.length} of ${rules.enough(s.others.length + 1)} members acknowledged it in time`;
  answerOnce(turn, { status: 'failed', reason, effect: 'definite' });
  s.publishing = null;
}

/**
 * "the waiting time is publish_timeout; if any node has not answered the commit, the leader updates the whole
 * cluster state again". From here on every heartbeat shows who is still behind.
 */
export function onPublishTimeout(turn: Turn): void {
  const { s } = turn;
  if (s.publishing?.phase !== 'commit') return;
  const { applied } = s.publishing;
  forget(turn, 'publish/commit');
  for (const to of s.others) if (!applied.includes(to)) sendState(turn, to);
  const reason = `committed, but only ${applied.length} members are known to have applied it`;
  answerOnce(turn, { status: 'failed', reason, effect: 'indefinite' });
  s.publishing = null;
}

/** The channel of the seed is reliable; ours becomes so by asking again, within the two time-outs. */
export function onPublishOverdue(turn: Turn, to: MemberId, kind: 'publish/send' | 'publish/commit'): void {
  const { epoch, publishing, held } = turn.s;
  assert(publishing !== null && kind === `publish/${publishing.phase}`, `${kind} outlived its publication`);
  const { version } = publishing;
  if (kind === 'publish/commit') return ask(turn, to, { type: kind, epoch, version });
  ask(turn, to, { type: kind, epoch, version, value: held!.value });
}

/** The leader leads no longer. Without a commit nothing happened; with one, nobody here can tell. */
export function abandonPublishing(turn: Turn): void {
  const { s, out } = turn;
  if (s.publishing === null) return;
  const effect = s.publishing.phase === 'send' ? 'definite' : 'indefinite';
  out.push({ type: 'cancel-timer', timer: 'commit' }, { type: 'cancel-timer', timer: 'publish' });
  answerOnce(turn, { status: 'failed', reason: 'it lost the leadership', effect });
  s.publishing = null;
}

function answerOnce({ s, out }: Turn, outcome: Outcome): void {
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
