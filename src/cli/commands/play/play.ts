import { oneLine } from '../../input/refusal.ts';
import { readPort } from '../../input/values.ts';
import { openBrowser } from '../../terminal/open-browser.ts';
import { untilStopped } from '../../terminal/until-stopped.ts';
import type { PlayFlags } from './command.ts';
import { PageServer } from './page-server.ts';

/** Serves the playground until a signal ends it. */
export async function playCommand({ port, open = false }: PlayFlags): Promise<number> {
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
