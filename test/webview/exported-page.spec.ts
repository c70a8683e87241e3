import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Browser, Page, Request } from 'playwright-core';
import { ARTIFACTS } from '../../scripts/support/paths.ts';
import { SessionStore } from '../../src/agent/session/store';
import { exportedSession } from '../../src/export/exported-session';
import { sessionToHtml } from '../../src/export/to-html';
import { assistant, user } from '../agent/session/support';
import { richSession } from '../export/rich-session';
import { testBrowser } from './harness/harness';

const PICTURES = join(ARTIFACTS, 'sessions');

describe('an exported session in a browser', function () {
  this.timeout(120_000);
  let browser: Browser;
  let folder: string;
  let page: Page;
  let dialogs: string[];
  let requests: string[];
  let complaints: string[];

  before(async () => {
    browser = await testBrowser();
    folder = mkdtempSync(join(tmpdir(), 'hookline-export-'));
    mkdirSync(PICTURES, { recursive: true });
  });

  after(() => rmSync(folder, { recursive: true, force: true }));

  async function show(html: string, colorScheme: 'light' | 'dark' = 'light'): Promise<void> {
    const file = join(folder, 'session.html');
    writeFileSync(file, html);
    page = await browser.newPage({ colorScheme, viewport: { width: 900, height: 900 } });
    dialogs = [];
    requests = [];
    complaints = [];
    page.on('dialog', dialog => {
      dialogs.push(dialog.message());
      void dialog.dismiss();
    });
    const went = (request: Request): void => {
      const isOwn = request.url() === pathToFileURL(file).href || request.url().startsWith('data:');
      // The browser tells of requests that the policy refused as well.
      if (!isOwn && request.failure()?.errorText !== 'csp') requests.push(request.url());
    };
    page.on('requestfinished', went);
    page.on('requestfailed', went);
    page.on('console', message => complaints.push(message.text()));
    await page.goto(pathToFileURL(file).href);
  }

  const exported = (store: SessionStore): string => [...sessionToHtml(exportedSession(store, 'tree'))].join('');

  for (const scheme of ['light', 'dark'] as const) {
    it(`is drawn with its own style and images, in ${scheme} colours`, async () => {
      await show(exported(richSession()), scheme);
      const ground = await page.evaluate(() => getComputedStyle(document.body).backgroundColor);
      assert.equal(ground, scheme === 'light' ? 'rgb(255, 255, 255)' : 'rgb(13, 17, 23)');
      assert.equal(await page.locator('img').evaluate(image => (image as HTMLImageElement).naturalWidth), 1);
      const tool = page.locator('details.tool').first();
      assert.equal(await tool.locator('pre').first().isVisible(), false);
      await page.screenshot({ path: join(PICTURES, `exported-${scheme}.png`) });
      await tool.locator('summary').click();
      assert.equal(await tool.locator('pre').first().isVisible(), true);
      await page.getByRole('link', { name: 'Branch 1', exact: true }).click();
      assert.equal(await page.getByText('Done another way.').isVisible(), false);
      await page.locator('#branch-1 > summary').click();
      assert.equal(await page.getByText('Done another way.').isVisible(), true);
      await page.screenshot({ path: join(PICTURES, `exported-${scheme}-open.png`), fullPage: true });
      assert.deepEqual([dialogs, requests, complaints], [[], [], []]);
      await page.close();
    });
  }

  it('runs nothing and fetches nothing of what stands in the session', async () => {
    const evil = [
      '<script>alert(1)</script>',
      '"><img src=x onerror=alert(2)><svg onload=alert(3)>',
      '[click](javascript:alert(4)) [data](data:text/html,<script>alert(5)</script>) <a href="javascript:alert(6)">x</a>',
      '![pixel](https://elsewhere.test/pixel.png) <link rel=stylesheet href=https://elsewhere.test/x.css>',
      '</style><style>body{display:none}</style></title><meta http-equiv=refresh content="0;url=https://elsewhere.test">',
      '<iframe src="javascript:alert(7)"></iframe><form action="https://elsewhere.test"><input autofocus onfocus=alert(8)>',
      '\u202Egnp.exe',
    ].join('\n\n');
    const store = SessionStore.inMemory('/w');
    store.appendMessage(user(evil));
    store.appendMessage({
      ...assistant(''),
      model: evil,
      content: [
        { type: 'text', text: evil },
        { type: 'thinking', thinking: evil },
        { type: 'toolCall', id: 'c', name: evil, arguments: { command: evil } },
      ],
    });
    store.appendSessionInfo(evil);
    await show(exported(store));
    for (const summary of await page.locator('summary').all()) await summary.click();
    assert.equal(await page.locator('script, iframe, form, input, svg, link, img').count(), 0);
    assert.equal(await page.locator('a[href^="javascript"], a[href^="data"]').count(), 0);
    assert.equal(await page.evaluate(() => getComputedStyle(document.body).display), 'block');
    assert.match(await page.locator('article.user').innerText(), /⟦U\+202E⟧gnp\.exe/);
    assert.deepEqual([dialogs, requests, complaints], [[], [], []]);
    await page.close();
  });

  it('is held by its policy even if something slipped through', async () => {
    const hole =
      '<script>alert(1)</script><img src="https://elsewhere.test/x.png" onerror="alert(2)"><base href="https://elsewhere.test/">';
    await show(exported(richSession()).replace('<main>', `<main>${hole}<p style="color:red">x</p>`));
    await page.locator('footer').waitFor();
    assert.deepEqual([dialogs, requests], [[], []]);
    assert.ok(complaints.length >= 4, complaints.join('\n'));
    await page.close();
  });
});
