import type { AnyJoinOptions } from '../../../member/index.ts';
import { Refusal } from '../refusal.ts';
import type { MemberConfig } from './member-config.ts';

/** Commands that only ask members use this variable too, so alone it does not mean that this member has a certificate. */
const CLIENT_VARIABLE = 'CAUCUS_TLS_CA';

/** The certificates of this member: all three files or none. */
export function tlsOf({
  settings,
  origins,
}: Pick<MemberConfig, 'settings' | 'origins'>): AnyJoinOptions['tls'] {
  const { tlsCert: cert, tlsKey: key, tlsCa: ca, tlsNames: names } = settings;
  const from = (field: string): string | undefined => origins.find((each) => each.field === field)?.from;
  if (cert === undefined && key === undefined && names === undefined) {
    if (ca === undefined || from('tlsCa') === CLIENT_VARIABLE) return undefined;
  }
  if (cert !== undefined && key !== undefined && ca !== undefined)
    return { cert, key, ca, ...(names === undefined ? {} : { names }) };
  const [missing] = Object.entries({ '--tls-cert': cert, '--tls-key': key, '--tls-ca': ca }).find(
    ([, value]) => value === undefined,
  )!;
  const given = ['tlsCert', 'tlsKey', 'tlsCa', 'tlsNames'].find((field) => from(field) !== undefined)!;
  throw new Refusal(`${missing}: expected it beside ${from(given)}, found none`);
}
