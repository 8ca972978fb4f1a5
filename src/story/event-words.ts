import type { Json, MemberId, Message } from '../core/index.ts';
import { membersIn } from './groups.ts';
import { fieldWords, isLink, isPassage, linkWords, passageWords } from './link-words.ts';
import { nameMembers } from './names.ts';
import { grouped } from './numbers.ts';
import type { EventScene } from './scene.ts';
import { skipWords } from './skip-words.ts';
import { shorten, type Vocabulary } from './vocabulary.ts';

type Event = EventScene['event'];

/** Events outside the members, in words: the same event for each of these scenes. */
export function eventWords(scenes: readonly EventScene[], vocabulary: Vocabulary): string {
  const { event, about } = scenes[0]!;
  const all = vocabulary.members;
  if (event.skipped !== undefined) return skipWords(event);
  const events = scenes.map((scene) => scene.event);
  if (isLink(event)) return linkWords(events, all);
  if (isPassage(event)) return passageWords(events, all);
  const members = membersIn(scenes);
  const who = nameMembers(members, all);
  const isMany = members.length > 1 && who !== 'everybody';
  const verb = (one: string, more: string): string => `${who} ${isMany ? more : one}`;
  switch (event.do) {
    case 'crash':
      return verb('crashes', 'crash');
    case 'restart': {
      const its = isMany ? 'their disks' : 'its disk';
      const disk = event.amnesia ? 'an empty disk' : event.disk === 'restored' ? `a backup of ${its}` : its;
      if (event.crashed === true) return `${verb('crashes and restarts', 'crash and restart')} with ${disk}`;
      return `${verb('restarts', 'restart')} with ${disk}`;
    }
    case 'backup':
      return verb('backs its disk up', 'back their disks up');
    case 'twin': {
      const disk = event.disk === 'copied' ? 'a copy of its disk' : 'an empty disk';
      const peers = event.with as readonly MemberId[] | undefined;
      const apart =
        peers === undefined
          ? ''
          : `; only ${nameMembers(peers, [])} can talk with it, and not with ${event.of}`;
      return `${event.member}, a second process of ${event.of}, starts on ${disk}${apart}`;
    }
    case 'boot':
      return verb('is new', 'are new');
    case 'pause':
      return verb('stops as with SIGSTOP', 'stop as with SIGSTOP');
    case 'resume':
      return verb('goes on', 'go on');
    case 'torn-record':
      return `the last record of ${who} was torn`;
    case 'lost-record':
      return `the last record of ${who} was lost`;
    case 'refused':
      return `the store of ${who} refuses the disk: ${event.reason}`;
    case 'disk':
      return diskWords(event, who, isMany);
    case 'clock':
      return clockWords(event, who, isMany);
    case 'network': {
      const { do: _, member, ...fields } = event;
      return `network${member === undefined ? '' : ` of ${who}`}: ${fieldWords(fields)}`;
    }
    case 'evidence':
      return `${verb('is', 'are')} told that ${event.earlier ? `the earlier process of ${event.peer}` : event.peer} is ${event.gone ? 'gone' : 'back'}${event.proof ? ' (proof)' : ''}`;
    case 'fire':
      return `timer ${event.timer} of ${who} comes due`;
    case 'inject': {
      const to = nameMembers(
        scenes.map((scene) => scene.event.to as MemberId),
        all,
      );
      return `forged: ${event.from} → ${to} ${vocabulary.describeFully(event.message as unknown as Message)}`;
    }
    case 'campaign':
    case 'resign':
      return `${verb('is', 'are')} asked to ${event.do}`;
    case 'transfer':
      return `${verb('is', 'are')} asked to hand over to ${event.to}`;
    case 'publish':
      return `${verb('is', 'are')} asked to publish ${shorten(event.value ?? null)}`;
    case 'reconfigure':
      return `${verb('is', 'are')} asked to use other times: ${shorten(event.timing ?? event.options ?? null)}`;
    case 'add':
    case 'remove':
      return `${event.asked} is asked to ${event.do} ${event.member}`;
    case 'answer': {
      const outcome = event.status === 'done' ? 'done' : `${event.status}, ${event.reason}`;
      return `${verb('answers', 'answer')}: ${about ?? 'command'} ${outcome}`;
    }
    default:
      return networkWords(event, all);
  }
}

/** Events of the whole network, and orders about future messages. */
function networkWords(event: Event, all: readonly MemberId[]): string {
  switch (event.do) {
    case 'partition':
      return `partition: ${(event.groups as MemberId[][]).map((group) => nameMembers(group, [])).join(' | ')}`;
    case 'heal':
      return 'every link heals';
    case 'hold':
    case 'drop':
    case 'duplicate': {
      const next = event.next as number;
      const what = `${next === 1 ? '' : `${grouped(next)} `}${event.type ?? (next === 1 ? 'message' : 'messages')}`;
      return `${event.do}: the next ${what}${nameEnd('from', event.from, all)}${nameEnd('to', event.to, all)}`;
    }
    default: {
      const { do: what, ...fields } = event;
      const words = fieldWords(fields);
      return words === '' ? what : `${what}: ${words}`;
    }
  }
}

function nameEnd(end: string, ids: Json | undefined, all: readonly MemberId[]): string {
  return ids === undefined ? '' : ` ${end} ${nameMembers(ids as MemberId[], all)}`;
}

function diskWords({ fault }: Event, who: string, isMany: boolean): string {
  const disk = who === 'everybody' ? 'every disk' : isMany ? `the disks of ${who}` : `the disk of ${who}`;
  switch (String(fault)) {
    case 'full':
      return `${disk} ${isMany ? 'are' : 'is'} full`;
    case 'stall':
      return `${disk} ${isMany ? 'stall' : 'stalls'}`;
    case 'torn':
      return `the next crash of ${who} may tear the last record`;
    case 'lose-unsynced':
      return `the next crash of ${who} will lose what is not yet durable`;
    case 'flip':
      return `bits flip on ${disk}`;
    case 'lose-sectors':
      return `sectors of ${disk} are lost`;
    default:
      return `${disk} ${isMany ? 'work' : 'works'} again`;
  }
}

/** The event always contains the rate. */
function clockWords({ rate, jumpMs }: Event, who: string, isMany: boolean): string {
  const clock = who === 'everybody' ? 'every clock' : isMany ? `the clocks of ${who}` : `the clock of ${who}`;
  const runs = `${isMany ? 'run' : 'runs'} at ${rate} times the usual rate`;
  if (jumpMs === 0) return `${clock} ${runs}`;
  const jumps = `${isMany ? 'jump' : 'jumps'} by ${grouped(jumpMs as number)} ms`;
  return `${clock} ${jumps}${rate === 1 ? '' : ` and ${runs}`}`;
}
