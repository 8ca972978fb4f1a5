/** Draws figures of a bench as an SVG that is readable on light and dark pages. */
import { writeFileSync } from 'node:fs';

interface Panel {
  readonly title: string;
  readonly bars: readonly { readonly label: string; readonly value: number }[];
}

const PANEL = 240;
const LABELS = 56;
const LONGEST = 120;
const ROW = 22;
const TOP = 56;

/** Panels side by side, each with one horizontal bar for every value; each panel has a scale of its own, from 0 on. */
export function writeBars(file: string, title: string, panels: readonly Panel[]): void {
  const rows = Math.max(...panels.map(({ bars }) => bars.length));
  const [width, height] = [PANEL * panels.length, TOP + ROW * rows + 8];
  const drawn = panels.flatMap((panel, i) => drawPanel(panel, i * PANEL));
  const svg = [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-label="${title}">`,
    '<style>',
    'text { font: 12px system-ui, sans-serif; fill: #24292f } .title { font-weight: 600 } rect { fill: #2f6feb }',
    '@media (prefers-color-scheme: dark) { text { fill: #e6edf3 } rect { fill: #6ea8ff } }',
    '</style>',
    `<text class="title" x="8" y="18">${title}</text>`,
    ...drawn,
    '</svg>',
  ];
  writeFileSync(file, `${svg.join('\n')}\n`);
}

function drawPanel({ title, bars }: Panel, left: number): readonly string[] {
  const largest = Math.max(...bars.map(({ value }) => value), Number.MIN_VALUE);
  return [
    `<text x="${left + LABELS}" y="42">${title}</text>`,
    ...bars.flatMap(({ label, value }, i) => {
      const y = TOP + i * ROW;
      const length = Math.max(1, (value / largest) * LONGEST);
      const shown = value >= 100 ? Math.round(value).toLocaleString('en-US') : value.toFixed(1);
      return [
        `<text x="${left + LABELS - 6}" y="${y + 12}" text-anchor="end">${label}</text>`,
        `<rect x="${left + LABELS}" y="${y}" width="${length.toFixed(1)}" height="16" rx="2"/>`,
        `<text x="${(left + LABELS + length + 6).toFixed(1)}" y="${y + 12}">${shown}</text>`,
      ];
    }),
  ];
}
