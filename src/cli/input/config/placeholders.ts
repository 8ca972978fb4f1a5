/**
 * `${NAME}` and `${NAME:default}` in the values of a file stand for variables of the environment, as in the
 * application.yml of Quarkus and Spring. `\${` is a plain `${`. An empty variable counts as unset.
 */
import { BadInput, show } from '../../../core/index.ts';

const START = '${';
const NAME = /^[A-Za-z_][\w.-]*$/;

/** The value with all placeholders in its texts replaced. `path` names it in an error. */
export function expand(value: unknown, env: NodeJS.ProcessEnv, path: string): unknown {
  if (typeof value === 'string') return expandText(value, env, path);
  if (Array.isArray(value)) return value.map((each, i) => expand(each, env, `${path}[${i}]`));
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).map(
    ([key, each]) => [key, expand(each, env, `${path}.${key}`)] as const,
  );
  return Object.fromEntries(entries);
}

function expandText(text: string, env: NodeJS.ProcessEnv, path: string): string {
  let expanded = '';
  let rest = text;
  for (;;) {
    const at = rest.indexOf(START);
    if (at < 0) return expanded + rest;
    if (rest[at - 1] === '\\') {
      expanded += `${rest.slice(0, at - 1)}${START}`;
      rest = rest.slice(at + START.length);
      continue;
    }
    const end = closingBrace(rest, at + START.length);
    if (end < 0) throw new BadInput(path, 'a closing brace for each placeholder', show(text));
    expanded += rest.slice(0, at) + variableOf(rest.slice(at + START.length, end), env, path);
    rest = rest.slice(end + 1);
  }
}

/** A default may have braces of its own: JSON, or another placeholder. */
function closingBrace(text: string, from: number): number {
  let open = 1;
  for (let at = from; at < text.length; at++) {
    if (text[at] === '{') open++;
    if (text[at] === '}') open--;
    if (open === 0) return at;
  }
  return -1;
}

function variableOf(inner: string, env: NodeJS.ProcessEnv, path: string): string {
  const cut = inner.indexOf(':');
  const name = cut < 0 ? inner : inner.slice(0, cut);
  if (!NAME.test(name)) throw new BadInput(path, 'the name of a variable in braces after a $', show(name));
  const found = env[name];
  if (found !== undefined && found !== '') return found;
  if (cut >= 0) return expandText(inner.slice(cut + 1), env, path);
  if (found === '') return '';
  throw new BadInput(
    path,
    `the variable ${name} in the environment, or a default as in \${${name}:…}`,
    'none',
  );
}
