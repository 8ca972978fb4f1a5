import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Definition } from '../core/index.ts';
import { isReserved } from '../leases/index.ts';
import type { Acts } from './acts.ts';
import type { Entry } from './authorize.ts';
import type { Changes } from './changes.ts';
import { HttpError } from './http-error.ts';
import type { Page } from './page.ts';
import type { ElectionPort, MemberPort, WitnessPort } from './port.ts';
import type { Watchers } from './watchers.ts';

/** One request, with its path and query parsed. */
export interface Call {
  readonly member: MemberPort;
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  /** Without the part that names the election: `/status` for `/elections/reports/status` too. */
  readonly path: string;
  readonly query: URLSearchParams;
  /** The election of the path or of `?election=`; else the main one. */
  readonly electionName: string;
  readonly watchers: Watchers;
  readonly changes: Changes;
  readonly acts: Acts;
  /** Null: it takes no reports of witnesses. */
  readonly witnesses: WitnessPort | null;
  /** Who asks. */
  readonly entry: Entry;
  /** May this client read what the member knows? A health check is answered also if not, without a document. */
  readonly mayRead: boolean;
  readonly page: Page;
  /** The description of this API. */
  readonly describe: () => string;
}

/** The election that a question means if it names none: the main one, or the only one if the main one is not used. */
export function usualElection({ elections, mainElection }: MemberPort): string {
  const [only, ...others] = elections.filter(({ name }) => !isReserved(name));
  return only === undefined || others.length > 0 ? mainElection : only.name;
}

/** How many elections an error lists. */
const MOST_NAMED = 10;

/** The election of a question. A question never opens an election: only a vote or a command does. */
export function knownElection({ member, electionName }: Call): ElectionPort {
  const found = member.elections.find((election) => election.name === electionName);
  if (found !== undefined) return found;
  if (electionName === member.mainElection) return member.electionPort(electionName);
  const names = member.elections.slice(0, MOST_NAMED).map(({ name }) => name);
  const more = member.elections.length - names.length;
  const known = names.length === 0 ? 'none' : `${names.join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
  const unknown = `this member knows no election ${JSON.stringify(electionName)}`;
  throw new HttpError(404, 'E_NO_ELECTION', `${unknown}; it knows ${known}`);
}

/** The election of a command or message; opened if necessary. */
export function openElection({ member, electionName }: Call): ElectionPort {
  return member.electionPort(electionName);
}

/** The messages of the protocol, by path. */
export function messagesOf({ member }: Pick<Call, 'member'>): Definition['messages'] {
  return member.definition?.messages ?? {};
}
