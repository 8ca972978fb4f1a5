/** The secret of a cluster on the command line: where it comes from, what it allows, and where it never shows. */
import type { ChildProcess } from 'node:child_process';
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { freePorts } from '../support/free-ports.ts';
import { type Ended, end, start } from './caucus.ts';

const OLD = 'the-old-secret-of-a-cluster';
const NEW = 'the-new-secret-of-a-cluster';
const NONE = { CAUCUS_SECRET: '', CAUCUS_SECRET_FILE: '' };
// A busy machine takes no lead away at these times.
const calm = ['--timing', 'timeoutMs=[3000,4000]'];

let folder: string;
const children: ChildProcess[] = [];
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'caucus-secret-'));
});
afterEach(async () => {
  for (const child of children.splice(0)) {
    if (child.exitCode !== null || child.signalCode !== null) continue;
    const gone = new Promise((resolve) => child.once('exit', resolve));
    child.kill('SIGTERM');
    await gone;
  }
  rmSync(folder, { recursive: true, force: true });
});

function file(name: string, text: string, mode = 0o600): string {
  const at = path.join(folder, name);
  writeFileSync(at, text);
  chmodSync(at, mode);
  return at;
}

function caucus(args: readonly string[], env: NodeJS.ProcessEnv = {}): Promise<Ended> {
  const child = start(args, undefined, { ...NONE, ...env });
  const ended = end(child);
  child.stdin!.end();
  return ended;
}

// biome-ignore lint/suspicious/noExplicitAny: tests look at whatever was printed.
type Printed = any;

/** A process of `caucus` with `--json` whose log can be waited for. */
class Process {
  readonly lines: Printed[] = [];
  readonly child: ChildProcess;
  readonly #waiting = new Set<() => void>();

