/** The tokens of operators, and the table of what each path needs. */
import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import type { LeasePort } from '../../src/api/leases.ts';
import { describeApi } from '../../src/api/openapi.ts';
import { judge, NEEDS, needsOf, parseTokens, Tokens, tokenOptions } from '../../src/auth/index.ts';
import { catalogue } from '../../src/protocols/index.ts';

const OLD = 'an-old-token-of-alice-0001';
const NEW = 'a-new-token-of-alice-00002';

const access = (text: string, closed = false, isOpen = true) => ({
  tokens: new Tokens(tokenOptions.read(text === '' ? [] : parseTokens(text, 'file'), 'tokens')),
  closed,
  isOpen,
});

describe('the tokens of operators', () => {
  it('are read from lines, kept as digests, and found by what is sent', () => {
    const sha = createHash('sha256').update(OLD).digest('hex');
    const list = parseTokens(
      `# people\n\nalice operate sha256:${sha}\nalice operate ${NEW}\nprom read ${NEW}x\n`,
      'f',
    );
    expect(JSON.stringify(list)).not.toContain(NEW);
    const tokens = new Tokens(tokenOptions.read(list, 'tokens'));
    expect(tokens.find(OLD)?.name).toBe('alice');
    expect(tokens.find(NEW)?.name).toBe('alice');
    expect(tokens.find(`${NEW}x`)).toMatchObject({ name: 'prom', roles: ['read'] });
    for (const wrong of ['', sha, `${OLD} `, OLD.slice(1), OLD.toUpperCase()])
      expect(tokens.find(wrong)).toBeNull();
    expect(parseTokens(`a operate ${OLD}; b read ${NEW}`, 'CAUCUS_TOKENS').map(({ name }) => name)).toEqual([
      'a',
      'b',
    ]);
  });

  it.each([
    ['', 'f: expected at least one token, as NAME ROLE[,ROLE] TOKEN, found none'],
    ['alice operate', 'f line 1: expected NAME ROLE[,ROLE] TOKEN, found 2 words'],
    [
      '#\nalice operate short',
      'f line 2: expected a token: 16 to 512 of A-Z a-z 0-9 - . _ ~ + / and then at most two =, found a text of 5 characters',
    ],
    [
      `alice ${OLD} operate`,
      'f line 1: expected the roles read, operate, lead or chaos, found a text of 26 characters',
    ],
    [
      `alice peer ${OLD}`,
      'f line 1: expected the roles read, operate, lead or chaos, found peer: members authenticate with a secret or certificates',
    ],
    [
      `-${OLD} operate alice`,
      'f line 1: expected a name of up to 64 letters, digits and _ . @ -, found a text of 27 characters',
    ],
    [
      'alice operate sha256:12',
      'f line 1: expected the SHA-256 of a token: 64 hexadecimal digits, found a text of 2 characters',
    ],
    [
      `a operate ${OLD}\nb operate ${OLD}`,
      'f: expected a token that no other entry has, found that of another entry ("b")',
    ],
    [
      `a operate ${OLD}\na operate ${NEW}\na operate ${NEW}3`,
      'f: expected each name at most twice, for an old and a new token, found "a"',
    ],
  ])('are refused in one line that shows none: %j', (text, message) => {
    expect(() => parseTokens(text, 'f')).toThrow(message);
    try {
      parseTokens(text, 'f');
    } catch (error) {
      expect((error as Error).message).toBe(message);
      expect((error as Error).message).not.toContain(OLD);
    }
  });
});

