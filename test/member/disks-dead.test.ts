/** A leader whose disk hangs or fails stops, although it needs no disk to renew its lease, and stands when the disk answers again. */
import fs, { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { MemberClient } from '../../src/cli/commands/ask/member-client.ts';
import { examine } from '../../src/cli/commands/doctor/examine.ts';
import { gather } from '../../src/cli/commands/doctor/gather.ts';
import type { LeadershipLost } from '../../src/election/index.ts';
import { join, type Member } from '../../src/member/index.ts';
import { RecordFile } from '../../src/member/record-file.ts';
import { aborted } from '../election/support.ts';
import { DiskLab, type Watched } from '../support/disk-lab.ts';

const DEAD_DISK = path.resolve(import.meta.dirname, '../support/dead-disk.cjs');
/** A busy machine may need long for everything; nothing here is about time. */
const PATIENT = { timeout: 60_000, interval: 50 };

interface Told {
  readonly illness: string | null;
  readonly acting: boolean;
  readonly isCandidate: boolean;
}

const asked = async <T>(url: string): Promise<T> => (await (await fetch(url)).json()) as T;

describe.each([
  ['in processes of their own', false],
  ['in processes of their own, with deputies', true],
])('%s', (_, deputies) => {
  let lab: DiskLab;
  const folder = mkdtempSync(path.join(tmpdir(), 'caucus-dead-disks-'));
  const file = (what: string, id: string): string => path.join(folder, `${what}-${id}`);

  beforeAll(async () => {
    lab = await DiskLab.open(3, true, { timing: {}, options: { preset: 'steady' }, deputies });
    await Promise.all(
      lab.ids.map((id) =>
        lab.start(id, {
          env: {
            NODE_OPTIONS: `--require ${DEAD_DISK}`,
            DISK_HANGS: file('hangs', id),
            DISK_FAILS: file('fails', id),
          },
        }),
      ),
    );
    await lab.allSeated();
  }, 120_000);

  afterAll(async () => {
    rmSync(folder, { recursive: true, force: true });
    await lab.close();
  });

  const status = ({ url }: Watched): Promise<Told> => asked(`${url}/status`);
  const causes = async ({ url }: Watched): Promise<readonly string[]> => {
    const { history } = await asked<{ history: readonly { cause: string }[] }>(`${url}/history`);
    return history.map(({ cause }) => cause);
  };

  /** With deputies, its deputy can take over: the vote of the leader for it is on the disk before it is answered. */
  const settledLeader = async (): Promise<Watched> => {
    await vi.waitFor(async () => {
      const { id } = await lab.leader();
      const owner = { cluster: 'caucus', id, election: 'main', protocol: 'quorum' };
      const saved = new RecordFile(path.join(lab.folder(id), 'election-main.json'), owner).read();
      if (deputies) expect(saved!.record).toHaveProperty('before');
    }, PATIENT);
    return lab.leader();
  };

  const isReplaced = (old: Watched): Promise<void> =>
    vi.waitFor(async () => expect((await lab.leader()).id).not.toBe(old.id), PATIENT);

  /** Of the other two, none is left that could lead. */
  const leadsAgain = async (old: Watched): Promise<void> => {
    await vi.waitFor(async () => expect((await status(old)).illness).toBeNull(), PATIENT);
    expect(old.log.join('\n')).toContain('takes writes again');
    await vi.waitFor(async () => {
      const next = await lab.leader();
      await fetch(`${next.url}/transfer`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ to: old.id }),
      });
      expect((await status(old)).acting).toBe(true);
    }, PATIENT);
  };

  it.each([
    ['hangs', 'a write did not end within 750 ms'],
    ['fails', 'cannot be written: EIO: i/o error, fdatasync'],
  ])('another leads when the disk of the leader %s, and the old one says why', async (what, reason) => {
    const old = await settledLeader();
    writeFileSync(file(what, old.id), '');
    await isReplaced(old);
    const { illness, acting } = await status(old);
    expect(illness).toContain(reason);
    expect(acting).toBe(false);
    expect(await causes(old)).toContain('disk-failed');
    expect(await causes(await lab.leader())).toContain('disk-failed');
    expect(old.log.join('\n')).toContain(reason);
    const { findings } = examine(
      await gather(lab.peers.map(({ url }) => new MemberClient(url, undefined, null, null))),
    );
    const found = findings.find(({ kind, subject }) => kind === 'ill' && subject === `member ${old.id}`);
    expect(found?.next).toContain('dmesg');

    rmSync(file(what, old.id));
    await leadsAgain(old);
    lab.check();
  });

  it('another leads when the disk of the leader hangs while it saves, and the old one still answers', async () => {
    const old = await settledLeader();
    writeFileSync(file('hangs', old.id), '');
    old.child.stdin!.write(`${JSON.stringify({ type: 'publish', value: 'on a disk that hangs' })}\n`);
    await isReplaced(old);
    const why = 'a write did not end within 750 ms';
    await vi.waitFor(async () => expect((await status(old)).illness).toContain(why), PATIENT);
    expect((await status(old)).acting).toBe(false);

    rmSync(file('hangs', old.id));
    await leadsAgain(old);
    lab.check();
  });

  it('another leads when the data folder of the leader is deleted, and the old one says so', async () => {
    const old = await settledLeader();
    lab.wipe(old.id);
    await isReplaced(old);
    const { illness, acting } = await status(old);
    expect(illness).toContain('the data folder was deleted or emptied while this member used it');
    expect(acting).toBe(false);
    lab.check();
    // Once it is restarted, it begins with a new disk, which gets a seat.
    await lab.kill(old);
    await lab.start(old.id);
    await lab.seated(old.id);
  });
});

describe('the work of a program', () => {
  const real = fs.fdatasync;
  const folder = mkdtempSync(path.join(tmpdir(), 'caucus-dead-disk-'));
  let waiting: (() => void)[] | null = null;
  let member: Member;

  afterEach(async () => {
    fs.fdatasync = real;
    syncBuiltinESMExports();
    await member.close();
    rmSync(folder, { recursive: true, force: true });
  });

  it('is told to stop before the leadership is given up, and begins again with the disk', async () => {
    fs.fdatasync = ((handle: number, done: (error: Error | null) => void) => {
      if (waiting === null) real(handle, done);
      else waiting.push(() => real(handle, done));
    }) as typeof fs.fdatasync;
    syncBuiltinESMExports();
    member = await join({ id: 'a', peers: [], data: folder });
    const port = member.electionPort('main');
    const lost: LeadershipLost[] = [];
    let wasLeader = false;
    let begun = 0;
    void member
      .election()
      .lead(async ({ signal }) => {
        begun += 1;
        await aborted(signal);
        lost.push(signal.reason as LeadershipLost);
        wasLeader = port.view.role === 'leader';
      })
      .catch(() => {});
    await vi.waitFor(() => expect(begun).toBe(1), PATIENT);
    waiting = [];
    await vi.waitFor(() => expect(lost).toHaveLength(1), PATIENT);
    expect(lost[0]!.cause).toBe('disk-failed');
    expect(wasLeader).toBe(true);
    await vi.waitFor(() => expect(port.view.role).not.toBe('leader'), PATIENT);
    expect(member.illness).toContain('did not end within');
    for (const each of waiting.splice(0)) each();
    waiting = null;
    await vi.waitFor(() => expect(begun).toBe(2), PATIENT);
    expect(member.illness).toBeNull();
  });
});
