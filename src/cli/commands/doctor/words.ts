import { counted } from '../../../story/index.ts';
import { harmless } from '../../input/refusal.ts';
import type { Page } from '../../terminal/page.ts';
import { wrap } from '../../terminal/wrap.ts';
import type { Examined } from './examine.ts';
import type { Finding } from './finding.ts';

const LABELS = { problem: 'PROBLEM', warning: 'WARNING' } as const;
const INDENT = 10;

/** One block for each finding, then what was checked. */
export function doctorLines({ findings, sound, unchecked }: Examined, page: Page): string[] {
  const blocks = findings.flatMap((finding) => [...block(finding, page), '']);
  const count = (severity: Finding['severity']): number =>
    findings.filter((each) => each.severity === severity).length;
  const total = `${counted(count('problem'), 'problem')}, ${counted(count('warning'), 'warning')}`;
  const clean = sound.length === 0 ? [] : wrap(`no problem found in: ${sound.join(', ')}`, page.columns, 2);
  const open = unchecked.length === 0 ? [] : wrap(`not checked: ${unchecked.join(', ')}`, page.columns, 2);
  return [...blocks, ...(findings.length === 0 ? [] : [total]), ...clean, ...open];
}

/** Commands are to be copied, so what comes from members is made harmless, and lines break at spaces only. */
function block({ severity, subject, what, next }: Finding, { columns, paint }: Page): string[] {
  const style = severity === 'problem' ? 'red' : 'yellow';
  const text = (words: string): string[] => wrap(plainLine(words), columns - INDENT, 0);
  const head = text(`${subject}: ${what}`);
  const advice = text(next);
  return [
    ...head.map((line, i) =>
      i === 0 ? `${paint(LABELS[severity].padEnd(INDENT), style)}${line}` : `${' '.repeat(INDENT)}${line}`,
    ),
    ...advice.map((line, i) => `${(i === 0 ? '  do' : '').padEnd(INDENT)}${line}`),
  ];
}

/** Longer than any finding of ours; what members say may be longer. */
const LONGEST = 2000;

function plainLine(words: string): string {
  const line = harmless(words).replaceAll('\n', ' ');
  return line.length > LONGEST ? `${line.slice(0, LONGEST)}…` : line;
}
