import { BadInput } from '../../core/index.ts';
import { isHost, shownAddress } from '../secrets.ts';

/** The database. The library parses the URL by itself, so it is kept unchanged. */
export interface Address {
  readonly url: string;
  /** For people: "db.example.com:5432". */
  readonly shown: string;
  readonly user: string | undefined;
  readonly secrets: readonly string[];
}

const FORM = 'postgres://user:password@host:port/database (or postgresql://…)';

/** Reads an address. Throws BadInput, without the password. */
export function parseAddress(url: string): Address {
  if (typeof url !== 'string')
    throw new BadInput('url', `${FORM}, or a pool of the package pg`, shownAddress(url));
  const refuse = (expected: string): never => {
    throw new BadInput('url', expected, shownAddress(url));
  };
  if (!/^postgres(ql)?:\/\//.test(url)) return refuse(FORM);
  const read = readUrl(url);
  if (read === null)
    return refuse(`${FORM}, where %40 in the password stands for @, %2F for /, %3A for : and %23 for #`);
  const params = read.searchParams;
  const host = params.get('host') ?? decoded(read.hostname);
  if (host === null) return refuse(FORM);
  if (host === '') return refuse(`a host, as in ${FORM}, or ?host=/path of a socket`);
  if (host.includes(',')) return refuse('one host, that of the primary');
  if (!host.startsWith('/') && !isHost(host)) return refuse(FORM);
  // Without a name, every user would get a database of their own, and not meet the others.
  if (read.pathname.length < 2) return refuse(`the name of a database after the host, as in ${FORM}`);
  const [name, password] = [decoded(read.username), decoded(read.password)];
  if (name === null || password === null)
    return refuse(
      'a user and a password in which % and two hexadecimal digits stand for a character (%25 for %)',
    );
  const port = params.get('port') ?? (read.port || '5432');
  const named = [...params].flatMap(([param, value]) => (/pass|secret|token|key/i.test(param) ? value : []));
  const secrets = [password, read.password, ...named].filter((each) => each !== '');
  const shown = host.startsWith('/') ? host : `${host}:${port}`;
  return { url, shown, user: params.get('user') ?? (name || undefined), secrets };
}

/** The URL of a socket may have a user and no host, which only PostgreSQL can parse. */
function readUrl(url: string): URL | null {
  for (const each of [url, url.replace('@/', '@socket.invalid/')]) {
    try {
      return new URL(each);
    } catch {
      // Try the other form.
    }
  }
  return null;
}

function decoded(text: string): string | null {
  try {
    return decodeURIComponent(text);
  } catch {
    return null;
  }
}
