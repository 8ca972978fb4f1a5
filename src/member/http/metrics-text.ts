type Labels = Readonly<Record<string, string | number>>;

/** Writes the text format of Prometheus: each metric once, with its help and type, then its samples. */
export class MetricsText {
  #lines: string[] = [];

  add(
    name: string,
    type: 'counter' | 'gauge',
    help: string,
    samples: Iterable<readonly [labels: Labels, value: number | bigint]>,
  ): void {
    this.#lines.push(`# HELP ${name} ${help}`, `# TYPE ${name} ${type}`);
    for (const [labels, value] of samples)
      this.#lines.push(`${name}${labelsOf(labels)} ${numberText(value)}`);
  }

  toString(): string {
    return `${this.#lines.join('\n')}\n`;
  }
}

function labelsOf(labels: Labels): string {
  const pairs = Object.entries(labels).map(([name, value]) => `${name}="${escaped(String(value))}"`);
  return pairs.length === 0 ? '' : `{${pairs.join(',')}}`;
}

function escaped(value: string): string {
  return value.replace(/\\/g, '\\\\').replace(/"/g, '\\"').replace(/\n/g, '\\n');
}

function numberText(value: number | bigint): string {
  if (value === Number.POSITIVE_INFINITY) return '+Inf';
  return `${value}`;
}
