import type { Game } from '../game/game.svelte.ts';

/** Longer links are truncated by chat programs. */
const LONGEST_LINK = 6000;

/** Opens what the address names: a shared run, or a scenario of the gallery. False if it names nothing. */
export async function openAddress(game: Game, fragment: string): Promise<boolean> {
  if (fragment === '') return false;
  if (fragment.startsWith('s=')) {
    const { namedRun } = await import('../pages/gallery/named-run.ts');
    const wanted = new URLSearchParams(fragment);
    game.start(namedRun(wanted.get('s')!, wanted.get('protocol') ?? 'epoch'));
    return false;
  }
  await game.open(fragment);
  return true;
}

/** Puts the run into the address and on the clipboard, and returns the result in words. */
export async function shareAddress(game: Game): Promise<string> {
  if (game.recording !== null) return 'A recording does not fit into a link. Share the file instead.';
  const link = await game.link();
  if (link.length > LONGEST_LINK) {
    return `This run makes a link of ${link.length} letters, which many programs truncate. Save it as a scenario instead (Files).`;
  }
  history.replaceState(null, '', `#${link}`);
  try {
    await navigator.clipboard.writeText(location.href);
    return 'The link to this run is on the clipboard.';
  } catch {
    return 'The link to this run is now in the address bar.';
  }
}
