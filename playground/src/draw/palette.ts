import { LOOKS } from './kinds.ts';

/** The colours of theme.css as a canvas understands them, by the name of their variable. */
export type Palette = Readonly<Record<string, string>>;

const USED = ['--ground', '--line', '--edge', '--text', '--quiet', '--accent', '--alarm', '--leader'];

/** Reads the current colours. The probe is any invisible element. */
export function readPalette(probe: HTMLElement): Palette {
  const names = [...USED, ...Object.values(LOOKS).map((look) => look.colour)];
  const palette: Record<string, string> = {};
  const style = getComputedStyle(probe);
  // With forced colours, each of ours maps to a system colour; the probe's own must not be forced as well.
  probe.style.setProperty('forced-color-adjust', 'none');
  for (const name of names) {
    // Only a real property resolves `light-dark()`.
    probe.style.setProperty('color', `var(${name})`);
    palette[name] = style.color;
  }
  return palette;
}

/** Calls back whenever the colours may have changed: by the system, or by the visitor's own choice. */
export function watchTheme(changed: () => void): () => void {
  const dark = matchMedia('(prefers-color-scheme: dark)');
  const forced = matchMedia('(forced-colors: active)');
  const observer = new MutationObserver(changed);
  observer.observe(document.documentElement, { attributeFilter: ['data-theme'] });
  dark.addEventListener('change', changed);
  forced.addEventListener('change', changed);
  return () => {
    observer.disconnect();
    dark.removeEventListener('change', changed);
    forced.removeEventListener('change', changed);
  };
}
