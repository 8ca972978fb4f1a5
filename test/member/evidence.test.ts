import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { afterEach, describe, expect, it } from 'vitest';
import { isDead, isWithinSight, ownProcess } from '../../src/member/evidence.ts';
import type { Identity, ProcessIdentity } from '../../src/peers/index.ts';
import { type Watching, watch } from '../support/watching.ts';

const children: ChildProcess[] = [];

afterEach(() => {
  for (const child of children.splice(0)) child.kill('SIGKILL');
});

/** A process of its own that runs until it is killed, and how it would name itself. */
async function startChild(
  command = 'sleep 1000',
): Promise<{ child: ChildProcess; identity: ProcessIdentity }> {
  const child = spawn('/bin/sh', ['-c', `echo up; exec ${command}`], { stdio: ['ignore', 'pipe', 'ignore'] });
  children.push(child);
  await once(child.stdout!, 'data');
  const pid = child.pid!;
  return { child, identity: { ...ownProcess()!, pid, startTime: startTimeOf(pid) } };
}

function startTimeOf(pid: number): string {
  const text = readFileSync(`/proc/${pid}/stat`, 'latin1');
  return text.slice(text.lastIndexOf(')') + 2).split(' ')[19]!;
}

function stateOf(pid: number): string {
  const text = readFileSync(`/proc/${pid}/stat`, 'latin1');
  return text.slice(text.lastIndexOf(')') + 2).charAt(0);
}

function hasPython(): boolean {
  return spawnSync('python3', ['-c', 'import ctypes']).status === 0;
}

function canUnshare(...flags: readonly string[]): boolean {
  return spawnSync('unshare', ['-Ur', ...flags, 'true']).status === 0;
}

/** What a process in other namespaces finds out about itself, and whether it takes a living one of ours for dead. */
function lookFrom(
  flags: readonly string[],
  ours: ProcessIdentity,
): [own: ProcessIdentity | null, isOursDead: boolean] {
  const module = new URL('../../dist/member/evidence.js', import.meta.url).href;
  const code = `import { isDead, ownProcess } from ${JSON.stringify(module)};
    console.log(JSON.stringify([ownProcess(), isDead(${JSON.stringify(ours)})]));`;
  const node = [process.execPath, '--input-type=module', '-e', code];
  const { stdout, stderr } = spawnSync('unshare', ['-Ur', ...flags, ...node], { encoding: 'utf8' });
  expect(stderr).toBe('');
  return JSON.parse(stdout);
}

async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await new Promise((resolve) => setImmediate(resolve));
}

