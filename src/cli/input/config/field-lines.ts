const TOKEN = /"(?:[^"\\]|\\.)*"|[{}[\],:]|[^\s"{}[\],:]+|\n/g;

/**
 * The line on which each field of a JSON text begins, by its path (`peers[1].url`). The text is known to be valid
 * JSON.
 */
export function fieldLines(text: string): ReadonlyMap<string, number> {
  const lines = new Map<string, number>();
  /** For each open object or list: its path, and in a list the index of the next item. */
  const open: { path: string; index: number | null; name: string | null }[] = [];
  let line = 1;
  const here = (): string => {
    const top = open.at(-1);
    if (top === undefined) return '';
    if (top.index !== null) return `${top.path}[${top.index}]`;
    return top.path === '' ? (top.name ?? '') : `${top.path}.${top.name}`;
  };
  for (const [token] of text.matchAll(TOKEN)) {
    const top = open.at(-1);
    if (token === '\n') line++;
    else if (token === '}' || token === ']') open.pop();
    else if (token === ',') {
      if (top?.index !== null && top !== undefined) top.index++;
      else if (top !== undefined) top.name = null;
    } else if (token === ':') continue;
    else if (top !== undefined && top.index === null && top.name === null) {
      top.name = JSON.parse(token);
      lines.set(here(), line);
    } else {
      if (top !== undefined && top.index !== null) lines.set(here(), line);
      if (token === '{') open.push({ path: here(), index: null, name: null });
      if (token === '[') open.push({ path: here(), index: 0, name: null });
    }
  }
  return lines;
}
