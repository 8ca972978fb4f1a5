/** Members that do not answer, and URLs that lead to something else. */
import { assertNever } from '../../../core/index.ts';
import { type Finding, problem, warning } from './finding.ts';
import { type Failure, listed, nameOf, type Place } from './gathered.ts';
import type { Picture } from './picture.ts';

export function reachFindings({ gathered, home, told, elections }: Picture): readonly Finding[] {
  const isRecovered = told.some(({ diagnosis }) => diagnosis.recovery !== undefined);
  const voters = elections.flatMap((each) => each.voters);
  return gathered.places.flatMap((place) => {
    if (place.status !== null) return foreign(place, place.status.voterId);
    // The member answers elsewhere, so what is wrong is this URL.
    const found = home.find(({ status }) => place.named.some(({ id }) => id === status.voterId));
    const failure = place.failure!;
    if (found !== undefined && failure.kind !== 'refused')
      return [wrongUrl(place, WHAT[failure.kind] ?? failure.words, found.status.voterUrl)];
    // A recovery left it out: as it is, it would be refused.
    const isDropped = isRecovered && !place.named.some(({ id }) => voters.includes(id));
    return [absent(place, failure, isDropped)];
  });
}

/** For the others, the words of the failure say it. */
const WHAT: Readonly<Partial<Record<Failure['kind'], string>>> = {
  'nothing-there': 'nothing listens there',
  stopped: 'what is there accepts connections and does not answer',
  silent: 'nothing answers there',
  'no-member': 'what answers there is no member',
};

/** Another member answers under the URL than the one that is configured. */
function foreign(place: Place, id: string | number): readonly Finding[] {
  const wrong = place.named.filter((each) => each.id !== id);
  if (wrong.length === 0) return [];
  return [wrongUrl({ ...place, named: wrong }, `member ${id} answers there`, null)];
}

function wrongUrl({ url, named }: Place, what: string, right: string | null): Finding {
  const by = [...new Set(named.map((each) => String(each.by)))];
  const ids = [...new Set(named.map((each) => String(each.id)))];
  const next = right === null ? 'the URL under which it answers' : right;
  return problem(
    'wrong-url',
    `member ${listed(by)}`,
    `is configured with ${url} for member ${listed(ids)}, but ${what}`,
    `in the peers of ${listed(by)}, set the URL of ${listed(ids)} to ${next}, and restart ${listed(by)}`,
  );
}

function absent(place: Place, { kind, words }: Failure, isDropped: boolean): Finding {
  const name = nameOf(place);
  const { url } = place;
  switch (kind) {
    case 'nothing-there':
      return problem(
        'member-down',
        name,
        `does not run: nothing listens at ${url}`,
        isDropped
          ? `it is no member since the recovery. Empty its data folder, start it and add it: caucus member add ID URL; or take it out of the peers`
          : `start it; its log says why it ended (journalctl, or the log of its container). If it runs elsewhere, correct its URL at the other members. Before a start: caucus doctor --config FILE`,
      );
    case 'stopped':
      return problem(
        'member-stopped',
        name,
        `does not answer, although connections to ${url} are accepted: its process is stopped (SIGSTOP, a debugger, a frozen container) or its event loop is blocked`,
        `on its machine: ps -o pid,stat,cmd -C node. State T is stopped: kill -CONT PID. Otherwise restart it`,
      );
    case 'silent':
      return problem(
        'member-silent',
        name,
        `does not answer at ${url}, and no connection can be opened`,
        `check that its machine is up, and that no firewall drops packets to this port`,
      );
    case 'no-member':
      return problem(
        'not-a-member',
        name,
        `what answers at ${url} is no member of caucus (${words})`,
        `find out what listens there (ss -ltnp on that machine), and correct the port of the member or of that program`,
      );
    case 'certificate':
      return problem(
        'certificate',
        name,
        `its certificate at ${url} is not accepted: ${words}`,
        `caucus cert show FILE prints what is in a certificate; a new file is read by the member itself. The CA is given with --tls-ca`,
      );
    case 'unreachable':
      return problem(
        'member-unreachable',
        name,
        `cannot be reached at ${url}: ${words}`,
        `check the URL, the name of the host and the network between here and there`,
      );
    case 'refused':
      return warning(
        'no-access',
        name,
        `answers at ${url}, but not to this command: ${words}`,
        `give a token that may read with --token-file, and the URL of the member itself: the token goes only to URLs that were given or are configured`,
      );
    default:
      return assertNever(kind);
  }
}
