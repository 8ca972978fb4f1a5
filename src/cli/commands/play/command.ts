import type { Command } from 'commander';

export interface PlayFlags {
  readonly port?: string;
  readonly open?: boolean;
}

/** `caucus play`: its flags and its help. */
export function addPlay(program: Command): void {
  program
    .command('play')
    .summary('open the playground: elections in your browser, to watch and to break')
    .description(
      'Serves the playground to the browsers of this machine: all elections in virtual time, with faults at the click of a mouse. Nothing leaves the browser.',
    )
    .option('--port <n>', 'the port; 0 is any free one (default: 7100, or any if it is in use)')
    .option('--open', 'open it in the browser')
    .addHelpText(
      'after',
      `
The same page shows a real cluster: caucus up prints its address, and every member has it at /ui/.

Exit code: 0 after Ctrl-C, 2 for bad input.

Examples:
  $ caucus play --open
  $ caucus play --port 8080`,
    )
    .action(async (flags: PlayFlags) => {
      const { playCommand } = await import('./play.ts');
      process.exitCode = await playCommand(flags);
    });
}
