import { BadInput } from '../core/index.ts';

type PemOptions = Readonly<Partial<Record<'ca' | 'cert' | 'key', string | Buffer>>>;

/** The certificates among the options, checked. `scheme`: that of the engine without TLS; with TLS it has one s more. */
export function pemOptions({ ca, cert, key }: PemOptions, isSecure: boolean, scheme: string): PemOptions {
  const given = Object.entries({ ca, cert, key }).filter(([, text]) => text !== undefined);
  for (const [option, text] of given) {
    if (!isSecure) throw new BadInput(option, `to be given only with ${scheme}s://`, `${scheme}://`);
    if (!Buffer.isBuffer(text) && !(typeof text === 'string' && text.includes('-----BEGIN')))
      throw new BadInput(option, 'the text of a PEM file, not its path', typeof text);
  }
  if ((cert === undefined) !== (key === undefined))
    throw new BadInput(cert === undefined ? 'cert' : 'key', 'to be given together with the other', 'nothing');
  return Object.fromEntries(given) as PemOptions;
}
