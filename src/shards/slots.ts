/** Replicas that start together begin to look for a free slot at different ones of these. */
export const SPREAD_SLOTS = 8;

/** The n-th slot that the replica of this name tries. Each slot comes once. */
export function slotFor(name: string, n: number): number {
  return n < SPREAD_SLOTS ? (hashOf(name) + n) % SPREAD_SLOTS : n;
}

/** FNV-1a. */
function hashOf(text: string): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193) >>> 0;
  return hash;
}

/** Is this the election of a slot, or of what was done for shards? Such an election has a leader only while a replica uses it. */
export function isSlotElection(name: string): boolean {
  return /\.shards\.r?\d+$/.test(name);
}
