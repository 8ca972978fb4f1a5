import { oneLine } from '../../core/index.ts';

/** No refusal of a member is longer. */
export const LONGEST_REFUSAL: number = 16 * 1024;
const LONGEST_REASON = 300;

/** What a member says about a refusal in the body of its answer: `: MESSAGE`, or nothing. */
export function reasonIn(body: Buffer): string {
  try {
    const { error } = JSON.parse(body.toString()) as { error?: { message?: unknown } };
    const reason = error?.message;
    return typeof reason === 'string' ? `: ${oneLine(reason.slice(0, LONGEST_REASON))}` : '';
  } catch {
    return '';
  }
}
