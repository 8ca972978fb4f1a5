/** The description of the API is held against the API: every path, every answer, every message. */
import fc from 'fast-check';
import { afterEach, describe, expect, it } from 'vitest';
import { describeApi } from '../../src/api/openapi.ts';
import { status } from '../../src/api/wire/index.ts';
import { EngineMember } from '../../src/cli/commands/node/engine-member.ts';
import { Memory } from '../../src/engines/memory/memory.ts';
import { catalogue } from '../../src/protocols/index.ts';
import { Cluster } from './cluster.ts';
import { violations } from './json-schema.ts';
import { type Answered, ask, openMembers, settled, type TestMember } from './test-member.ts';

type Schema = Record<string, unknown>;
interface Operation {
  readonly requestBody?: { readonly content: Record<string, { readonly schema: Schema }> };
  readonly responses: Record<string, { readonly content?: Record<string, { readonly schema: Schema }> }>;
}
interface Described {
  readonly paths: Record<string, Record<string, Operation>>;
  readonly schemas: Record<string, Schema>;
}

/** The description that a member of this protocol serves; null: a participant in an election on a store. */
function described(protocol: string | null): Described {
  const definition = protocol === null ? null : catalogue[protocol]!;
  const { paths, components } = describeApi({ url: 'http://127.0.0.1:1', definition });
  return { paths, schemas: components.schemas } as unknown as Described;
}

let members: TestMember[] = [];
let cluster = new Cluster();
afterEach(async () => {
  for (const member of members) await member.close();
  members = [];
  await cluster.closeAll();
  cluster = new Cluster();
});

/** The messages that a voter of seed 002 sends by POST. */
const SEED_MESSAGES = [
  'heartbeat',
  'reconcile',
  'election/start',
  'election/cast',
  'election/result',
  'election/certify',
];

/** The paths that were described before descriptions were derived, and that clients may have been written for. */
const LASTING = [
  ...[
    '/',
    '/elections',
    '/metrics',
    '/openapi.json',
    '/ui',
    '/status',
    '/cluster',
    '/history',
    '/watch',
    '/value',
  ],
  ...['/leader', '/primary', '/read-write', '/replica', '/read-only', '/health', '/liveness', '/readiness'],
  ...['/resign', '/transfer', '/switchover', '/register', '/remove', '/election/start'],
];

/** A path of the description as a request has it. */
function asked(path: string): string {
  return path.replace('{electionName}', 'main').replace('{file}', 'index.html');
}