describe('the table of paths', () => {
  it('knows every path of the API, and no other', () => {
    const described = new Set<string>();
    const answered = new Set<string>();
    for (const name of ['draw', 'quorum', 'bully']) {
      const definition = catalogue[name]!;
      const { paths } = describeApi({ url: 'http://127.0.0.1:1', definition, leases: {} as LeasePort });
      for (const [path, item] of Object.entries(paths)) {
        if (path.startsWith('/elections/')) continue;
        for (const method of Object.keys(item).filter((each) => ['get', 'post', 'put'].includes(each))) {
          const key = `${method.toUpperCase()} ${path}`;
          answered.add(key);
          if (NEEDS.some(([m, p]) => `${m} ${p}` === key)) described.add(key);
          // What is in no table is a message of the protocol.
          else expect([key, needsOf('POST', path, true)]).toEqual([key, ['peer']]);
        }
      }
    }
    const ofUp = NEEDS.filter(([, path]) => path.startsWith('/fleet')).map(([m, p]) => `${m} ${p}`);
    expect(NEEDS.map(([m, p]) => `${m} ${p}`).sort()).toEqual([...described, ...ofUp].sort());
  });

  /** The role of each path is said twice, so that none is opened by a slip. What is in no list here is `read`. */
  it('opens health checks and the page only, and keeps commands for operators', () => {
    const needing = (need: string): string[] =>
      NEEDS.filter((each) => each[2] === need).map(([method, path]) => `${method} ${path}`);
    const health = ['leader', 'primary', 'read-write', 'replica', 'read-only'];
    const open = [...health, 'health', 'liveness', 'readiness', 'ui', 'ui/{file}'];
    const commands = ['election/start', 'resign', 'transfer', 'switchover', 'remove'];
    expect(needing('open')).toEqual(open.map((path) => `GET /${path}`));
    const membership = ['members/add', 'members/remove', 'members/replace', 'drain', 'pause', 'resume'];
    const posts = (paths: readonly string[]): string[] => paths.map((path) => `POST /${path}`);
    expect(needing('operate')).toEqual([...posts(commands), 'PUT /value', ...posts(membership)]);
    expect(needing('peer')).toEqual(['POST /register', 'POST /witness']);
    expect(needing('chaos')).toEqual(['kill', 'pause', 'resume', 'start'].map((act) => `POST /fleet/${act}`));
    const leases = ['take', 'renew', 'release', 'publish', 'ask'];
    expect(needing('lead')).toEqual(leases.map((act) => `POST /leases/${act}`));
    const posted = needing('read').filter((each) => !each.startsWith('GET /'));
    expect(posted).toEqual(['POST /leases/read', 'POST /leases/watch']);
  });

  it('needs what changes something for a path that it does not know', () => {
    expect(needsOf('POST', '/new', false)).toEqual(['operate']);
    expect(needsOf('DELETE', '/status', false)).toEqual(['operate']);
    expect(needsOf('GET', '/new', false)).toEqual(['read']);
    expect(needsOf('HEAD', '/leader', false)).toEqual(['open']);
    expect(needsOf('POST', '/resign', true)).toEqual(['operate', 'peer']);
  });
});

describe('the decision', () => {
  const why = (
    given: ReturnType<typeof access>,
    need: 'open' | 'read' | 'operate' | 'chaos',
    sent: string | null,
  ) => {
    const verdict = judge(given, need, sent);
    return verdict.isGranted ? (verdict.token?.name ?? 'open') : verdict.why;
  };

  it('leaves everything but chaos open on the loopback without tokens', () => {
    const none = access('');
    expect((['open', 'read', 'operate', 'chaos'] as const).map((need) => why(none, need, null))).toEqual([
      'open',
      'open',
      'open',
      'shut',
    ]);
    expect(why(access('', false, false), 'operate', null)).toBe('shut');
  });

  it('asks for a token as soon as there is one', () => {
    const given = access(`alice operate ${OLD}\nprom read ${NEW}`);
    expect([null, 'wrong-token-wrong-token', NEW, OLD].map((sent) => why(given, 'operate', sent))).toEqual([
      'missing',
      'unknown',
      'role',
      'alice',
    ]);
    expect(why(given, 'read', null)).toBe('open');
    expect(why(given, 'chaos', OLD)).toBe('shut');
    // A member that tells readers apart lets no stranger operate.
    expect(why(access(`prom read ${NEW}`), 'operate', null)).toBe('shut');
  });

  it('asks readers too where it is closed, never for health', () => {
    const given = access(`alice operate ${OLD}\nprom read ${NEW}`, true);
    expect([null, NEW, OLD].map((sent) => why(given, 'read', sent))).toEqual(['missing', 'prom', 'alice']);
    expect(why(given, 'open', null)).toBe('open');
  });
});