  constructor(args: readonly string[], env: NodeJS.ProcessEnv = {}) {
    this.child = start(args, undefined, { ...NONE, ...env });
    children.push(this.child);
    for (const input of [this.child.stdout!, this.child.stderr!]) {
      createInterface({ input }).on('line', (line) => {
        this.lines.push(line.startsWith('{') ? JSON.parse(line) : { event: 'text', text: line });
        for (const look of [...this.#waiting]) look();
      });
    }
  }

  seen(fits: (line: Printed) => boolean): Promise<Printed> {
    return new Promise((resolve) => {
      const look = (): void => {
        const found = this.lines.find(fits);
        if (found === undefined) return;
        this.#waiting.delete(look);
        resolve(found);
      };
      this.#waiting.add(look);
      look();
    });
  }

  told(words: RegExp): Promise<Printed> {
    return this.seen(({ text }) => words.test(text));
  }

  shown(): string {
    return JSON.stringify(this.lines);
  }
}

async function cluster(env: (id: string) => NodeJS.ProcessEnv, ...more: string[]): Promise<Process[]> {
  const ids = ['a', 'b', 'c'];
  const ports = await freePorts(ids.length);
  const peers = ids.map((id, i) => `${id}=http://127.0.0.1:${ports[i]}`).join(',');
  return ids.map(
    (id) => new Process(['node', '--json', '--id', id, '--peers', peers, ...calm, ...more], env(id)),
  );
}

/** All members name one leader, which acts. */
async function led(members: readonly Process[]): Promise<Process> {
  await Promise.all(members.map((each) => each.told(/leads with token/)));
  const leader = await Promise.race(
    members.map((each) => each.seen(({ event }) => event === 'acting').then(() => each)),
  );
  return leader;
}

describe('members with a secret', () => {
  it('change it while they run, by a change of the file and by SIGHUP, and the leader stays', async () => {
    const secrets = new Map(['a', 'b', 'c'].map((id) => [id, file(id, `# of the cluster\n${OLD}\n`)]));
    const members = await cluster((id) => ({ CAUCUS_SECRET_FILE: secrets.get(id)! }));
    await led(members);
    for (const [stage, lines] of [
      ['both', `${OLD}\n${NEW}\n`],
      ['the other first', `${NEW}\n${OLD}\n`],
      ['new', `${NEW}\n`],
    ] as const) {
      for (const [i, id] of ['a', 'b', 'c'].entries()) {
        const member = members[i]!;
        const before = member.lines.filter(({ text }) => /the secret is now/.test(text)).length;
        file(id, lines);
        // A change is seen within a second or two; a signal makes it at once.
        if (stage !== 'both') member.child.kill('SIGHUP');
        await member.seen(
          () => member.lines.filter(({ text }) => /the secret is now/.test(text)).length > before,
        );
      }
    }
    // A file that cannot be used changes nothing.
    file('a', 'short\n');
    members[0]!.child.kill('SIGHUP');
    // It may have been read once while it was empty.
    const kept = await members[0]!.told(/the secrets stay as they were.* of 5 characters/);
    expect(kept.text).toMatch(/secretFile .*: expected a secret of 16 to 512 .*, found one of 5 characters/);
    for (const member of members) {
      expect(member.lines.filter(({ event }) => event === 'idle')).toEqual([]);
      expect(member.lines.filter(({ text }) => /is closed|is refused/.test(text))).toEqual([]);
      for (const text of [OLD, NEW]) expect(member.shown()).not.toContain(text);
      expect(readFileSync(`/proc/${member.child.pid}/cmdline`, 'utf8')).not.toMatch(/secret-of/);
    }
  });

  it('say which member has another one, and which has none, and go on without it', async () => {
    const members = await cluster((id) => ({ CAUCUS_SECRET: id === 'c' ? NEW : OLD }));
    const stranger = members[2]!;
    await members[0]!.told(
      /member "?c"? has another secret than this member; give all members the same secret/,
    );
    await stranger.told(/has another secret than this member/);
    for (const member of members) expect(member.shown()).not.toMatch(/secret-of/);
  });
});

describe('the secret', () => {
  it('lets a member listen beyond the loopback, where commands need a token then', async () => {
    const secret = file('secret', `${OLD}\n`);
    const alone = ['node', '--json', '--id', 'a', '--listen', '0.0.0.0:0', ...calm];
    const refused = await caucus(alone);
    expect([refused.code, refused.stderr]).toEqual([
      2,
      'caucus: --listen: expected a loopback address, or certificates (--tls-cert) or a secret (--secret-file) for all members, by which they authenticate, or --insecure, found "0.0.0.0"\n',
    ]);
    const member = new Process([...alone, '--secret-file', secret]);
    await member.seen(({ event }) => event === 'acting');
    const { url } = await member.seen(({ event }) => event === 'ready');
    const port = new URL(url).port;
    const answer = await fetch(`http://127.0.0.1:${port}/resign`, { method: 'POST' });
    expect(answer.status).toBe(403);
    expect((await fetch(`http://127.0.0.1:${port}/leader`)).status).toBe(200);
  });

  it('is printed as a fingerprint, the same for all who have it', async () => {
    const secret = file('secret', `${OLD}\n${NEW}\n`);
    const print = ['node', '--print-config', '--id', 'a'];
    const byFlag = await caucus([...print, '--secret-file', secret]);
    const line = (out: string): string | undefined =>
      out.split('\n').find((each) => each.startsWith('secret '));
    expect(line(byFlag.stdout)).toMatch(
      /^secret +"\*\*\* \(fingerprint [0-9a-f]{8}, [0-9a-f]{8}\)" .*\/secret$/,
    );
    const byVariable = await caucus(print, { CAUCUS_SECRET: `${OLD} ${NEW}` });
    const prints = (out: string): string => /fingerprint ([^)]*)/.exec(out)![1]!;
    expect(prints(byVariable.stdout)).toBe(prints(byFlag.stdout));
    const byFile = await caucus([
      ...print,
      '--config',
      file('member.json', JSON.stringify({ secretFile: secret })),
    ]);
    expect(prints(byFile.stdout)).toBe(prints(byFlag.stdout));
    for (const { stdout, stderr } of [byFlag, byVariable, byFile])
      expect(stdout + stderr).not.toMatch(/secret-of/);
  });

  it('is refused at the start in one line that does not show it', async () => {
    const open = file('open', `${OLD}\n`, 0o644);
    const cases: [args: string[], env: NodeJS.ProcessEnv, message: string][] = [
      [
        ['--secret-file', open],
        {},
        `--secret-file: expected ${open} with access for its owner only (chmod 600 ${open}), found mode 0644`,
      ],
      [
        ['--secret-file', path.join(folder, 'none')],
        {},
        `--secret-file: expected a file that can be read, found ${path.join(folder, 'none')}: there is no such file`,
      ],
      [
        [],
        { CAUCUS_SECRET_FILE: file('empty', '\n# none\n') },
        `CAUCUS_SECRET_FILE: expected a secret in ${path.join(folder, 'empty')}, one on each line, found none`,
      ],
      [
        [],
        { CAUCUS_SECRET: 'short' },
        'CAUCUS_SECRET: expected a secret of 16 to 512 printable ASCII characters without blanks, found one of 5 characters',
      ],
      [
        ['--secret-file', file('three', `${OLD}\n${NEW}\n${NEW}2\n`)],
        {},
        `--secret-file: ${path.join(folder, 'three')}: expected one secret, or two while one replaces the other, found 3`,
      ],
    ];
    const ended = await Promise.all(cases.map(([args, env]) => caucus(['node', '--id', 'a', ...args], env)));
    expect(ended.map(({ code, stderr }) => [code, stderr])).toEqual(
      cases.map(([, , message]) => [2, `caucus: ${message}\n`]),
    );
  });

  it('is not given to the command of caucus run', async () => {
    const args = ['run', '--id', 'a', '--settle', '0', ...calm, '--', 'sh', '-c', 'env'];
    const { code, stdout } = await caucus(args, { CAUCUS_SECRET: OLD });
    expect([code, stdout.includes('CAUCUS_TOKEN=')]).toEqual([0, true]);
    expect(stdout).not.toMatch(/CAUCUS_SECRET|secret-of/);
    const named = await caucus(args, { CAUCUS_SECRET_FILE: file('secret', OLD) });
    expect([named.code, /CAUCUS_SECRET/.test(named.stdout)]).toEqual([0, false]);
  });
});

describe('caucus up', () => {
  it('makes a secret for its run, which no other process has and no process list shows', async () => {
    const mine = { CAUCUS_API_TOKEN: 'the-token-of-the-one-who-looks', CAUCUS_SECRET: OLD };
    const up = new Process(['up', '--json', '--members', '3', '--port', '0', '--ui-port', '0'], mine);
    await up.seen(({ event }) => event === 'acting');
    const members = up.lines.filter(({ event }) => event === 'member');
    expect(members).toHaveLength(3);
    const secrets = members.map(({ pid }) => {
      const environ = readFileSync(`/proc/${pid}/environ`, 'latin1');
      for (const text of Object.values(mine)) expect(environ).not.toContain(text);
      const [, secret] = /CAUCUS_SECRET=([^\0]+)/.exec(environ)!;
      expect(readFileSync(`/proc/${pid}/cmdline`, 'utf8')).not.toContain(secret!);
      return secret!;
    });
    expect(new Set(secrets).size).toBe(1);
    expect(up.shown()).not.toContain(secrets[0]!);
    const response = await fetch(`${members[0].url}/term`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ voterId: 2, by: { disk: 'd', start: 1, life: 'x' }, term: 1e6 }),
    });
    expect(response.status).toBe(401);
  });
});
