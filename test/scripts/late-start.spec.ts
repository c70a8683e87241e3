import assert from 'node:assert/strict';
import * as esbuild from 'esbuild';
import { mkdtempSync, readFileSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { hostOptions } from '../../scripts/build/options.ts';
import { ROOT } from '../../scripts/support/paths.ts';

interface Bundle {
  getWordSegmenter(): Intl.Segmenter;
  visibleWidth(text: string): number;
  readonly Marked: new () => { parse(text: string): string };
  readonly Markdown: new (text: string, x: number, y: number, theme: object) => { render(width: number): string[] };
  highlightCodeWith(theme: () => { fg(color: string, text: string): string }, code: string, language: string): string[];
  readonly seen: readonly string[];
}

describe('what is made with its first use', function () {
  this.timeout(60_000);
  let folder: string;

  before(() => {
    folder = realpathSync(mkdtempSync(join(tmpdir(), 'hookline-late-')));
  });
  after(() => rmSync(folder, { recursive: true }));

  it('is not made by an import, and works', async () => {
    const contents = `import { seen } from 'seen';
      export { visibleWidth, Markdown, Marked } from '@mariozechner/pi-tui';
      export { getWordSegmenter } from './node_modules/@mariozechner/pi-tui/dist/utils.js';
      export { highlightCodeWith } from './src/hook-load/modules/root/terminal/highlight';
      export { seen };`;
    const watched = `export const seen = [];
      const Real = Intl.Segmenter;
      Intl.Segmenter = class extends Real { constructor(...given) { super(...given); seen.push('made'); } };
      const Pattern = RegExp;
      globalThis.RegExp = class extends Pattern { constructor(...given) { super(...given); if (/RGI/.test(given[0])) seen.push('emoji'); } };
      globalThis.sawMarked = () => seen.push('marked');`;
    const { plugins, ...options } = hostOptions({ production: false, outdir: folder });
    const planted: esbuild.Plugin = {
      name: 'planted',
      setup(build) {
        build.onResolve({ filter: /^seen$/ }, () => ({ path: 'seen', namespace: 'planted' }));
        build.onLoad({ filter: /marked\.esm\.js$/ }, ({ path }) => ({
          contents: `${readFileSync(path, 'utf8')}\nglobalThis.sawMarked();`,
        }));
        build.onLoad({ filter: /.*/, namespace: 'planted' }, () => ({ contents: watched }));
      },
    };
    await esbuild.build({
      ...options,
      entryPoints: undefined as never, // `stdin` takes their place.
      stdin: { contents, resolveDir: ROOT, loader: 'ts', sourcefile: 'late.ts' },
      outdir: folder,
      plugins: [...plugins, planted],
    });
    const real = Intl.Segmenter;
    const pattern = RegExp;
    try {
      const bundle = (await import(pathToFileURL(join(folder, 'stdin.js')).href)) as Bundle; // What was just written.
      assert.deepEqual(bundle.seen, []);
      const segmenter = bundle.getWordSegmenter();
      assert.ok(segmenter instanceof real);
      assert.deepEqual(
        [...segmenter.segment('two words')].map(({ segment }) => segment),
        ['two', ' ', 'words'],
      );
      assert.equal(segmenter.resolvedOptions().granularity, 'word');
      assert.deepEqual(bundle.seen, ['made']);
      assert.equal(bundle.visibleWidth('\u6f22'), 2);
      assert.doesNotMatch(bundle.seen.join(), /emoji/);
      assert.equal(bundle.visibleWidth('\u{1f468}\u200d\u{1f469}\u200d\u{1f467}'), 2);
      assert.match(bundle.seen.join(), /emoji/);
      const as = (text: string): string => text;
      const theme = new Proxy({}, { get: () => as });
      assert.doesNotMatch(bundle.seen.join(), /marked/);
      assert.match(new bundle.Markdown('a **bold** word', 0, 0, theme).render(40).join(''), /^a bold word/);
      assert.match(bundle.seen.join(), /marked/);
      class Own extends bundle.Marked {}
      assert.ok(new Own() instanceof Own);
      assert.ok(new bundle.Marked() instanceof bundle.Marked);
      assert.equal(new bundle.Marked().parse('*word*'), '<p><em>word</em></p>\n');
      const colored = bundle.highlightCodeWith(
        () => ({ fg: (color, text) => `<${color}>${text}` }),
        'const a = 1;',
        'js',
      );
      assert.match(colored.join(), /^<syntaxKeyword>const/);
    } finally {
      Reflect.set(Intl, 'Segmenter', real);
      Reflect.set(globalThis, 'RegExp', pattern);
      Reflect.deleteProperty(globalThis, 'sawMarked');
    }
  });
});
