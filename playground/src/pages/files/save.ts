import { encodeTraceLine, type TraceHeader } from '../../../../src/core/index.ts';
import type { Entry } from '../../game/history/history.ts';
import type { Run } from '../../game/run/run.ts';
import type { Timeline } from '../../game/run/timeline.ts';

/** The run as `caucus simulate` takes it. */
export function scenarioText(run: Run): string {
  return `${JSON.stringify(run, null, 2)}\n`;
}

/** The history as `caucus simulate --trace` writes it. */
export function traceText({ history, world, run }: Timeline, isRecording: boolean): string {
  const { definition, timing, options, members } = world.scenario;
  const header: TraceHeader = {
    trace: 'caucus/1',
    protocol: definition.name,
    members: members.map(({ id }) => id),
    timing,
    options,
    seed: isRecording ? null : run.seed,
  };
  return encodeTraceLine(header) + history.entries.map(lineOf).join('');
}

function lineOf(entry: Entry): string {
  if (entry.kind === 'event') return encodeTraceLine({ atMs: entry.atMs, event: entry.event });
  const { atMs, member, input, effects } = entry;
  return encodeTraceLine({ atMs, member, input, effects });
}

/** A name that says what it is: `caucus-epoch-seed7.json`. */
export function fileName({ protocol, seed }: Run, what: string): string {
  return `caucus-${protocol}-seed${seed}${what}`;
}

/** Hands a text to the browser as a file to keep. */
export function download(name: string, text: string, type: string): void {
  const address = URL.createObjectURL(new Blob([text], { type }));
  const link = document.createElement('a');
  link.href = address;
  link.download = name;
  link.click();
  URL.revokeObjectURL(address);
}
