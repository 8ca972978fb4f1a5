const CODES = {
  bold: [1, 22],
  dim: [2, 22],
  red: [31, 39],
  green: [32, 39],
  yellow: [33, 39],
  cyan: [36, 39],
} as const;

export type Style = keyof typeof CODES;

/** Adds colours to a text, or returns it unchanged if the output shows none. */
export type Paint = (text: string, ...styles: readonly Style[]) => string;

export const plain: Paint = (text) => text;

const coloured: Paint = (text, ...styles) =>
  styles.reduce((inner, style) => `\x1b[${CODES[style][0]}m${inner}\x1b[${CODES[style][1]}m`, text);

/** Colours are for a terminal, unless the user has turned them off (no-color.org). */
export function paintFor(stream: { readonly isTTY?: boolean }, env: NodeJS.ProcessEnv): Paint {
  const wanted = stream.isTTY === true && (env.NO_COLOR ?? '') === '' && env.TERM !== 'dumb';
  return wanted ? coloured : plain;
}
