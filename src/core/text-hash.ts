/** Texts repeat (types, keys, timers), so their hashes are cached; the limit only bounds memory. */
const known = new Map<string, number>();
const MOST_KNOWN = 10_000;
/** Each text has one place among the recent ones, which is found faster than in the map. */
const RECENT = 1024;
const recentTexts: string[] = Array.from({ length: RECENT }, () => '');
const recentHashes: Int32Array = new Int32Array(RECENT).fill(hashOf(''));

/** A hash of 32 bits, the same in every engine. It is not for secrets. */
export function textHash(text: string): number {
  const { length } = text;
  const [first, last] = [text.charCodeAt(0), text.charCodeAt(length - 1)];
  const place = (9 * length + 37 * first + 101 * last + text.charCodeAt(length >> 1)) & (RECENT - 1);
  if (recentTexts[place] === text) return recentHashes[place]!;
  const hash = known.get(text) ?? hashOf(text);
  if (known.size < MOST_KNOWN) known.set(text, hash);
  recentTexts[place] = text;
  recentHashes[place] = hash;
  return hash;
}

function hashOf(text: string): number {
  let h = 0x811c9dc5 ^ text.length;
  for (let i = 0; i < text.length; i++) h = Math.imul(h ^ text.charCodeAt(i), 0x01000193);
  return mix(h);
}

/** A finaliser that spreads every input bit over the word (the constants are those of MurmurHash3). */
export function mix(x: number): number {
  let h = x | 0;
  h = Math.imul(h ^ (h >>> 16), 0x85ebca6b);
  h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35);
  return h ^ (h >>> 16);
}
