/**
 * Where a member listens, if only a seed says so (seed 002): at its own address among those of the seed. This has to
 * be known before it starts.
 */
import { addressOf, hostOf, isLoopback } from '../api/index.ts';
import { BadInput, show } from '../core/index.ts';
import { CaucusError } from '../election/index.ts';
import { BEYOND_LOOPBACK, type Settled } from './options.ts';
import { ownAmong, urlsHere } from './own-url.ts';
import { type Resolve, seedUrls } from './seeds.ts';

const RESOLVE_MS = 2000;

/**
 * The same settings with the address to listen on, and with the own URL if it is known by that already. Throws if the
 * member would listen where the voters of the seed cannot reach it.
 */
export async function findPlace(settled: Settled, resolve?: Resolve): Promise<Settled> {
  const { seed, url, listen } = settled;
  if (seed === null || url !== null || listen === null) return settled;
  const urls = await inTime(seedUrls(seed, resolve));
  if (seed.listensBy === 'options') {
    // Without an answer of the resolver it starts too, and looks again while it searches for other voters.
    const own = listen.port === 0 || urls instanceof Error ? null : ownAmong(urls, listen);
    return own === null ? settled : { ...settled, url: own };
  }
  if (urls instanceof Error)
    throw cannotListen(
      `the seed ${seed.host} cannot be resolved (${urls.message}), so its own address is not known`,
    );
  if (seed.listensBy === 'loopback') {
    const far = urls.find((each) => !isLoopback(hostOf(each)));
    if (far === undefined) return settled;
    throw cannotListen(`the voters of the seed ${seed.host} are not on this machine (${far})`);
  }
  const [own] = urlsHere(urls);
  if (own === undefined)
    throw cannotListen(
      `none of the addresses of the seed ${seed.host} is one of this machine (${urls.join(', ')})`,
    );
  if (!settled.isOpen && !settled.isAuthenticated && !isLoopback(hostOf(own))) {
    const expected = `an address of the loopback, or ${BEYOND_LOOPBACK}`;
    throw new BadInput('listen', expected, `${show(own)}, its own address among those of the seed`);
  }
  return { ...settled, listen: addressOf(own), url: own };
}

function cannotListen(reason: string): CaucusError {
  return new CaucusError('E_LISTEN', `cannot choose an address to listen on: ${reason}; say where to listen`);
}

async function inTime<T>(found: Promise<T>): Promise<T | Error> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<Error>((resolve) => {
    timer = setTimeout(() => resolve(new Error(`no answer in ${RESOLVE_MS} ms`)), RESOLVE_MS);
  });
  try {
    return await Promise.race([found, late]);
  } catch (error) {
    return error as Error;
  } finally {
    clearTimeout(timer);
  }
}
