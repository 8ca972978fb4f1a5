/** What survives `JSON.parse(JSON.stringify(x))` unchanged: the only kind of data a protocol keeps or sends. */
export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };

/** A deep copy of plain data. Protocol states are plain by rule, so one copy function serves them all. */
export function clonePlain<T>(value: T): T {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) {
    const copy: unknown[] = new Array(value.length);
    for (let i = 0; i < value.length; i++) copy[i] = clonePlain(value[i]);
    return copy as T;
  }
  const copy: Record<string, unknown> = {};
  for (const key in value) {
    if (key === '__proto__') {
      // Assigning it would change the copy's prototype; as a key of parsed JSON it is a field like any other.
      Object.defineProperty(copy, key, {
        value: clonePlain(value[key]),
        enumerable: true,
        writable: true,
        configurable: true,
      });
    } else {
      copy[key] = clonePlain(value[key]);
    }
  }
  return copy as T;
}