describe('the description', () => {
  const everything = new Set(
    [null, ...Object.keys(catalogue)].flatMap((protocol) => Object.keys(described(protocol).paths)),
  );

  it.each(Object.keys(catalogue))(
    'of a member with %s has every path that it answers, and no other',
    async (protocol) => {
      members = await openMembers(['a'], { protocol });
      const { paths } = described(protocol);
      expect(Object.keys(paths)).toEqual(expect.arrayContaining(LASTING));
      const wrong: string[] = [];
      for (const path of everything) {
        const { status, headers } = await ask(members[0]!, 'PATCH', asked(path));
        const answered = status === 404 ? [] : headers.allow!.toLowerCase().split(', ');
        // Whatever answers GET answers HEAD and OPTIONS too, which is described only where it means something.
        const implied = answered.includes('get') ? ['head', 'options'] : [];
        const told = Object.keys(paths[path] ?? {}).filter((method) => method !== 'parameters');
        const differs =
          new Set([...told, ...implied, ...answered]).size !== new Set([...told, ...implied]).size;
        const extra = told.filter((method) => !answered.includes(method));
        if (differs || extra.length > 0)
          wrong.push(`${path}: answers ${answered}, is described with ${told}`);
      }
      expect(wrong).toEqual([]);
      const nowhere = await ask(members[0]!, 'PATCH', '/nowhere');
      expect(nowhere.status).toBe(404);
    },
  );

  it('is what a member serves', async () => {
    members = await openMembers(['a'], { protocol: 'draw' });
    const { json } = await ask(members[0]!, 'GET', '/openapi.json');
    expect(json.servers).toEqual([{ url: members[0]!.url }]);
    expect(json.paths).toEqual(JSON.parse(JSON.stringify(described('draw').paths)));
  });

  it.each([null, ...Object.keys(catalogue)])(
    'names only schemas that exist, and all of them: %s',
    (protocol) => {
      const { paths, schemas } = described(protocol);
      const text = JSON.stringify({ paths, schemas });
      const named = new Set([...text.matchAll(/#\/components\/schemas\/(\w+)/g)].map((match) => match[1]!));
      expect([...named].sort()).toEqual(Object.keys(schemas).sort());
    },
  );

  it('has the messages that the seed asks for', () => {
    const types = SEED_MESSAGES.map((type) => `/${type}`);
    expect(Object.keys(described('draw').paths)).toEqual(expect.arrayContaining(types));
  });
});

/** Holds one answer against the description of its path. */
function check({ paths, schemas }: Described, method: string, path: string, answered: Answered): void {
  const operation = paths[path]?.[method.toLowerCase()];
  expect(operation, `${method} ${path}`).toBeDefined();
  const response = operation!.responses[answered.status];
  expect(response, `${method} ${path} answered ${answered.status}: ${answered.text}`).toBeDefined();
  if (response!.content === undefined) {
    expect(answered.text).toBe('');
    return;
  }
  const type = answered.headers['content-type']!.split(';')[0]!;
  const schema = response!.content[type]?.schema;
  expect(schema, `${method} ${path} answered ${type}`).toBeDefined();
  const body = type === 'application/json' ? answered.json : answered.text;
  expect(violations(body, schema!, schemas), `${method} ${path} ${answered.text}`).toEqual([]);
}

const from = { voterId: 'v', voterUrl: 'http://127.0.0.1:9' };
const beat = { role: 'follower', leader: null, term: 0, election: 0, knownVoters: ['v'], offline: [] };

/** Requests that go well and others that do not, for a member of any protocol. */
const REQUESTS: readonly (readonly [method: string, path: string, body?: unknown])[] = [
  ...['/', '/elections', '/changes', '/metrics', '/diagnosis', '/openapi.json', '/ui', '/ui/{file}'].map(
    (path) => ['GET', path] as const,
  ),
  ...['/status', '/cluster', '/history', '/value'].map((path) => ['GET', path] as const),
  ...[
    '/leader',
    '/primary',
    '/read-write',
    '/replica',
    '/read-only',
    '/health',
    '/liveness',
    '/readiness',
  ].flatMap((path) => ['GET', 'HEAD', 'OPTIONS'].map((method) => [method, path] as const)),
  ['POST', '/register', from],
  ['POST', '/register', { voterId: 'v' }],
  ['POST', '/register', { ...from, voterUrl: 'http://example.org' }],
  ['POST', '/register', '{'],
  ['POST', '/heartbeat', { ...from, ...beat }],
  ['POST', '/heartbeat', { ...from, voterId: 'stranger', ...beat }],
  ['POST', '/election/start', {}],
  ['POST', '/election/start', { election: 'first' }],
  ['POST', '/transfer', { to: 'stranger' }],
  ['POST', '/transfer', {}],
  ['POST', '/switchover', { candidate: 'stranger', leader: 'stranger' }],
  ['PUT', '/value', { value: { a: [1, null] } }],
  ['PUT', '/value', { worth: 1 }],
  ['POST', '/resign', {}],
  ['POST', '/resign', { now: true }],
  ['POST', '/remove', { voterId: 'v' }],
  ['POST', '/remove', { voterId: 'v', voterUrl: 'http://127.0.0.1:1' }],
];

/** Only draw has these. */
const DRAW_REQUESTS: typeof REQUESTS = [
  ['POST', '/register', from],
  ['POST', '/reconcile', { ...from, knownVoters: ['v'] }],
  ['POST', '/election/start', { ...from, election: 50, voters: ['a', 'v'] }],
  [
    'POST',
    '/election/cast',
    { ...from, election: 51, voters: ['a', 'v'], round: 1, number: '18446744073709551615' },
  ],
  [
    'POST',
    '/election/cast',
    { ...from, election: 51, voters: ['a', 'v'], round: 1, number: '18446744073709551616' },
  ],
  ['POST', '/election/result', { ...from, election: 51, winner: 'v' }],
  ['POST', '/election/certify', { ...from, election: 51, winner: 'a' }],
  ['POST', '/remove', { ...from }],
];

describe('every answer', () => {
  for (const [protocol, requests] of [
    ['quorum', REQUESTS.filter(([, path]) => path !== '/heartbeat')],
    ['draw', [...REQUESTS, ...DRAW_REQUESTS]],
  ] as const) {
    it(`of a member with ${protocol} is as described`, async () => {
      const timing = protocol === 'draw' ? { heartbeatMs: 200, timeoutMs: [10, 20] } : undefined;
      members = await openMembers(['a'], { protocol, ...(timing === undefined ? {} : { timing }) });
      const [a] = members as [TestMember];
      await settled(members);
      const description = described(protocol);
      for (const [method, path, body] of requests) {
        check(description, method, path, await ask(a, method, asked(path), body));
        const named = `/elections/{electionName}${path}`;
        if (named in description.paths)
          check(description, method, named, await ask(a, method, asked(named), body));
      }
      const unheard = await ask(a, 'GET', '/elections/unheard/status');
      check(description, 'GET', '/elections/{electionName}/status', unheard);
      const large = await ask(a, 'PUT', '/value', { value: 'x'.repeat(300_000) });
      expect(large.status).toBe(413);
      check(description, 'PUT', '/value', large);
      const form = await ask(a, 'PUT', '/value', 'a=1', { 'content-type': 'text/plain' });
      expect(form.status).toBe(415);
      check(description, 'PUT', '/value', form);
    });
  }
});

describe('real members', () => {
  it.each(['quorum', 'draw', 'bully', 'ring'])('with %s answer as is described', async (protocol) => {
    await cluster.open([1, 2, 3], { protocol });
    const description = described(protocol);
    const questions = Object.entries(description.paths).filter(
      ([path, { get }]) => get !== undefined && !path.endsWith('/watch'),
    );
    expect(questions.length).toBeGreaterThan(20);
    for (const [path] of questions)
      check(description, 'GET', path, await ask(cluster.members[1]!, 'GET', asked(path)));
    for (const path of ['/resign', '/transfer', '/election/start'])
      check(
        description,
        'POST',
        path,
        await ask(cluster.members[0]!, 'POST', path, path === '/transfer' ? { to: '2' } : {}),
      );
  });

  it('may be participants in an election on a store, whose names are any text', async () => {
    const engine = new Memory().engine({ name: 'host/1@[::1]' });
    const participant = new EngineMember(engine, 'main', 'memory');
    await participant.listen('127.0.0.1', 0);
    const leadership = await participant.election().campaign();
    const description = described(null);
    const questions = Object.entries(description.paths).filter(
      ([path, { get }]) => get !== undefined && !path.endsWith('/watch'),
    );
    for (const [path] of questions)
      check(description, 'GET', path, await ask(participant, 'GET', asked(path)));
    const { json } = await ask(participant, 'GET', '/status');
    expect(status.read(json, '')).toMatchObject({ leader: 'host/1@[::1]', acting: true });
    for (const path of ['/transfer', '/election/start', '/register', '/remove', '/resign'])
      check(description, 'POST', path, await ask(participant, 'POST', path, {}));
    await leadership.resign();
    await participant.close();
  });
});

/** Values of which some fit some field. */
const anything = fc.oneof(
  fc.constantFrom<unknown>(
    0,
    1,
    7,
    -1,
    1.5,
    '',
    'a',
    'a b',
    '12',
    '01',
    null,
    true,
    'leader',
    'none',
    'king',
  ),
  fc.constantFrom<unknown>('18446744073709551615', '99999999999999999999', 'no-answer'),
  fc.constantFrom<unknown>([], [1, 'a'], [null], ['a', 'a b'], {}, { a: 1 }),
);

/** One good message of each type: what is generated differs from it here and there. */
const GOOD: Readonly<Record<string, Record<string, unknown>>> = {
  remove: { voterId: 'v', reason: 'no-answer' },
  heartbeat: beat,
  reconcile: { knownVoters: [1, 'a'] },
  'election/start': { election: 3, voters: ['a', 'v'] },
  'election/cast': { election: 3, voters: ['a', 'v'], round: 1, number: '17' },
  'election/result': { election: 3, winner: 'a' },
  'election/certify': { election: 3, winner: 'a' },
};

describe('the described messages', () => {
  it.each(['remove', ...SEED_MESSAGES])('are those that the protocol takes: %s', (type) => {
    const { paths, schemas } = described('draw');
    const operation = paths[`/${type}`]!.post!;
    const schema = operation.requestBody!.content['application/json']!.schema;
    const shape = catalogue.draw!.messages[type]!;
    const names = Object.keys(shape.fields!);
    const seen = { taken: 0, refused: 0 };
    const changed = fc.dictionary(fc.constantFrom(...names, 'other'), anything, { maxKeys: 2 });
    const left = fc.subarray(names, { maxLength: 1 });
    fc.assert(
      fc.property(changed, left, (changes, without) => {
        const own: Record<string, unknown> = { ...GOOD[type]!, ...changes };
        for (const name of without) delete own[name];
        const isTaken = takes(() => shape.read(own, ''));
        // With a sender: without one, a body may be that of the command at the same path.
        const body = type === 'remove' ? own : { ...from, ...own };
        // 64 bits are more than a pattern of digits can say.
        const isTooLarge = own.number === '99999999999999999999';
        const isDescribed = violations(body, schema, schemas).length === 0 && !isTooLarge;
        expect([isDescribed, own]).toEqual([isTaken, own]);
        seen[isTaken ? 'taken' : 'refused'] += 1;
      }),
      { numRuns: 3000, seed: 1 },
    );
    expect(Math.min(seen.taken, seen.refused)).toBeGreaterThan(100);
  });
});

function takes(read: () => unknown): boolean {
  try {
    read();
    return true;
  } catch {
    return false;
  }
}
