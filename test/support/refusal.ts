import { expect } from 'vitest';
import { BadInput } from '../../src/core/index.ts';

/** What somebody gets who asks for this. */
export function refusalOf(ask: () => unknown): BadInput {
  try {
    ask();
  } catch (error) {
    expect(error).toBeInstanceOf(BadInput);
    return error as BadInput;
  }
  throw new Error('it was taken');
}
