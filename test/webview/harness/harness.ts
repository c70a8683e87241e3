import * as esbuild from 'esbuild';
import { basename } from 'node:path';
import { chromium, type Browser, type BrowserContext, type Page } from 'playwright-core';
import german from '../../../l10n/bundle.l10n.de.json';
import { findBrowser } from '../../../scripts/browser.ts';
import { webviewOptions } from '../../../scripts/build/options.ts';
import { readPageMessage, type HostToWebview, type WebviewToHost } from '../../../src/protocol/messages';
import { PAGE_ACTIVITY } from '../../../src/protocol/page-activity';
import { pageHtml } from '../../../src/vscode/pages/page-html';
import themes from './themes.json';

/** The chat page in a real browser with its real CSP and a stand-in for VS Code around it. */

export const ORIGIN = 'http://chat.test';
const NONCE = 'testnonce';

export type Theme = 'dark' | 'light' | 'hc-dark' | 'hc-light';

const BODY_CLASSES: { readonly [T in Theme]: string } = {
  dark: 'vscode-dark',
  light: 'vscode-light',
  'hc-dark': 'vscode-high-contrast',
  'hc-light': 'vscode-high-contrast vscode-high-contrast-light',
};

/** What the page tells of its window, at any time. */
const OF_THE_WINDOW: ReadonlySet<string> = new Set(['cells', 'theme', 'focused', 'scrolled']);

/** What the stand-in keeps inside the page. */
export interface Inside {
  /** Messages of the page, without reports of activity. */
  readonly sent: unknown[];
  /** The types of all messages, in order. */
  readonly order: string[];
  readonly violations: string[];
}

export interface ChatHarness {
  readonly page: Page;
  /** Texts of uncaught errors and console errors. */
  readonly errors: string[];
  /** Addresses that were asked for beyond the page's own files; all were refused. */
  readonly requests: string[];
  /** Lets the host say something. */
  post(...messages: HostToWebview[]): Promise<void>;
  /** What the page said, oldest first; each is checked against the protocol. Not what it tells of its window. */
  sent(): Promise<readonly WebviewToHost[]>;
  /** What the page said of one type, all types included. */
  sentOf<T extends WebviewToHost['type']>(type: T): Promise<readonly Extract<WebviewToHost, { type: T }>[]>;
  /** CSP violations seen in the page. */
  violations(): Promise<readonly string[]>;
  /**
   * Connects the page with a host of its own: all it has said, and says from now on, goes to `receive`. The result says
   * something to the page at once, and does nothing once it is closed.
   */
  connect(receive: (message: unknown) => void): Promise<(message: HostToWebview) => void>;
  /** Loads the page anew with what it saved, and answers its `ready`. */
  reload(snapshot: HostToWebview): Promise<void>;
  close(): Promise<void>;
}

export interface HarnessOptions {
  readonly theme?: Theme;
  readonly width?: number;
  readonly height?: number;
  /** Texts are English without it. */
  readonly language?: 'de';
}

/** A page of ours with nothing said to it yet, and what became of it. */
export interface OpenPage {
  readonly page: Page;
  readonly errors: string[];
  readonly requests: string[];
}

let files: Promise<ReadonlyMap<string, Buffer>> | undefined;
let browser: Promise<Browser> | undefined;
let context: Promise<BrowserContext> | undefined;

/**
 * The browser of this process. It starts once, and closes after all tests. All tabs of a context are in one renderer process,
 * which compiles the code of our pages only once.
 */
export function testBrowser(): Promise<Browser> {
  browser ??= startBrowser();
  return browser;
}

async function startBrowser(): Promise<Browser> {
  const { executablePath, env, args } = await findBrowser();
  return chromium.launch({ executablePath, env, args: [...args, '--renderer-process-limit=1'] });
}

async function openContext(): Promise<BrowserContext> {
  const opened = await (await testBrowser()).newContext({ reducedMotion: 'reduce', locale: 'en-US' });
  await opened.newPage(); // Stays open: without a tab, the renderer process may end.
  return opened;
}

