#!/usr/bin/env node
import { CommanderError } from 'commander';
import { BadInput } from '../core/index.ts';
import { oneLine, Refusal, systemWords } from './input/refusal.ts';
import { createProgram } from './program.ts';

const BAD_INPUT = 2;
/** The exit code of a defect of our own, distinct from 1, which means that a promise was broken. */
const DEFECT = 70;

/** Prints the error, and returns the exit code for it. */
function tell(error: unknown): number {
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : BAD_INPUT; // Already printed.
  if (error instanceof Refusal || error instanceof BadInput) {
    process.stderr.write(`caucus: ${oneLine(error.message)}\n`);
    return BAD_INPUT;
  }
  process.stderr.write(`caucus: a defect in caucus itself: ${(error as Error).stack ?? error}\n`);
  return DEFECT;
}

// A closed pipe (`| head`) is no error.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') process.exitCode = tell(new Refusal(`standard output: ${systemWords(error)}`));
});

// If even errors cannot be written, only the exit code is left.
process.stderr.on('error', () => {});

const program = createProgram();
try {
  if (process.argv.length <= 2) program.outputHelp();
  else await program.parseAsync();
} catch (error) {
  process.exitCode = tell(error);
}
