import { oneLine } from '../../core/index.ts';
import type { Paint, Style } from './colours.ts';

export type Level = 'info' | 'warn' | 'error';

/** One log entry. `event` names its kind for programs; further fields stand beside it. */
export interface LogEntry {
  readonly level: Level;
  readonly event: string;
  /** The same as a sentence. */
  readonly text: string;
  readonly [field: string]: unknown;
}

export type Log = (entry: LogEntry) => void;

const STYLES: Readonly<Record<Level, readonly Style[]>> = { info: ['dim'], warn: ['yellow'], error: ['red'] };

/** One line each: as text for people, or as JSON for programs. */
export function openLog(write: (line: string) => void, json: boolean, paint: Paint): Log {
  return ({ level, event, text, ...fields }) => {
    const at = new Date().toISOString();
    if (json) write(`${JSON.stringify({ at, level, event, text, ...fields }, tokensAsText)}\n`);
    else write(`${paint(at, 'dim')} ${paint(level.padEnd(5), ...STYLES[level])} ${oneLine(text)}\n`);
  };
}

/** JSON numbers would lose digits of a token. */
function tokensAsText(_: string, value: unknown): unknown {
  return typeof value === 'bigint' ? value.toString() : value;
}
