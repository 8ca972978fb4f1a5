import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Definition } from '../core/index.ts';
import type { ChangeCounts } from './change-counts.ts';
import { HttpError } from './http-error.ts';
import type { Page } from './page.ts';
import type { ElectionPort, MemberPort } from './port.ts';
import type { Watchers } from './watchers.ts';

/** One request, with what its path and query say already read. */
export interface Call {
  readonly member: MemberPort;
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  /** Without the part that names the election: `/status` for `/elections/reports/status` too. */
  readonly path: string;
  readonly query: URLSearchParams;
  /** Of the path or of `?election=`; else the main one. */
  readonly electionName: string;
  readonly watchers: Watchers;
  readonly changes: ChangeCounts;
  readonly page: Page;
  /** The description of this API. */
  readonly describe: () => object;
}

/** The election that a question is about which names none: the main one, or the only one where that is not used. */
export function usualElection({ elections, mainElection }: MemberPort): string {
  const [only, ...others] = elections;
  return only === undefined || others.length > 0 ? mainElection : only.name;
}

/** The election that is asked about. A question never opens one: only a vote or a command does. */
export function knownElection({ member, electionName }: Call): ElectionPort {
  const found = member.elections.find((election) => election.name === electionName);
  if (found !== undefined) return found;
  if (electionName === member.mainElection) return member.electionPort(electionName);
  throw new HttpError(404, 'E_NO_ELECTION', `this member knows no election ${JSON.stringify(electionName)}`);
}

/** The election that is acted upon; it is opened if need be. */
export function openElection({ member, electionName }: Call): ElectionPort {
  return member.electionPort(electionName);
}

/** What the voters can send each other, by path. */
export function messagesOf({ member }: Call): Definition['messages'] {
  return member.definition?.messages ?? {};
}
