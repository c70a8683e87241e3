import type { Plugin } from 'esbuild';
import { readFileSync } from 'node:fs';

/** `_defineProperty(this, "name",`, where a comment may be before the name. */
const DEFINED_FIELD = /\b_defineProperty\(\s*this,\s*(?:\/\*\*[\s\S]*?\*\/\s*)?"(\w+)",/g;

/**
 * markdown-it 15 sets each field of its tokens and states with `Object.defineProperty`, which took a sixth of the time that
 * parsing needs. This plugin makes plain assignments of them.
 */
export function markdownItPlugin(): Plugin {
  return {
    name: 'markdown-it',
    setup(build) {
      build.onLoad({ filter: /[\\/]markdown-it[\\/]dist[\\/]markdown-it\.mjs$/ }, ({ path }) => {
        const source = readFileSync(path, 'utf8');
        const contents = source.replaceAll(DEFINED_FIELD, '(this.$1 =');
        if (contents === source) throw new Error(`${path}: no defined field was found`);
        return { contents, loader: 'js' };
      });
    },
  };
}