after(async () => {
  await (await browser)?.close();
});

/** Opens the page and answers its `ready` with a snapshot. */
export async function openChat(first: HostToWebview, options: HarnessOptions = {}): Promise<ChatHarness> {
  const { page, errors, requests } = await openPage('main', options);
  const harness = new Harness(page, errors, requests);
  await harness.load(first);
  return harness;
}

/**
 * Opens one of our pages in a tab of its own, with its CSP and VS Code's stand-in around it; it has yet to be loaded from
 * {@link ORIGIN}. The caller closes the tab.
 */
export async function openPage(name: 'main' | 'log' | 'tree' | 'replay', options: HarnessOptions): Promise<OpenPage> {
  const { theme = 'dark', width = 420, height = 800, language } = options;
  files ??= buildPage();
  const built = await files;
  const document = Buffer.from(htmlOf(name, language));
  context ??= openContext();
  const page = await (await context).newPage();
  await page.setViewportSize({ width, height });
  page.setDefaultTimeout(45_000);
  const errors: string[] = [];
  const requests: string[] = [];
  page.on('pageerror', error => errors.push(error.message));
  page.on('console', message => message.type() === 'error' && errors.push(message.text()));
  await page.addInitScript(standIn, {
    variables: themeVariables(theme),
    bodyClass: BODY_CLASSES[theme],
    look: DEFAULT_LOOK,
    activity: PAGE_ACTIVITY.type,
  });
  await page.route('**/*', async route => {
    const url = new URL(route.request().url());
    const body = url.origin !== ORIGIN ? undefined : url.pathname === '/' ? document : built.get(url.pathname);
    if (body) return route.fulfill({ body, contentType: contentType(url.pathname) });
    requests.push(url.href);
    return route.abort();
  });
  return { page, errors, requests };
}

class Harness implements ChatHarness {
  constructor(
    readonly page: Page,
    readonly errors: string[],
    readonly requests: string[],
  ) {}

  async load(first: HostToWebview): Promise<void> {
    await this.page.goto(`${ORIGIN}/`);
    await this.page.waitForFunction(() => (window as unknown as { inside: Inside }).inside.sent.length > 0);
    await this.post(first);
    await this.page.waitForSelector('[data-hookline="chat"][data-ready="true"]');
  }

  async reload(snapshot: HostToWebview): Promise<void> {
    await this.load(snapshot);
  }

  async post(...messages: HostToWebview[]): Promise<void> {
    await this.page.evaluate(async list => {
      for (const message of list) window.postMessage(message, '*');
      // Messages are delivered in turn, and a frame later what they said is drawn.
      await new Promise(done => {
        const channel = new MessageChannel();
        channel.port1.onmessage = () => requestAnimationFrame(() => requestAnimationFrame(done));
        setTimeout(() => {
          channel.port2.postMessage(0);
        });
      });
    }, messages);
  }

  async connect(receive: (message: unknown) => void): Promise<(message: HostToWebview) => void> {
    await this.page.exposeFunction('toHost', receive);
    await this.page.evaluate(() => {
      const { inside, toHost } = window as unknown as { inside: Inside; toHost: (message: unknown) => void };
      const keep = inside.sent.push.bind(inside.sent);
      inside.sent.push = (...messages) => {
        messages.forEach(toHost);
        return keep(...messages);
      };
      inside.sent.forEach(toHost);
    });
    return message => {
      // A host goes on speaking while its page closes.
      this.page
        .evaluate(said => {
          window.postMessage(said, '*');
        }, message)
        .catch(() => undefined);
    };
  }

  async sent(): Promise<readonly WebviewToHost[]> {
    return (await this.all()).filter(({ type }) => !OF_THE_WINDOW.has(type));
  }

