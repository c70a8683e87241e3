import { createRequire } from 'node:module';
import { join } from 'node:path';
import type { BabelTransform } from './compile';

/**
 * jiti's `babel.cjs` from its folder (`dist/jiti` of the extension). Takes about 150 ms the first time, so it is asked for
 * when it is needed. A bare module of CommonJS: it has no types, its shape is {@link BabelTransform}.
 */
export function babelFrom(jitiDir: string): BabelTransform {
  return createRequire(join(jitiDir, 'from-here.cjs'))('./babel.cjs') as BabelTransform;
}
