/** A death watch over real processes, on a clock that a test moves. */
import { isDead } from '../../src/member/evidence.ts';
import { DeathWatch } from '../../src/peers/death-watch.ts';
import type { Decision, Identity } from '../../src/peers/index.ts';
import { VirtualClock } from '../member/virtual.ts';

export interface Watching {
  readonly clock: VirtualClock;
  /** `p back`, `p LIFE gone`, `p LIFE gone, certainly`, `p shared by LIFE and LIFE`, in order. */
  readonly told: string[];
  onUp(peer: Identity): void;
  onLocal(peer: Identity): void;
  /** Its only connection was closed, by the other side without a word or with one. */
  onDown(peer: Identity, isAbandoned: boolean): void;
  onPost(): void;
}

export function watch(trustConnections = false): Watching {
  const clock = new VirtualClock();
  const told: string[] = [];
  let stop = (): void => {};
  let decided: Decision[] = [];
  const watch = new DeathWatch(
    'p',
    { trustConnections, trustWitnesses: false },
    (decision) => decided.push(decision),
    () => {},
  );
  const carryOut = (): void => {
    const decisions = decided;
    decided = [];
    for (const each of decisions) {
      if (each.type === 'gone') told.push(`p ${each.life} gone${each.proof ? ', certainly' : ''}`);
      else if (each.type === 'back') told.push('p back');
      else if (each.type === 'shared') told.push(`p shared by ${each.before.life} and ${each.now.life}`);
      else if (each.type === 'cancel-timer') stop();
      else if (each.type === 'set-timer') {
        stop = clock.set(clock.now() + (each.delayMs as number), () => {
          watch.onTimer();
          carryOut();
        });
      } else if (each.type === 'look') {
        watch.onSeen(each.look, isDead(each.process), clock.now());
        carryOut();
      } else throw new Error(`a death watch does not decide to ${each.type}`);
    }
  };
  const then = (event: () => void): void => {
    event();
    carryOut();
  };
  return {
    clock,
    told,
    onUp: (peer) => then(() => watch.onUp(peer, clock.now())),
    onLocal: (peer) => then(() => watch.onLocal(peer)),
    onDown: (peer, isAbandoned) =>
      then(() => {
        watch.onClosed(peer, isAbandoned ? 'ended' : 'goodbye');
        watch.onDown(peer, clock.now());
      }),
    onPost: () => then(() => watch.onPost(clock.now())),
  };
}
