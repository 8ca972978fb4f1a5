import { BadInput } from '../../../../src/core/index.ts';
import { type Run, readRun } from './run.ts';

/** A run, and the moment at which to look. */
export interface Shared {
  readonly run: Run;
  readonly atMs: number;
}

const VERSION = 'v1';
/** How many bytes a link may decompress to. A run of ten thousand events is smaller. */
const MOST_BYTES = 2_000_000;

/** The run as the fragment of an address, which no server ever sees: `v1.` and the deflated scenario in base64url. */
export async function encodeShare({ run, atMs }: Shared): Promise<string> {
  const bytes = await through(
    new TextEncoder().encode(JSON.stringify({ run, atMs })),
    new CompressionStream('deflate-raw'),
  );
  return `${VERSION}.${toBase64Url(bytes)}`;
}

/** Reads a link that may come from anywhere. Throws BadInput that says what is wrong with it. */
export async function decodeShare(fragment: string): Promise<Shared> {
  const [version, body = ''] = fragment.split('.', 2);
  if (version !== VERSION) {
    throw new BadInput('link', `one that begins with #${VERSION}.`, `#${fragment.slice(0, 12)}`);
  }
  const given = parse(await unfold(body));
  const { run, atMs } = given as { run?: unknown; atMs?: unknown };
  const checked = readRun(run);
  refuseCostly(checked);
  const moment = typeof atMs === 'number' && atMs >= 0 && atMs <= checked.untilMs ? atMs : checked.untilMs;
  return { run: checked, atMs: moment };
}

/**
 * The maximum cost of a run from a link: its visitor has not seen it yet, and a page that computes cannot be stopped.
 */
const MOST_CHANGES = 1_000_000;

/** A partition costs one step for each pair of members, other events at most one for each member. */
function refuseCostly({ events, members }: Run): void {
  const size = typeof members === 'number' ? members : members.length;
  const changes = events.reduce((sum, event) => sum + size * (event.do === 'partition' ? size : 1), 0);
  if (changes <= MOST_CHANGES) return;
  throw new BadInput(
    'link',
    `a run of at most ${MOST_CHANGES} changes`,
    `${events.length} events for ${size} members`,
  );
}

async function unfold(body: string): Promise<string> {
  try {
    const bytes = await through(fromBase64Url(body), new DecompressionStream('deflate-raw'), MOST_BYTES);
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch (error) {
    if (error instanceof BadInput) throw error;
    throw new BadInput('link', 'a run, whole and unchanged', 'something that cannot be unpacked');
  }
}

function parse(text: string): object {
  try {
    const given: unknown = JSON.parse(text);
    if (typeof given === 'object' && given !== null) return given;
  } catch {
    // Reported below.
  }
  throw new BadInput('link', 'a run, whole and unchanged', 'something else');
}

async function through(
  bytes: Uint8Array<ArrayBuffer>,
  stream: CompressionStream | DecompressionStream,
  most = Number.POSITIVE_INFINITY,
): Promise<Uint8Array<ArrayBuffer>> {
  const reader = new Blob([bytes]).stream().pipeThrough(stream).getReader();
  const pieces: Uint8Array<ArrayBuffer>[] = [];
  let length = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) break;
    length += value.length;
    if (length > most) {
      await reader.cancel();
      throw new BadInput('link', `at most ${most} bytes when unpacked`, 'more');
    }
    pieces.push(value as Uint8Array<ArrayBuffer>);
  }
  const all = new Uint8Array(length);
  let at = 0;
  for (const piece of pieces) {
    all.set(piece, at);
    at += piece.length;
  }
  return all;
}

function toBase64Url(bytes: Uint8Array): string {
  let binary = '';
  for (const byte of bytes) binary += String.fromCharCode(byte);
  return btoa(binary).replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, '');
}

function fromBase64Url(text: string): Uint8Array<ArrayBuffer> {
  const binary = atob(text.replaceAll('-', '+').replaceAll('_', '/'));
  return Uint8Array.from(binary, (character) => character.charCodeAt(0));
}
