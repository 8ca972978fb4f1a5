import type { Definition } from '../core/index.ts';
import { epoch } from './epoch.ts';

/** Every election by name: what `--protocol` accepts. */
export const catalogue: Readonly<Record<string, Definition>> = { epoch };
