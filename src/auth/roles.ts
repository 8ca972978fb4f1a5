/**
 * What each path of the HTTP API needs, in one table, and the decision whether a request has it.
 *
 *   open      health checks, and the files of the page: no token is ever needed
 *   read      questions; needs a token only if the member is closed
 *   operate   commands; a token that may operate may also read
 *   lead      the leases of participants (`caucus://`); a token that may lead may also read
 *   peer      messages between voters: authenticated by the voter itself (a secret or a certificate), never by a token
 *   chaos     kills and stops processes (`caucus up --chaos`): always needs a token
 */
import type { NamedToken, Tokens } from './tokens.ts';

export const ROLES = ['read', 'operate', 'lead', 'peer', 'chaos'] as const;
export type Role = (typeof ROLES)[number];
export type Need = Role | 'open';

type Method = 'GET' | 'POST' | 'PUT';

/** HEAD and OPTIONS need what GET needs. `/elections/NAME/…` needs what the path behind the name needs. */
export const NEEDS: readonly (readonly [method: Method, path: string, need: Need])[] = [
  ['GET', '/leader', 'open'],
  ['GET', '/primary', 'open'],
  ['GET', '/read-write', 'open'],
  ['GET', '/replica', 'open'],
  ['GET', '/read-only', 'open'],
  ['GET', '/health', 'open'],
  ['GET', '/liveness', 'open'],
  ['GET', '/readiness', 'open'],
  // A browser sends no token when it loads a page. The files are the same everywhere and say nothing of the cluster.
  ['GET', '/ui', 'open'],
  ['GET', '/ui/{file}', 'open'],
  ['GET', '/', 'read'],
  ['GET', '/status', 'read'],
  ['GET', '/cluster', 'read'],
  ['GET', '/history', 'read'],
  ['GET', '/value', 'read'],
  ['GET', '/runs', 'read'],
  ['GET', '/watch', 'read'],
  ['GET', '/elections', 'read'],
  ['GET', '/changes', 'read'],
  ['GET', '/members', 'read'],
  ['GET', '/metrics', 'read'],
  ['GET', '/diagnosis', 'read'],
  ['GET', '/openapi.json', 'read'],
  ['GET', '/fleet', 'read'],
  ['POST', '/election/start', 'operate'],
  ['POST', '/resign', 'operate'],
  ['POST', '/transfer', 'operate'],
  ['POST', '/switchover', 'operate'],
  ['POST', '/remove', 'operate'],
  ['PUT', '/value', 'operate'],
  ['POST', '/members/add', 'operate'],
  ['POST', '/members/remove', 'operate'],
  ['POST', '/members/replace', 'operate'],
  ['POST', '/drain', 'operate'],
  ['POST', '/pause', 'operate'],
  ['POST', '/resume', 'operate'],
  ['POST', '/leases/take', 'lead'],
  ['POST', '/leases/renew', 'lead'],
  ['POST', '/leases/release', 'lead'],
  ['POST', '/leases/publish', 'lead'],
  ['POST', '/leases/ask', 'lead'],
  // They take nothing, and a participant that only watches needs no more.
  ['POST', '/leases/read', 'read'],
  ['POST', '/leases/watch', 'read'],
  ['POST', '/register', 'peer'],
  ['POST', '/witness', 'peer'],
  ['POST', '/fleet/kill', 'chaos'],
  ['POST', '/fleet/pause', 'chaos'],
  ['POST', '/fleet/resume', 'chaos'],
  ['POST', '/fleet/start', 'chaos'],
];

const TABLE: ReadonlyMap<string, Need> = new Map(
  NEEDS.map(([method, path, need]) => [`${method} ${path}`, need]),
);

/**
 * What a request needs: one of these. A path may be a command of an operator and a message of a voter: its body says
 * which, and is read only if the request may be at least one of the two. A path that is in no table needs what
 * changes things need, so that a new path is never open by mistake.
 */
export function needsOf(method: string, path: string, isMessage: boolean): readonly Need[] {
  if (method === 'GET' || method === 'HEAD' || method === 'OPTIONS') {
    const need = TABLE.get(`GET ${path.startsWith('/ui/') ? '/ui/{file}' : path}`) ?? 'read';
    return isMessage ? [need, 'peer'] : [need];
  }
  const need = TABLE.get(`${method} ${path}`);
  if (!isMessage) return [need ?? 'operate'];
  return need === undefined || need === 'peer' ? ['peer'] : [need, 'peer'];
}

/** Who may do what with a member. */
export interface Access {
  readonly tokens: Tokens;
  /** Do questions need a token too? */
  readonly closed: boolean;
  /** May any client operate while there are no tokens for it? */
  readonly isOpen: boolean;
}

export type Verdict =
  /** `token`: the one that was needed; null if none was. */
  | { readonly isGranted: true; readonly token: NamedToken | null }
  | { readonly isGranted: false; readonly why: Lack };

/** No token was sent; it is none of ours; it lacks the role; or no token could have the role. */
export type Lack = 'missing' | 'unknown' | 'role' | 'shut';

/** May a request with this token (null: without one) do what needs this role? Peers are not judged here. */
export function judge(access: Access, need: Exclude<Need, 'peer'>, sent: string | null): Verdict {
  const { tokens, closed, isOpen } = access;
  if (need === 'open' || (need === 'read' && !closed)) return { isGranted: true, token: null };
  if ((need === 'operate' || need === 'lead') && isOpen && !needsToken(access, need))
    return { isGranted: true, token: null };
  if (!tokens.grants(need)) return { isGranted: false, why: 'shut' };
  if (sent === null) return { isGranted: false, why: 'missing' };
  const token = tokens.find(sent);
  if (token === null) return { isGranted: false, why: 'unknown' };
  return includes(token.roles, need) ? { isGranted: true, token } : { isGranted: false, why: 'role' };
}

/** Does one of these roles allow it? The result of a command shows what may be read, so its sender may read. */
export function includes(roles: readonly Role[], need: Role): boolean {
  return roles.includes(need) || (need === 'read' && (roles.includes('operate') || roles.includes('lead')));
}

/** Must a request for this role carry a token? */
export function needsToken({ tokens, closed }: Access, role: Exclude<Role, 'peer'>): boolean {
  if (role === 'chaos') return true;
  // With any token of an operator, a participant or a reader, commands and leases need one: a member that tells its readers
  // apart has operators too.
  return closed || (role !== 'read' && tokens.grants('read'));
}
