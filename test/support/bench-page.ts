import { createRequire } from 'node:module';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import type * as Esbuild from 'esbuild';
import type * as Playwright from 'playwright-core';
import type * as Finding from '../../scripts/browser.ts';
import type * as Options from '../../scripts/build/options.ts';
import type { Figures } from './bench';

/** Left out of the bundle: they find their own files beside themselves. */
const fromHere = createRequire(resolve('package.json'));
const playwright = fromHere('playwright-core') as typeof Playwright;
const esbuild = fromHere('esbuild') as typeof Esbuild;

const WIDTH = 420;

/** As in `test/webview/harness/long-list.ts`, which runs in the browser. */
type Measure = (way: string, count: number) => Promise<Figures>;

/** A browser and the code of the page. */
export interface PageBench {
  readonly browser: Playwright.Browser;
  readonly script: string;
  readonly style: string;
}

async function script(name: string): Promise<unknown> {
  return import(pathToFileURL(resolve('scripts', name)).href);
}

/** Builds the list of the chat page and starts a browser for it; the caller closes that. */
export async function openPageBench(folder: string): Promise<PageBench> {
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

/** Draws `count` messages in one of the ways of the harness. */
export async function measurePage(
  { browser, script: code, style }: PageBench,
  way: string,
  count: number,
): Promise<Figures> {
  const page = await browser.newPage({ viewport: { width: WIDTH, height: 800 } });
  try {
    await page.setContent('<!doctype html><html><body></body></html>');
    await page.addStyleTag({ content: style });
    await page.addScriptTag({ content: code });
    return await page.evaluate(
      given => (globalThis as unknown as { measureLongList: Measure }).measureLongList(given.way, given.count),
      { way, count },
    );
  } finally {
    await page.close();
  }
}
