import { BadInput, type MemberId, type Shape, show } from '../core/index.ts';

/** An id as it stands in a URL, a flag or the environment: digits alone are a number, so that elections order them by value. */
export function parseId(text: string): MemberId {
  const isWhole = /^(0|[1-9][0-9]*)$/.test(text) && Number.isSafeInteger(Number(text));
  return isWhole ? Number(text) : text;
}

/** The name of an election is also part of a path and of the name of a file. */
export const electionName: Shape<string> = {
  expected: 'a name of 1 to 100 letters, digits, ".", "_" and "-"',
  read(value, path) {
    if (typeof value === 'string' && isElectionName(value)) return value;
    throw new BadInput(path, this.expected, show(value));
  },
};

export function isElectionName(text: string): boolean {
  return /^[\w.-]{1,100}$/.test(text);
}
