import { describeBounds } from '../../../exploration/index.ts';
import { counted, duration, grouped, nameProperty } from '../../../story/index.ts';
import type { Page } from '../../terminal/page.ts';
import { copyable, entry } from '../../terminal/table.ts';
import { wrap } from '../../terminal/wrap.ts';
import type { CheckResult, ToldViolation } from './result.ts';

/** The indent of the lines of a history, wide enough for three digits. */
const INDENT = 6;

/** The result of a check, for people. */
export function checkWords(
  result: CheckResult,
  promised: readonly string[],
  file: string | null,
  page: Page,
): string[] {
  const { protocol, members, violations } = result;
  const broken = violations.filter((violation) => violation.claimed);
  const title = `${protocol}: ${counted(members.length, 'member')}, every order of events`;
  return [
    page.paint(title, 'bold'),
    '',
    ...violations.flatMap((violation) => [...history(violation, promised, page), '']),
    ...stuck(result, page),
    verdict(broken.length, promised, result, page),
    '',
    ...promises(result, promised, page),
    ...search(result, page),
    ...(file === null ? [] : [copyable(page, 'see it happen', `npx caucus simulate ${file}`)]),
  ];
}

function verdict(broken: number, promised: readonly string[], result: CheckResult, { paint }: Page): string {
  const { complete, fingerprints } = result;
  if (broken > 0) return paint(`${counted(broken, 'promise')} broken.`, 'red', 'bold');
  const what = promised.length === 0 ? 'Nothing was promised' : 'No promise is broken';
  if (!complete) return paint(`${what} so far, but the search is not complete.`, 'yellow', 'bold');
  const barring =
    fingerprints === null
      ? ''
      : `, barring two states with the same fingerprint (probability < ${probability(fingerprints.collisionProbability)})`;
  return paint(`${what}, and the search within the bounds is complete${barring}.`, 'green', 'bold');
}

/** Rounded up, so that it is a bound. */
function probability(exact: number): string {
  const digits = Math.floor(Math.log10(Math.max(exact, 1e-12)));
  return `${Math.ceil(exact / 10 ** digits) || 1}e${digits}`;
}

function history(violation: ToldViolation, promised: readonly string[], page: Page): string[] {
  const { property, claimed, detail, shortest, trace } = violation;
  const outside = promised.includes(property) ? 'was not promised for this case' : 'was not promised';
  const verdict = claimed ? 'BROKEN' : `does not hold, and ${outside}`;
  const head = `${property} (${nameProperty(property)}) ${verdict}: ${detail}`;
  const heading = wrap(head, page.columns, 2).map((line) => page.paint(line, claimed ? 'red' : 'yellow'));
  const length = page.paint(
    `  ${shortest ? 'no history is shorter' : 'there may be shorter histories'}:`,
    'dim',
  );
  return [...heading, length, ...numbered(trace, page)];
}

function numbered(lines: readonly string[], { columns }: Page): string[] {
  return lines.flatMap((line, i) =>
    wrap(line, columns - INDENT - 1, 0).map(
      (part, k) => `${(k === 0 ? `${i + 1}  ` : '').padStart(INDENT)}${part}`,
    ),
  );
}

function stuck({ eventually }: CheckResult, page: Page): string[] {
  if (eventually.failed === null) return [];
  const head = 'After this, the members never agree, although no further fault happens:';
  return [page.paint(head, 'yellow'), ...numbered(eventually.failed, page), ''];
}

function promises({ violations }: CheckResult, promised: readonly string[], page: Page): string[] {
  const broken = violations.filter(({ claimed }) => claimed).map(({ property }) => property);
  const kept = promised.filter((property) => !broken.includes(property as ToldViolation['property']));
  const others = violations.filter(({ claimed }) => !claimed).map(({ property }) => property);
  const never = others.filter((property) => !promised.includes(property));
  const elsewhere = others.filter((property) => promised.includes(property));
  return [
    ...(kept.length === 0 ? [] : entry(page, 'kept', kept.join(' '), ['green'])),
    ...(broken.length === 0 ? [] : entry(page, 'BROKEN', broken.join(' '), ['red'])),
    ...(never.length === 0 ? [] : entry(page, 'not promised', `${never.join(' ')} did not hold`)),
    ...(elsewhere.length === 0
      ? []
      : entry(
          page,
          'past the promise',
          `${elsewhere.join(' ')} did not hold where their assumptions did not`,
        )),
  ];
}

function search(result: CheckResult, page: Page): string[] {
  const { bounds, states, transitions, beyond, depth, seconds, statesPerSecond, sometimes, eventually } =
    result;
  const unseen = Object.keys(sometimes).filter((sight) => !sometimes[sight]);
  const speed = `${duration(seconds * 1000)}, ${grouped(statesPerSecond)} a second`;
  return [
    ...entry(page, 'bounds', describeBounds(bounds).join('; ')),
    ...entry(page, 'states', `${grouped(states)} in ${speed}; ${ways(result)}`),
    ...entry(
      page,
      'transitions',
      `${grouped(transitions)}, of which ${grouped(beyond)} led past a bound; depth ${grouped(depth)}`,
    ),
    ...entry(
      page,
      'sometimes',
      unseen.length === 0
        ? `all ${Object.keys(sometimes).length} were seen`
        : `never seen: ${unseen.join(', ')} (so these bounds say nothing about it; widen them to see it)`,
      unseen.length === 0 ? [] : ['yellow'],
    ),
    ...entry(
      page,
      'eventually',
      `all agree, from ${grouped(eventually.agreed)} of ${counted(eventually.tried, 'state')} that were tried`,
      eventually.failed === null ? [] : ['yellow'],
    ),
  ];
}

function ways({ covering, asymmetry, fingerprints }: CheckResult): string {
  const members =
    asymmetry === null
      ? 'members are treated as interchangeable'
      : `members are not interchangeable (${asymmetry})`;
  const told = fingerprints === null ? '' : `, told apart by fingerprints of ${fingerprints.bits} bits`;
  return `${covering ? 'states that cover others replace them' : `every state separately${told}`}; ${members}`;
}
