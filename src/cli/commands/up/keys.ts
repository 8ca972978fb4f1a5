import type { Fleet } from './fleet.ts';

const CTRL_C = '\x03';

/** Lets keys control the fleet, from a terminal or a pipe. Returns a function that restores the terminal. */
export function onKeys(fleet: Fleet, input: NodeJS.ReadStream, quit: () => void): () => void {
  let paused: number | null = null;
  const press = (text: string): void => {
    for (const key of text) {
      if (key === 'q' || key === CTRL_C) quit();
      else if (key === 'p') {
        if (paused !== null) fleet.resume(paused);
        const { leader } = fleet;
        paused = paused === null ? (leader?.id ?? null) : null;
        if (paused !== null) fleet.pause(paused);
      } else if (/[1-9]/.test(key)) {
        const member = fleet.members.find(({ id }) => id === Number(key));
        if (member?.state === 'down') fleet.start(member.id);
        else if (member !== undefined) fleet.kill(member.id);
      }
    }
  };
  if (input.isTTY) input.setRawMode(true);
  input.setEncoding('utf8');
  input.on('data', press);
  input.resume();
  return () => {
    input.off('data', press);
    if (input.isTTY) input.setRawMode(false);
    input.pause();
  };
}
