import { BadInput, show } from '../../core/index.ts';
import { shownAddress } from '../secrets.ts';

const LABEL = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/;
const FORM = 'kubernetes: or kubernetes:NAMESPACE/';
const NAMESPACE =
  'a namespace: 1 to 63 lower-case letters, digits and -, with a letter or digit at both ends';

/** The namespace that the URL or the option names; null if neither does. Throws BadInput. */
export function namespaceOf(url: string, option: string | undefined): string | null {
  const inUrl = typeof url === 'string' ? /^kubernetes:([^/]*)\/?$/.exec(url)?.[1] : undefined;
  if (inUrl === undefined) throw new BadInput('url', FORM, shownAddress(url));
  if (inUrl !== '' && !isNamespace(inUrl))
    throw new BadInput('url', `${FORM}, with ${NAMESPACE}`, shownAddress(url));
  if (option === undefined) return inUrl === '' ? null : inUrl;
  if (typeof option !== 'string' || !isNamespace(option))
    throw new BadInput('namespace', NAMESPACE, show(option));
  if (inUrl !== '' && inUrl !== option)
    throw new BadInput('namespace', `the same as in the URL (${inUrl}), or nothing`, show(option));
  return option;
}

function isNamespace(text: string): boolean {
  return text.length <= 63 && LABEL.test(text);
}

/** Throws BadInput for a name that no object can have. */
export function checkName(election: string): void {
  const isName = election.length <= 253 && election.split('.').every((part) => LABEL.test(part));
  if (isName) return;
  const form =
    'a name that Kubernetes takes: lower-case letters, digits, - and ., with a letter or digit at both ends';
  throw new BadInput('election', `${form}, 253 at most`, show(election));
}