describe('is that process gone for certain?', () => {
  it('knows itself, and that it lives', () => {
    const own = ownProcess()!;
    expect(own.pid).toBe(process.pid);
    expect(own.bootId).toMatch(/^[0-9a-f-]{36}$/);
    expect(own.pidNamespace).toMatch(/^pid:\[\d+\]( time:\[\d+\])?$/);
    expect(isWithinSight(own)).toBe(true);
    expect(isDead(own)).toBe(false);
  });

  it('not while it runs, nor while it is stopped', async () => {
    const { child, identity } = await startChild();
    expect(isDead(identity)).toBe(false);
    child.kill('SIGSTOP');
    await until(() => stateOf(identity.pid) === 'T');
    expect(isDead(identity)).toBe(false);
    child.kill('SIGCONT');
    expect(isDead(identity)).toBe(false);
  });

  it('when it was killed', async () => {
    const { child, identity } = await startChild();
    child.kill('SIGKILL');
    await once(child, 'exit');
    expect(isDead(identity)).toBe(true);
  });

  it('when it is a zombie that nobody has buried', async () => {
    // The shell starts a child, says its pid and never waits for it.
    const parent = spawn('/bin/sh', ['-c', 'sleep 0 & echo $!; exec sleep 1000'], {
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    children.push(parent);
    const [line] = (await once(parent.stdout!, 'data')) as [Buffer];
    const pid = Number(line.toString());
    await until(() => stateOf(pid) === 'Z');
    expect(isDead({ ...ownProcess()!, pid, startTime: startTimeOf(pid) })).toBe(true);
  });

  it('when its pid belongs to another process by now', async () => {
    const { identity } = await startChild();
    expect(isDead({ ...identity, startTime: `${Number(identity.startTime) - 1}` })).toBe(true);
  });

  it('not if it ran elsewhere: then nothing here says anything about it', async () => {
    const { child, identity } = await startChild();
    child.kill('SIGKILL');
    await once(child, 'exit');
    const elsewhere = { ...identity, bootId: '00000000-0000-0000-0000-000000000000' };
    expect(isWithinSight(elsewhere)).toBe(false);
    expect(isDead(elsewhere)).toBe(false);
    expect(isDead({ ...identity, pidNamespace: 'pid:[1]' })).toBe(false);
    expect(isDead(identity)).toBe(true);
  });

  it.skipIf(!canUnshare('-pf'))('not where /proc lists the processes of another pid namespace', () => {
    const [own, dead] = lookFrom(['-pf'], ownProcess()!);
    expect([own, dead]).toEqual([null, false]);
  });

  it.skipIf(!canUnshare('-T'))('not where clocks count from another boot', () => {
    const [own, dead] = lookFrom(['-T', '--boottime', '100000'], ownProcess()!);
    expect(own).not.toBeNull();
    expect(own!.pidNamespace).not.toBe(ownProcess()!.pidNamespace);
    expect(dead).toBe(false);
    expect(isDead(own!)).toBe(false);
  });

  // Needs Python, and the number of the system call that ends one thread on this kind of machine.
  it.skipIf(process.arch !== 'x64' || !hasPython())('not when only its first thread has ended', async () => {
    const python = spawn('python3', ['-c', THREADS], { stdio: ['ignore', 'pipe', 'inherit'] });
    children.push(python);
    await once(python.stdout!, 'data');
    const pid = python.pid!;
    await until(() => stateOf(pid) === 'Z');
    const identity = { ...ownProcess()!, pid, startTime: startTimeOf(pid) };
    expect(isDead(identity)).toBe(false);
    python.kill('SIGKILL');
    await once(python, 'exit');
    expect(isDead(identity)).toBe(true);
  });
});

/** Its first thread leaves by itself; another goes on. */
const THREADS = `
import ctypes, threading, time
threading.Thread(target=lambda: time.sleep(1000), daemon=True).start()
print('up', flush=True)
ctypes.CDLL(None).syscall(60, 0)
`;

describe('the death watch', () => {
  function peer(process: ProcessIdentity | null, life = 'L'): Identity {
    return { id: 'p', cluster: 'c', incarnation: 1, life, url: 'http://127.0.0.1:1', process };
  }

  /** It is connected, and has shown that it runs here. */
  function meet(watching: Watching, process: ProcessIdentity | null, life = 'L'): Identity {
    const identity = peer(process, life);
    watching.onUp(identity);
    watching.onLocal(identity);
    return identity;
  }

  it('has proof at once when the process is dead', async () => {
    const watching = watch();
    const { told } = watching;
    const { child, identity } = await startChild();
    const met = meet(watching, identity);
    child.kill('SIGKILL');
    await once(child, 'exit');
    watching.onDown(met, true);
    expect(told).toEqual(['p back', 'p L gone, certainly']);
  });

  it('has none of a process that has not shown that it runs on this kernel, whatever it says of itself', async () => {
    const watching = watch();
    const { told } = watching;
    const { child, identity } = await startChild();
    watching.onUp(peer(identity));
    child.kill('SIGKILL');
    await once(child, 'exit');
    watching.onDown(peer(identity), true);
    watching.onUp(peer(null, 'M'));
    expect(told).toEqual(['p back', 'p L gone', 'p L gone', 'p back']);
  });

  it('has it shown anew by every connection, and only of the process that is connected', async () => {
    const watching = watch();
    const { told } = watching;
    const { child, identity } = await startChild();
    const met = meet(watching, identity);
    watching.onUp(met);
    watching.onLocal(peer(identity, 'another'));
    child.kill('SIGKILL');
    await once(child, 'exit');
    watching.onDown(met, true);
    expect(told).toEqual(['p back', 'p back', 'p L gone']);
  });

  it('goes on looking for a moment, and finds a death that shows late', async () => {
    const watching = watch();
    const { clock, told } = watching;
    const { child, identity } = await startChild();
    watching.onDown(meet(watching, identity), true);
    clock.advance(5);
    expect(told).toEqual(['p back']);
    child.kill('SIGKILL');
    await once(child, 'exit');
    clock.advance(1);
    expect(told).toEqual(['p back', 'p L gone, certainly']);
  });

  it('has only a suspicion when the process lives', async () => {
    const watching = watch();
    const { clock, told } = watching;
    const { identity } = await startChild();
    watching.onDown(meet(watching, identity), true);
    clock.advance(100);
    expect(told).toEqual(['p back', 'p L gone']);
  });

  it('looks no further when it is back', async () => {
    const watching = watch();
    const { clock, told } = watching;
    const { identity } = await startChild();
    const met = meet(watching, identity);
    watching.onDown(met, true);
    watching.onUp(met);
    clock.advance(100);
    expect(told).toEqual(['p back', 'p back']);
  });

  it('does not wait where nothing can be seen', () => {
    const watching = watch();
    const { told } = watching;
    watching.onUp(peer(null));
    watching.onDown(peer(null), true);
    expect(told).toEqual(['p back', 'p L gone']);
  });

  it('takes another process of the same id for no proof: the one before may live, on a host that cannot be seen', () => {
    const watching = watch();
    const { told } = watching;
    watching.onUp(peer(null, 'L'));
    watching.onUp(peer(null, 'M'));
    watching.onDown(peer(null, 'L'), true); // A late goodbye says nothing of the one that is here.
    expect(told).toEqual(['p back', 'p L gone', 'p back']);
  });

  it('sees a death that it missed when another process comes', async () => {
    const watching = watch();
    const { clock, told } = watching;
    const { child, identity } = await startChild();
    watching.onDown(meet(watching, identity), false);
    clock.advance(100);
    child.kill('SIGKILL');
    await once(child, 'exit');
    watching.onUp(peer(null, 'M'));
    expect(told).toEqual(['p back', 'p L gone', 'p L gone, certainly', 'p back']);
  });

  it('says that an id is shared if the process before is seen to live, and whose death it sees', async () => {
    const watching = watch();
    const { told } = watching;
    const [old, twin] = [await startChild(), await startChild()];
    meet(watching, old.identity, 'old');
    old.child.kill('SIGSTOP');
    const met = meet(watching, twin.identity, 'twin');
    expect(told.splice(0)).toEqual(['p back', 'p shared by old and twin', 'p old gone', 'p back']);
    twin.child.kill('SIGKILL');
    await once(twin.child, 'exit');
    // The death of the second process under an id is no proof about the first.
    watching.onDown(met, true);
    expect(told.splice(0)).toEqual(['p twin gone, certainly']);
    meet(watching, old.identity, 'old');
    expect(told).toEqual(['p twin gone, certainly', 'p back']);
  });

  it('has no proof if a member comes back in the same process', () => {
    const watching = watch();
    const { told } = watching;
    meet(watching, ownProcess(), 'L');
    meet(watching, ownProcess(), 'M');
    expect(told).toEqual(['p back', 'p L gone', 'p back']);
  });

  it('believes connections if it is told to, unless this side closed them', () => {
    const watching = watch(true);
    const { told } = watching;
    watching.onUp(peer(null));
    watching.onDown(peer(null), true);
    expect(told.splice(0)).toEqual(['p back', 'p L gone, certainly']);
    watching.onUp(peer(null));
    watching.onDown(peer(null), false);
    expect(told).toEqual(['p back', 'p L gone']);
  });
});
