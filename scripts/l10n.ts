// `npm run l10n`: prints which texts have no translation, and which translations are not used, broken or there twice, as JSON.
import { getL10nJson } from '@vscode/l10n-dev';
import { parseTree } from 'jsonc-parser';
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
  /** Keys that the file has twice: only the last one counts. */
  readonly twice: readonly string[];
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
  const keys = keysIn(file);
  const texts = Object.entries(wanted);
  return {
    file,
    missing: Object.fromEntries(texts.filter(([key]) => !(key in present))),
    unused: Object.keys(present).filter(key => !(key in wanted)),
    broken: texts.filter(([key, text]) => !fits(text, present[key] ?? text)).map(([key]) => key),
    twice: keys.filter((key, at) => keys.indexOf(key) !== at),
  };
}

/** The keys of a file of translations, as they are written. */
function keysIn(file: string): readonly string[] {
  if (!existsSync(join(ROOT, file))) return [];
  const properties = parseTree(readFileSync(join(ROOT, file), 'utf8'))?.children ?? [];
  return properties.map(({ children }) => String(children?.[0]?.value));
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
  return (await translationGaps()).flatMap(({ file, missing, unused, broken, twice }) => [
    ...Object.keys(missing).map(key => `${file} lacks ${JSON.stringify(key)}`),
    ...unused.map(key => `${file}: nothing uses ${JSON.stringify(key)}`),
    ...broken.map(key => `${file}: other placeholders than in ${JSON.stringify(key)}`),
    ...twice.map(key => `${file} has ${JSON.stringify(key)} twice`),
  ]);
}

if (isMain(import.meta.url)) {
  await runMain(async () => {
    console.log(JSON.stringify(await translationGaps(), undefined, 2));
    return (await translationProblems()).length > 0 ? 1 : 0;
  });
}
