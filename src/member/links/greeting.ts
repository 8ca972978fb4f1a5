import type { Connection } from './connection.ts';
import type { Refused } from './frames.ts';
import type { Identity } from './links.ts';

/** What the first frame of the other side was. */
export type Greeting =
  | { readonly type: 'hello'; readonly identity: Identity }
  /** The other side will not have us. */
  | { readonly type: 'refused'; readonly refused: Refused }
  /** It said something else first. */
  | { readonly type: 'rude'; readonly refused: Refused }
  | { readonly type: 'closed'; readonly reason: string };

/** Waits for the first frame. `done` is called exactly once; until another owner is set, nothing more is read. */
export function awaitHello(
  connection: Connection,
  helloMs: number,
  done: (greeting: Greeting) => void,
): void {
  const timer = setTimeout(() => connection.terminate('it did not say who it is'), helloMs);
  const finish = (greeting: Greeting): void => {
    clearTimeout(timer);
    connection.owner = null;
    done(greeting);
  };
  connection.owner = {
    onFrame(_, frame) {
      if (frame.type === 'hello' || frame.type === 'refused') finish(frame);
      else if (frame.type === 'bad') finish({ type: 'rude', refused: frame.refused });
      else finish({ type: 'rude', refused: { kind: 'bad-shape', reason: 'a message before the hello' } });
    },
    onDrain() {},
    onClosed: (_, reason) => finish({ type: 'closed', reason }),
  };
}
