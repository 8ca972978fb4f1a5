import type { Command } from 'commander';
import { oneLine } from '../../input/refusal.ts';
import { readPort } from '../../input/values.ts';
import { openBrowser } from '../../terminal/open-browser.ts';
import { untilStopped } from '../../terminal/until-stopped.ts';
import { PageServer } from './page-server.ts';

interface PlayFlags {
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
      process.exitCode = await playCommand(flags);
    });
}

/** Serves the playground until a signal ends it. */
async function playCommand({ port, open = false }: PlayFlags): Promise<number> {
  const server = await PageServer.open(readPort(port, '--port'), '--port');
  const { url, taken } = server;
  const stopped = untilStopped();
  server.serve({ mode: 'play', chaos: false, api: './', tokens: [] });
  const moved = taken === null ? '' : ` (port ${taken} is in use)`;
  process.stdout.write(`The playground is at ${url}${moved}; Ctrl-C ends it.\n`);
  if (open) {
    void openBrowser(url).then((problem) => {
      if (problem !== null) process.stderr.write(`caucus: no browser was opened: ${oneLine(problem)}\n`);
    });
  }
  await stopped;
  await server.close();
  return 0;
}
