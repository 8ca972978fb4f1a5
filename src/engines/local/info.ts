import type { Json } from '../../core/index.ts';

/** Who leads, for participants: the socket tells only whether the leader's process lives. */
export interface Info {
  readonly token: string;
  readonly leader: string;
  readonly value: Json;
  readonly version: number;
}

/** Null: it is invalid. */
export function readInfo(text: string): Info | null {
  try {
    const found = JSON.parse(text) as Partial<Record<keyof Info, unknown>>;
    const { token, leader, value = null, version } = found;
    const isToken = typeof token === 'string' && /^\d{1,19}$/.test(token);
    if (!isToken || typeof leader !== 'string' || !Number.isSafeInteger(version)) return null;
    return { token, leader, value: value as Json, version: Number(version) };
  } catch {
    return null;
  }
}
