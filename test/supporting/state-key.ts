/**
 * A text that two states share if they hold the same. Objects go by what they hold, and those that occur again by the place where they
 * occurred first; what is named `…AtMs` goes by how far it is from now.
 */
export function keyOf(root: object, nowMs: number, leftOut: ReadonlySet<object>): string {
  const seen = new Map<object, number>();
  const parts: string[] = [];
  const visit = (value: unknown, name: string): void => {
    if (typeof value === 'number' && name.endsWith('AtMs')) parts.push(String(value - nowMs));
    else if (typeof value === 'function') parts.push('f');
    else if (typeof value !== 'object' || value === null) parts.push(String(value));
    else if (leftOut.has(value)) parts.push('w');
    else if (seen.has(value)) parts.push(`@${seen.get(value)}`);
    else {
      seen.set(value, seen.size);
      parts.push('{');
      if (value instanceof Map || value instanceof Set)
        for (const [key, each] of value.entries()) {
          visit(key, '');
          visit(each, '');
        }
      else
        for (const [key, each] of Object.entries(value)) {
          parts.push(key);
          visit(each, key);
        }
      parts.push('}');
    }
  };
  visit(root, '');
  return parts.join(' ');
}
