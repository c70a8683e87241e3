import type { Plugin } from 'esbuild';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../support/paths.ts';

const HIGHLIGHTER = join(ROOT, 'src', 'hook-load', 'modules', 'root', 'terminal', 'highlighter.js');

/** Makes what is slow to make with its first use, where a library makes it with its import: Unicode's tables, 36 languages, Markdown's patterns. */
export function lateStartPlugin(): Plugin {
  return {
    name: 'late-start',
    setup(build) {
      build.onLoad({ filter: /pi-tui[\\/]dist[\\/]utils\.js$/ }, ({ path }) => {
        const source = replaceAllOf(path, [['= /^\\p{RGI_Emoji}$/v;', '= /* @__PURE__ */ lateEmoji();']]);
        const contents = source.replaceAll(
          /= new Intl\.Segmenter\(undefined, (\{ granularity: "\w+" \})\);/g,
          '= /* @__PURE__ */ lateSegmenter($1);',
        );
        if (contents === source) throw new Error(`${path}: it makes its segmenters in a new way`);
        return { contents: contents + LATE_SEGMENTER + LATE_EMOJI, loader: 'js' };
      });
      build.onLoad({ filter: /pi-tui[\\/]dist[\\/]components[\\/]markdown\.js$/ }, ({ path }) => ({
        contents: replaceAllOf(path, LATE_PARSER),
        loader: 'js',
      }));
      build.onLoad({ filter: /pi-tui[\\/]dist[\\/]index\.js$/ }, ({ path }) => ({
        contents: replaceAllOf(path, [['export { Marked } from "marked";', LATE_MARKED]]),
        loader: 'js',
      }));
      build.onLoad({ filter: /[\\/]highlighter\.js$/ }, ({ path }) =>
        path === HIGHLIGHTER ? { contents: LATE_HIGHLIGHTER, loader: 'js' } : undefined,
      );
    },
  };
}

/** The text of a file after replacements, each of which must be possible. */
function replaceAllOf(path: string, replacements: readonly (readonly [string, string])[]): string {
  let text = readFileSync(path, 'utf8');
  for (const [from, to] of replacements) {
    if (!text.includes(from)) throw new Error(`${path}: it does not contain ${from}`);
    text = text.replace(from, () => to);
  }
  return text;
}

/** pi-tui makes its parser of Markdown with its import; here, the first text that is drawn makes it. */
const LATE_PARSER: readonly (readonly [string, string])[] = [
  ['import { Marked, Tokenizer } from "marked";', "const marked = () => require('marked');"],
  [
    'import markedCjkFriendly from "marked-cjk-friendly";',
    "const markedCjkFriendly = () => require('marked-cjk-friendly').default();",
  ],
  [
    'class MarkdownTokenizer extends Tokenizer {',
    'const tokenizerClass = () => class MarkdownTokenizer extends marked().Tokenizer {',
  ],
  [
    'const markdownParser = new Marked();',
    'const makeParser = () => { const markdownParser = new (marked().Marked)();',
  ],
  ['new MarkdownTokenizer()', 'new (tokenizerClass())()'],
  ['export class Markdown {', 'return markdownParser; }; let parser;\nexport class Markdown {'],
  ['markdownParser.lexer(', '(parser ??= makeParser()).lexer('],
];

/** Stands for the class `Marked`, which is loaded with its first use. */
const LATE_MARKED = `
const marked = () => require('marked').Marked;
export const Marked = new Proxy(function Marked() {}, {
  construct: (target, given, made) => Reflect.construct(marked(), given, made === Marked ? marked() : made),
  get: (target, key) => Reflect.get(marked(), key),
});
`;

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

/** Stands for the pattern of all emoji, of which V8 reads a table of thousands when the pattern is made. */
const LATE_EMOJI = `
function lateEmoji() {
  let made;
  return { test: text => (made ??= new RegExp('^\\\\p{RGI_Emoji}$', 'v')).test(text) };
}
`;

const LATE_HIGHLIGHTER = `
const common = () => require('highlight.js/lib/common');
export const highlighter = {
  getLanguage: name => common().getLanguage(name),
  highlight: (code, options) => common().highlight(code, options),
};
`;
