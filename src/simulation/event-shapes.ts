/** The fields of each event of a scenario. */
import {
  anyJson,
  asObject,
  BadInput,
  type Config,
  choice,
  type Definition,
  durationMs,
  flag,
  type Json,
  join,
  listOf,
  type MemberId,
  type Message,
  memberId,
  natural,
  number,
  optional,
  type Shape,
  show,
  text,
} from '../core/index.ts';
import { allOptional, quality } from './quality-shapes.ts';
import { isSelector, readNewId, SELECTORS, type Selector } from './selectors.ts';

export type Fields = Readonly<Record<string, Shape<unknown>>>;

export function eventShapes(
  definition: Definition,
  config: Config,
  ids: readonly MemberId[],
): Readonly<Record<string, Fields>> {
  const who: Shape<Selector> = {
    expected: `one of the members ${ids.slice(0, 8).join(', ')}${ids.length > 8 ? ', …' : ''}, or ${SELECTORS.join(', ')}`,
    read(value, path) {
      if (ids.includes(value as MemberId) || isSelector(value)) return value as Selector;
      throw new BadInput(path, this.expected, show(value));
    },
  };
  const maybe = optional(who);
  const list = listOf(who);
  const match: Fields = {
    from: maybe,
    to: maybe,
    type: optional(messageType(definition, definition.formerMessages)),
    count: maybePositive,
  };
  const order: Fields = { ...match, flight: maybeNatural };
  return {
    crash: { member: who, twin: maybeFlag },
    restart: { member: who, amnesia: maybeFlag, disk: maybeFound, address: maybeAddress },
    backup: { member: who },
    twin: { member: who, disk: emptyOrCopied, with: optional(list) },
    pause: { member: who },
    resume: { member: who },
    partition: { groups: listOf(list) },
    cut: { from: who, to: who, oneWay: maybeFlag },
    heal: { from: maybe, to: maybe, oneWay: maybeFlag },
    network: { member: maybe, from: maybe, to: maybe, ...maybeQuality },
    hold: order,
    release: { ...match, nth: maybePositive, copy: maybeFlag },
    drop: order,
    duplicate: order,
    inject: { from: memberId, to: who, message: messageOf(definition) },
    fire: { member: who, timer: timerName },
    clock: { member: who, rate: maybeRate, jumpMs: maybeJump },
    disk: { member: who, fault: diskFault },
    evidence: { member: who, peer: who, gone: flag, proof: maybeFlag, twin: maybeFlag, earlier: maybeFlag },
    reset: { from: who, to: who, half: maybeFlag },
    stranger: { as: who, to: who, says: sayings, forMs: durationMs, silent: maybeFlag },
    campaign: { member: who },
    resign: { member: who },
    transfer: { to: who, member: maybe },
    publish: { value: anyJson, member: maybe },
    reconfigure: {
      timing: settable('timing', definition, config),
      options: settable('options', definition, config),
      member: maybe,
    },
    add: { member: newId },
    remove: { member: who },
  };
}

const newId: Shape<MemberId> = { expected: memberId.expected, read: readNewId };

const positive: Shape<number> = {
  expected: 'a whole number from 1',
  read(value, path) {
    if (Number.isSafeInteger(value) && (value as number) >= 1) return value as number;
    throw new BadInput(path, this.expected, show(value));
  },
};

// A swarm reads a scenario for every run, so what depends on none of them is made once.
const maybeFlag = optional(flag);
const maybeNatural = optional(natural);
const maybePositive = optional(positive);
const maybeFound = optional(choice('kept', 'lost', 'restored', 'kept-or-lost'));
const maybeAddress = optional(text(100));
const maybeRate = optional(number(0.001, 1000));
const maybeJump = optional(number(-1e12, 1e12));
const maybeQuality = allOptional(quality);
const emptyOrCopied = choice('empty', 'copied');
const timerName = text(100);
const diskFault = choice('stall', 'full', 'torn', 'lose-unsynced', 'flip', 'lose-sectors', 'none');
const sayings = choice('same', 'other-life', 'other-pid');

function messageType(definition: Definition, former: readonly string[] = []): Shape<string> {
  const types = Object.keys(definition.messages);
  return {
    expected: `one of ${types.join(', ')}`,
    read(value, path) {
      if (types.includes(value as string) || former.includes(value as string)) return value as string;
      throw new BadInput(path, this.expected, show(value));
    },
  };
}

/** Times, or options, that an operator can set beside these. */
function settable(
  what: 'timing' | 'options',
  { retiming }: Definition,
  config: Config,
): Shape<Json | undefined> {
  return optional({
    expected: what === 'timing' ? 'a preset, or times' : 'options by name',
    read(value, path) {
      try {
        retiming?.change(config, null, { [what]: value });
      } catch (error) {
        if (!(error instanceof BadInput)) throw error;
        throw new BadInput(path + error.path.slice(what.length), error.expected, error.found);
      }
      return anyJson.read(value, path);
    },
  });
}

/** A message of the protocol: a forged one must still be well-formed. */
function messageOf(definition: Definition): Shape<Message> {
  return {
    expected: `a message of ${definition.name}`,
    read(value, path) {
      const { type, ...fields } = asObject(value, path);
      const known = messageType(definition).read(type, join(path, 'type'));
      return { type: known, ...definition.messages[known]!.read(fields, path) };
    },
  };
}

/** Checks that involve more than one field. */
export function checkTogether(event: Record<string, unknown>, path: string): void {
  const has = (field: string): boolean => event[field] !== undefined;
  switch (event.do) {
    case 'restart':
      if (has('amnesia') && has('disk'))
        throw new BadInput(join(path, 'amnesia'), 'either disk or amnesia', 'both');
      return;
    case 'evidence':
      if (event.earlier !== true) return;
      if (event.twin === true) throw new BadInput(join(path, 'earlier'), 'either twin or earlier', 'both');
      if (event.gone !== true) throw new BadInput(join(path, 'gone'), 'true, with earlier', 'false');
      return;
    case 'heal':
    case 'network':
      if (has('from') !== has('to')) {
        throw new BadInput(join(path, has('from') ? 'to' : 'from'), 'both ends of the link', 'nothing');
      }
      if (has('member') && has('from'))
        throw new BadInput(join(path, 'member'), 'either a member or a link', 'both');
      return;
    case 'hold':
    case 'drop':
    case 'duplicate': {
      const other = ['from', 'to', 'type', 'count'].find(has);
      if (has('flight') && other !== undefined) {
        throw new BadInput(join(path, other), 'either a message on its way or messages to come', 'both');
      }
      return;
    }
    case 'clock':
      if (!has('rate') && !has('jumpMs')) throw new BadInput(path, 'a rate or jumpMs', 'neither');
      return;
    case 'cut':
    case 'reset':
      if (event.from === event.to && !isSelector(event.from)) {
        throw new BadInput(join(path, 'to'), 'another member than from', show(event.to));
      }
      return;
    case 'inject':
      if (event.from === event.to)
        throw new BadInput(join(path, 'to'), 'another member than from', show(event.to));
      return;
    case 'partition': {
      const named = (event.groups as MemberId[][]).flat().filter((id) => !isSelector(id));
      const twice = named.find((id, i) => named.indexOf(id) < i);
      if (twice !== undefined)
        throw new BadInput(join(path, 'groups'), 'each member in one group', `${show(twice)} twice`);
    }
  }
}
