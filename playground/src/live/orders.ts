import { refused } from '../../../src/api/wire/index.ts';
import { authorization } from './token.ts';
import type { Refused } from './words.ts';

/** Gives a command, and settles with null once it is carried out, or with the reason why not. */
export async function give(url: string, body: object): Promise<Refused | null> {
  try {
    const headers = { 'content-type': 'application/json', ...authorization() };
    const response = await fetch(url, {
      method: 'POST',
      headers,
      body: JSON.stringify(body),
      redirect: 'error',
    });
    if (response.ok) return null;
    const { error } = refused.read(await response.json(), '');
    return { ...error, status: response.status };
  } catch {
    return { status: 0, code: 'NO_ANSWER', message: '' };
  }
}

/** The path of a command for an election; without a name it is for the main one. */
export function orderUrl(api: string, order: 'resign' | 'transfer', election: string): string {
  return `${api}${order}?election=${encodeURIComponent(election)}`;
}
