// `npm run l10n`: which texts a language lacks, as JSON to be filled in, and which it has in vain.
import { getL10nJson } from '@vscode/l10n-dev';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { extname, join } from 'node:path';
import { isMain, runMain } from './support/fail.mjs';
import { ROOT } from './support/paths.ts';

type Texts = Readonly<Record<string, string>>;

/** Of one file of translations, in keys. */
interface Gaps {
  readonly file: string;
  /** With the English text. */
  readonly missing: Texts;
  readonly unused: readonly string[];
  /** Their translation is empty or has other placeholders. */
  readonly broken: readonly string[];
}

/** Languages that are kept complete, as VS Code names them. */
const LANGUAGES = ['de'];

/** What the translations lack or have in vain: of the manifest (package.nls.json) and of the code (every `l10n.t`). */
async function translationGaps(): Promise<Gaps[]> {
  const manifest = readJson('package.nls.json');
  const code = await textsOfTheCode();
  return LANGUAGES.flatMap(language => [
    gapsOf(`package.nls.${language}.json`, manifest),
    gapsOf(`l10n/bundle.l10n.${language}.json`, code),
  ]);
}

/** Key to English message of every `l10n.t` in the sources. */
async function textsOfTheCode(): Promise<Texts> {
  const files = ['src/**/*.ts', 'webview/**/*.ts'].flatMap(pattern => globSync(pattern, { cwd: ROOT })).sort();
  const found = await getL10nJson(
    files.map(file => ({ extension: extname(file), contents: readFileSync(join(ROOT, file), 'utf8') })),
  );
  return Object.fromEntries(
    Object.entries(found).map(([key, text]) => [key, typeof text === 'string' ? text : text.message]),
  );
}

function gapsOf(file: string, wanted: Texts): Gaps {
  const present = existsSync(join(ROOT, file)) ? readJson(file) : {};
  const texts = Object.entries(wanted);
  return {
    file,
    missing: Object.fromEntries(texts.filter(([key]) => !(key in present))),
    unused: Object.keys(present).filter(key => !(key in wanted)),
    broken: texts.filter(([key, text]) => !fits(text, present[key] ?? text)).map(([key]) => key),
  };
}

function fits(message: string, translation: string): boolean {
  return translation.trim() !== '' && placeholders(message) === placeholders(translation);
}

function placeholders(text: string): string {
  return [...new Set(text.match(/\{\w+\}/g))].sort().join();
}

function readJson(file: string): Texts {
  return JSON.parse(readFileSync(join(ROOT, file), 'utf8')) as Texts;
}

/** One line a problem, for people. */
export async function translationProblems(): Promise<string[]> {
  return (await translationGaps()).flatMap(({ file, missing, unused, broken }) => [
    ...Object.keys(missing).map(key => `${file} lacks ${JSON.stringify(key)}`),
    ...unused.map(key => `${file}: nothing uses ${JSON.stringify(key)}`),
    ...broken.map(key => `${file}: other placeholders than in ${JSON.stringify(key)}`),
  ]);
}

if (isMain(import.meta.url)) {
  await runMain(async () => {
    const gaps = await translationGaps();
    console.log(JSON.stringify(gaps, undefined, 2));
    return gaps.some(({ missing, unused, broken }) => Object.keys(missing).length + unused.length + broken.length > 0)
      ? 1
      : 0;
  });
}
