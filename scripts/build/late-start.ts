import type { Plugin } from 'esbuild';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../support/paths.ts';

const HIGHLIGHTER = join(ROOT, 'src', 'hooks', 'load', 'modules', 'root', 'terminal', 'highlighter.js');

/** Makes what is slow to make with its first use, where a library makes it with its import: Unicode's tables, 36 languages. */
export function lateStartPlugin(): Plugin {
  return {
    name: 'late-start',
    setup(build) {
      build.onLoad({ filter: /pi-tui[\\/]dist[\\/]utils\.js$/ }, ({ path }) => {
        const source = readFileSync(path, 'utf8');
        const contents = source.replaceAll(
          /= new Intl\.Segmenter\(undefined, (\{ granularity: "\w+" \})\);/g,
          '= /* @__PURE__ */ lateSegmenter($1);',
        );
        if (contents === source) throw new Error(`${path}: it makes its segmenters in a new way`);
        return { contents: contents + LATE_SEGMENTER, loader: 'js' };
      });
      build.onLoad({ filter: /[\\/]highlighter\.js$/ }, ({ path }) =>
        path === HIGHLIGHTER ? { contents: LATE_HIGHLIGHTER, loader: 'js' } : undefined,
      );
    },
  };
}

const LATE_SEGMENTER = `
function lateSegmenter(options) {
  let made;
  const real = () => (made ??= new Intl.Segmenter(undefined, options));
  return Object.create(Intl.Segmenter.prototype, {
    segment: { value: text => real().segment(text) },
    resolvedOptions: { value: () => real().resolvedOptions() },
  });
}
`;

const LATE_HIGHLIGHTER = `
const common = () => require('highlight.js/lib/common');
export const highlighter = {
  getLanguage: name => common().getLanguage(name),
  highlight: (code, options) => common().highlight(code, options),
};
`;
