// `npm run l10n`: prints which texts have no translation, which translations are not used, and which are broken, as JSON.
import { getL10nJson } from '@vscode/l10n-dev';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { extname, join } from 'node:path';
import { isMain, runMain } from './support/fail.mjs';
import { ROOT } from './support/paths.ts';

type Texts = Readonly<Record<string, string>>;

/** What is wrong with one file of translations. */
interface Gaps {
  readonly file: string;
  /** Key -> English text of each text without a translation. */
  readonly missing: Texts;
  /** Keys of translations that no text uses. */
  readonly unused: readonly string[];
  /** Keys whose translation is empty or has other placeholders. */
  readonly broken: readonly string[];
}

/** VS Code's ids of the languages that must be complete. */
const LANGUAGES = ['de'];

/** Checks the translations of the manifest (package.nls.json) and of the code (every `l10n.t`). */
async function translationGaps(): Promise<Gaps[]> {
  const manifest = readJson('package.nls.json');
  const code = await textsOfTheCode();
  return LANGUAGES.flatMap(language => [
    gapsOf(`package.nls.${language}.json`, manifest),
    gapsOf(`l10n/bundle.l10n.${language}.json`, code),
  ]);
}

/** Key -> English message of every `l10n.t` in the sources. */
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

/** The problems of all translations, as one line each; empty when there are none. */
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
