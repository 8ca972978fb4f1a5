/** The colours of the light theme as values: a picture has to look the same without the page. */
export const INK = {
  ground: '#ffffff',
  text: '#1b1f24',
  quiet: '#565d68',
  line: '#d4d8de',
  edge: '#767d88',
  accent: '#005f99',
  alarm: '#b04a00',
  leader: '#7a5c00',
  '--keep-alive': '#6f6f6f',
  '--request': '#00795a',
  '--vote': '#0072b2',
  '--claim': '#a36a00',
  '--announce': '#a8488a',
  '--quiet': '#565d68',
} as const;

type Attributes = Readonly<Record<string, string | number>>;

/** One element as text. Everything from a run is escaped, since a run may come from an untrusted source. */
export function tag(name: string, attributes: Attributes, inside = ''): string {
  const list = Object.entries(attributes).map(([key, value]) => ` ${key}="${escaped(tidy(value))}"`);
  return inside === '' ? `<${name}${list.join('')}/>` : `<${name}${list.join('')}>${inside}</${name}>`;
}

export function label(x: number, y: number, said: string, attributes: Attributes = {}): string {
  return tag('text', { x, y, fill: INK.text, 'font-size': 12, ...attributes }, escaped(said));
}

export function picture(width: number, height: number, title: string, inside: string): string {
  const ground = tag('rect', { width, height, fill: INK.ground });
  const attributes = {
    xmlns: 'http://www.w3.org/2000/svg',
    viewBox: `0 0 ${width} ${height}`,
    width,
    height,
    'font-family': 'system-ui, sans-serif',
  };
  return `${tag('svg', attributes, tag('title', {}, escaped(title)) + ground + inside)}\n`;
}

function escaped(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');
}

function tidy(value: string | number): string {
  return typeof value === 'number' ? String(Math.round(value * 100) / 100) : value;
}