  private async all(): Promise<readonly WebviewToHost[]> {
    const raw = await this.page.evaluate(() => (window as unknown as { inside: Inside }).inside.sent);
    return raw.map(message => {
      const read = readPageMessage(message);
      if (!read) throw new Error(`the page sent what is not in the protocol: ${JSON.stringify(message)}`);
      return read;
    });
  }

  async sentOf<T extends WebviewToHost['type']>(type: T): Promise<readonly Extract<WebviewToHost, { type: T }>[]> {
    const all = await this.all();
    return all.filter((message): message is Extract<WebviewToHost, { type: T }> => message.type === type);
  }

  violations(): Promise<readonly string[]> {
    return this.page.evaluate(() => (window as unknown as { inside: Inside }).inside.violations);
  }

  async close(): Promise<void> {
    await this.page.close();
  }
}

/** What VS Code's own style sheet for webviews would change if the page did not set it. */
const DEFAULT_LOOK = `@layer vscode-default {
  body { padding: 0 20px; background-color: transparent; color: var(--vscode-editor-foreground); }
  code { padding: 1px 3px; border-radius: 4px; color: var(--vscode-textPreformat-foreground);
    background-color: var(--vscode-textPreformat-background); }
  blockquote { background: var(--vscode-textBlockQuote-background); }
  kbd { padding: 1px 3px; box-shadow: inset 0 -1px 0 black; vertical-align: middle; }
  img { max-height: 100%; }
}`;

/** Runs in the page before its own script: what VS Code puts around a webview. */
function standIn({
  variables,
  bodyClass,
  look,
  activity,
}: {
  variables: Record<string, string>;
  bodyClass: string;
  look: string;
  activity: string;
}): void {
  const inside: Inside = { sent: [], order: [], violations: [] };
  const api = {
    postMessage: (message: { readonly type: string }) => {
      inside.order.push(message.type);
      if (message.type !== activity) inside.sent.push(JSON.parse(JSON.stringify(message)));
    },
    getState: () => JSON.parse(sessionStorage.getItem('state') ?? 'null') as unknown,
    setState: (state: unknown) => {
      sessionStorage.setItem('state', JSON.stringify(state));
    },
  };
  Object.assign(window, { inside, acquireVsCodeApi: () => api });
  document.addEventListener('securitypolicyviolation', event => {
    inside.violations.push(`${event.violatedDirective} ${event.blockedURI} ${event.sample}`);
  });
  const defaults = new CSSStyleSheet();
  defaults.replaceSync(look);
  document.addEventListener('readystatechange', () => {
    document.adoptedStyleSheets = [defaults];
    for (const [name, value] of Object.entries(variables)) document.documentElement.style.setProperty(name, value);
    document.body.classList.add(...bodyClass.split(' '));
    document.body.style.background = 'var(--vscode-sideBar-background)';
  });
}

function themeVariables(theme: Theme): Record<string, string> {
  return {
    '--vscode-font-family': 'system-ui, sans-serif',
    '--vscode-font-size': '13px',
    '--vscode-editor-font-family': 'monospace',
    '--vscode-editor-font-size': '12px',
    ...themes[theme],
  };
}

async function buildPage(): Promise<ReadonlyMap<string, Buffer>> {
  const { outputFiles } = await esbuild.build({
    ...webviewOptions({ production: true }),
    metafile: false,
    sourcemap: false,
    write: false,
  });
  return new Map(outputFiles.map(file => [`/${basename(file.path)}`, Buffer.from(file.contents)] as const));
}

function htmlOf(name: string, language: HarnessOptions['language']): string {
  const messages = language === undefined ? undefined : (german as Readonly<Record<string, string>>);
  return pageHtml({
    script: `/${name}.js`,
    style: `/${name}.css`,
    cspSource: ORIGIN,
    nonce: NONCE,
    language: language ?? 'en',
    messages,
  });
}

function contentType(path: string): string {
  if (path.endsWith('.js')) return 'text/javascript';
  if (path.endsWith('.css')) return 'text/css';
  return path.endsWith('.ttf') ? 'font/ttf' : 'text/html; charset=utf-8';
}
