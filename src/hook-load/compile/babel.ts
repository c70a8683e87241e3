import { createRequire } from 'node:module';
import { join } from 'node:path';
import type { BabelTransform } from './compile';

/**
 * Loads jiti's `babel.cjs` from its folder (`dist/jiti` of the extension). The first load takes about 150 ms, so call
 * this only when something must be compiled. The file has no types; its export has the shape {@link BabelTransform}.
 */
export function babelFrom(jitiDir: string): BabelTransform {
  return createRequire(join(jitiDir, 'from-here.cjs'))('./babel.cjs') as BabelTransform;
}
