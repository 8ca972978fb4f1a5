import { isRecord, openRunsIn, readRecord } from '../once/index.ts';
import { type Call, knownElection } from './call.ts';
import { sendJson } from './reply.ts';
import type { RunList } from './wire/runs.ts';

/** What `once` and schedules have recorded. An election that publishes other values has recorded nothing. */
export function getRuns(call: Call): void {
  const election = knownElection(call);
  const { value } = election.view;
  const record = readRecord(isRecord(value) ? value : null, 'value');
  const list: RunList = { electionName: election.name, runs: record.runs, open: openRunsIn(record) };
  sendJson(call.response, 200, list);
}
