/** Draws figures of a bench as an SVG that is readable on light and dark pages. */
import { writeFileSync } from 'node:fs';

export interface Bar {
  readonly label: string;
  /** Infinity: never. */
  readonly value: number;
  /** A thin line goes on to here, as to the 95th percentile. */
  readonly upTo?: number;
}

interface Panel {
  readonly title: string;
  readonly bars: readonly Bar[];
  /** Each factor of ten has the same length; the scale begins at 1 or below. */
  readonly isLogarithmic?: boolean;
}

const LETTER = 6.6;
const LONGEST = 150;
const VALUES = 64;
const ROW = 22;
const TOP = 56;

/** Panels side by side, each with one horizontal bar for every value; each panel has a scale of its own. */
export function writeBars(file: string, title: string, panels: readonly Panel[]): void {
  const rows = Math.max(...panels.map(({ bars }) => bars.length));
  const names = panels.map(({ bars }) => bars.map(({ label }) => label));
  const labels = Math.max(...names.flat().map((name) => name.length)) * LETTER + 14;
  // Panels with the same rows need their names once.
  const isShared = names.every((each) => each.join() === names[0]!.join());
  const panelWidth = LONGEST + VALUES + (isShared ? 0 : labels);
  const width = Math.round(panelWidth * panels.length + (isShared ? labels : 0));
  const height = TOP + ROW * rows + 8;
  const drawn = panels.flatMap((panel, i) => drawPanel(panel, i * panelWidth + labels, i === 0 || !isShared));
  const svg = [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-label="${escaped(title)}">`,
    '<style>',
    'text { font: 12px system-ui, sans-serif; fill: #24292f } .title { font-weight: 600 } rect { fill: #2f6feb } line { stroke: #2f6feb; stroke-width: 2 }',
    '@media (prefers-color-scheme: dark) { text { fill: #e6edf3 } rect { fill: #6ea8ff } line { stroke: #6ea8ff } }',
    '</style>',
    `<text class="title" x="8" y="18">${escaped(title)}</text>`,
    ...drawn.filter((line) => line !== ''),
    '</svg>',
  ];
  writeFileSync(file, `${svg.join('\n')}\n`);
}

function drawPanel(
  { title, bars, isLogarithmic = false }: Panel,
  left: number,
  hasLabels: boolean,
): readonly string[] {
  const lengthOf = scaleOf(bars, isLogarithmic);
  return [
    `<text x="${left}" y="42">${escaped(title)}</text>`,
    ...bars.flatMap(({ label, value, upTo = value }, i) => {
      const y = TOP + i * ROW;
      const name = !hasLabels
        ? ''
        : `<text x="${left - 6}" y="${y + 12}" text-anchor="end">${escaped(label)}</text>`;
      if (!Number.isFinite(value))
        return [name, `<text x="${left}" y="${y + 12}">${value > 0 ? 'never' : ''}</text>`];
      const [length, end] = [lengthOf(value), lengthOf(Math.max(value, upTo))];
      return [
        name,
        `<rect x="${left}" y="${y}" width="${length.toFixed(1)}" height="16" rx="2"/>`,
        ...(end > length
          ? [
              `<line x1="${(left + length).toFixed(1)}" x2="${(left + end).toFixed(1)}" y1="${y + 8}" y2="${y + 8}"/>`,
            ]
          : []),
        `<text x="${(left + end + 6).toFixed(1)}" y="${y + 12}">${shown(value)}</text>`,
      ];
    }),
  ];
}

/** How long the bar of a value is. */
function scaleOf(bars: readonly Bar[], isLogarithmic: boolean): (value: number) => number {
  const values = bars.flatMap(({ value, upTo = value }) => [value, upTo]).filter(Number.isFinite);
  const largest = Math.max(...values, Number.MIN_VALUE);
  if (!isLogarithmic) return (value) => Math.max(1, (value / largest) * LONGEST);
  const least = Math.min(1, ...values.filter((value) => value > 0)) / 2;
  const decades = Math.log10(largest / least);
  return (value) => Math.max(1, (Math.log10(Math.max(value, least) / least) / decades) * LONGEST);
}

function shown(value: number): string {
  return value >= 100 ? Math.round(value).toLocaleString('en-US') : value.toFixed(1);
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');
}
