#!/usr/bin/env node
import { CommanderError } from 'commander';
import { BadInput } from '../core/index.ts';
import { oneLine, Refusal, systemWords } from './input/refusal.ts';
import { createProgram } from './program.ts';

const BAD_INPUT = 2;
/** A defect of our own; apart from 1, which says that a promise was broken. */
const DEFECT = 70;

/** Tells what went wrong, and gives the exit code for it. */
function tell(error: unknown): number {
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : BAD_INPUT; // It is told already.
  if (error instanceof Refusal || error instanceof BadInput) {
    process.stderr.write(`caucus: ${oneLine(error.message)}\n`);
    return BAD_INPUT;
  }
  process.stderr.write(`caucus: a defect in caucus itself: ${(error as Error).stack ?? error}\n`);
  return DEFECT;
}

// A reader that has seen enough (`| head`) is no error.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') process.exitCode = tell(new Refusal(`standard output: ${systemWords(error)}`));
});

// Where even complaints cannot be written, the exit code has to do.
process.stderr.on('error', () => {});

const program = createProgram();
try {
  if (process.argv.length <= 2) program.outputHelp();
  else await program.parseAsync();
} catch (error) {
  process.exitCode = tell(error);
}
