import { NOT_BUILT } from '../../page/index.ts';
import type { Call } from './call.ts';
import { HttpError } from './http-error.ts';
import { sendEmpty } from './reply.ts';

/** The page asks for its files beside itself, so its address ends with a slash. Where we are mounted, we do not know. */
export function toPage({ response }: Call): void {
  sendEmpty(response, 302, { location: 'ui/' });
}

/** The dashboard of this member, and the playground. */
export async function getPage({ request, response, path, page }: Call): Promise<void> {
  const outcome = await page.answer(request, response, path.slice('/ui/'.length));
  if (outcome === 'not built') throw new HttpError(404, 'E_NOT_FOUND', NOT_BUILT);
  if (outcome === 'no such file') throw new HttpError(404, 'E_NOT_FOUND', `there is nothing at ${path}`);
}
