import { createRequire } from 'node:module';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import type * as Esbuild from 'esbuild';
import type * as Playwright from 'playwright-core';
import type * as Finding from '../../scripts/browser.ts';
import type * as Options from '../../scripts/build/options.ts';
import { bench, benchCase, type Figures } from '../support/bench';

/** Left out of the bundle: they find their own files beside themselves. */
const fromHere = createRequire(resolve('package.json'));
const playwright = fromHere('playwright-core') as typeof Playwright;
const esbuild = fromHere('esbuild') as typeof Esbuild;

const MESSAGES = 5_000;
const WIDTH = 420;

/** As in `test/webview/harness/long-list.ts`, which runs in the browser. */
type Measure = (way: string, count: number) => Promise<Figures>;

interface Place {
  readonly browser: Playwright.Browser;
  readonly script: string;
  readonly style: string;
}

async function script(name: string): Promise<unknown> {
  return import(pathToFileURL(resolve('scripts', name)).href);
}

async function open(folder: string): Promise<Place> {
  const { findBrowser } = (await script('browser.ts')) as typeof Finding;
  const { webviewOptions } = (await script('build/options.ts')) as typeof Options;
  const { outputFiles } = await esbuild.build({
    ...webviewOptions({ production: true }),
    entryPoints: [resolve('test/webview/harness/long-list.ts')],
    outdir: join(folder, 'page'),
    splitting: false,
    format: 'iife',
    metafile: false,
    sourcemap: false,
    write: false,
  });
  const textOf = (ending: string): string => outputFiles.find(({ path }) => path.endsWith(ending))?.text ?? '';
  const { executablePath, env, args } = await findBrowser();
  const browser = await playwright.chromium.launch({ executablePath, env, args });
  return { browser, script: textOf('.js'), style: textOf('.css') };
}

async function measure({ browser, script: code, style }: Place, way: string): Promise<Figures> {
  const page = await browser.newPage({ viewport: { width: WIDTH, height: 800 } });
  try {
    await page.setContent('<!doctype html><html><body></body></html>');
    await page.addStyleTag({ content: style });
    await page.addScriptTag({ content: code });
    return await page.evaluate(
      given => (globalThis as unknown as { measureLongList: Measure }).measureLongList(given.way, given.count),
      { way, count: MESSAGES },
    );
  } finally {
    await page.close();
  }
}

const HEAD = '5,000 messages in a page, against content-visibility';

const list = benchCase<Place>({
  rows: [
    { name: `${HEAD}: until drawn`, figure: 'drawn', unit: 'ms', aim: { ratio: 1 } },
    { name: `${HEAD}: longest jump`, figure: 'jump', unit: 'ms', aim: { ratio: 1 } },
    { name: `${HEAD}: one more word of the last answer`, figure: 'word', unit: 'ms', aim: { ratio: 1.25 } },
    { name: `${HEAD}: elements`, figure: 'elements', unit: 'elements' },
  ],
  setUp: open,
  tearDown: ({ browser }) => browser.close(),
  rounds: 3,
  measure: {
    raw: place => measure(place, 'content-visibility'),
    ours: place => measure(place, 'near'),
  },
});

const whole = benchCase<Place>({
  rows: [
    { name: '5,000 messages in a page, against all of them drawn: until drawn', figure: 'drawn', unit: 'ms' },
    { name: '5,000 messages in a page, against all of them drawn: longest jump', figure: 'jump', unit: 'ms' },
  ],
  setUp: open,
  tearDown: ({ browser }) => browser.close(),
  rounds: 1,
  measure: {
    raw: place => measure(place, 'all'),
    ours: place => measure(place, 'near'),
  },
});

await bench(list, whole);
