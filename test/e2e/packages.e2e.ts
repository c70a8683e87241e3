import assert from 'node:assert/strict';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Locator } from 'playwright-core';
import { FakeRegistry } from '../support/fake-registry';
import { openWorkbench, waitFor, type Workbench } from './support/workbench';

const TOOLS = {
  name: 'pi-tools',
  manifest: { keywords: ['pi-package'], description: 'Answers /greet and brings a prompt', license: 'MIT' },
  files: {
    'extensions/greet.ts': 'export default pi => pi.registerCommand("greet", { handler: async () => undefined });\n',
    'prompts/hello.md': 'Say hello\n',
    'CHANGELOG.md': '## 1.0.0\n\nThe first one.\n',
  },
};

describe('packages, seen', () => {
  let workbench: Workbench;
  let registry: FakeRegistry;
  let cache: string;

  before(async () => {
    registry = await FakeRegistry.open();
    registry.publish({ ...TOOLS, version: '1.0.0' });
    registry.publish({ name: 'pi-lost', version: '2.0.0', files: { 'prompts/lost.md': 'Found\n' } });
    cache = mkdtempSync(join(tmpdir(), 'hookline-npm-'));
    workbench = await openWorkbench({
      env: registry.environment(cache),
      homeFiles: {
        '.pi/agent/settings.json': JSON.stringify({ theme: 'dark', packages: ['npm:pi-lost'] }, undefined, 2),
      },
    });
  });
  after(async () => {
    await workbench.close();
    await registry.close();
    rmSync(cache, { recursive: true, force: true, maxRetries: 5 });
  });

  const row = (label: string): Locator =>
    workbench.page.locator('.monaco-list-row[role="treeitem"]', { hasText: label }).first();
  const toast = (text: string): Locator => workbench.page.locator('.notification-toast', { hasText: text }).first();
  const press = async (label: string, button: string): Promise<void> => {
    await row(label).hover();
    await row(label).getByRole('button', { name: button }).click();
  };
  /** The page with what a package would do, and the question about it; everything is as it was before. */
  const asked = async (name: string, ...lines: readonly string[]): Promise<void> => {
    const frame = await workbench.frameWith(`.markdown-body h1:has-text("${name}")`);
    for (const line of lines) await frame.locator('.markdown-body', { hasText: line }).waitFor();
    await waitFor(
      async () => ((await workbench.quickInput.placeholder()).startsWith('Approve what') ? true : undefined),
      { what: `the question about ${name}` },
    );
  };
  /** The page after the decision: it says one line, and no longer the other. */
  const says = async (line: string, hasNotText: string): Promise<void> => {
    const frame = await workbench.frameWith('.markdown-body h1:has-text("pi-tools")');
    await frame.locator('.markdown-body', { hasText: line }).filter({ hasNotText }).waitFor();
  };
  const install = async (source: string): Promise<void> => {
    await workbench.runCommand('Hookline: Install Package…');
    await workbench.quickInput.type(source);
    await workbench.quickInput.opened({ withItems: true });
    await workbench.quickInput.accept();
    await workbench.quickInput.chooseByKeyboard('For you');
  };
  const settings = (): unknown =>
    (JSON.parse(readFileSync(join(workbench.place.home, '.pi/agent/settings.json'), 'utf8')) as { packages: unknown })
      .packages;
  const installed = (name: string): string => join(workbench.place.home, '.pi/agent/npm/node_modules', name);
  const becomes = (what: string, check: () => boolean): Promise<true> =>
    waitFor(() => Promise.resolve(check() ? true : undefined), { what });

  it('that are declared and missing are offered to be installed', async () => {
    await workbench.runCommand('Hookline Hooks: Focus on Packages View');
    await row('pi-lost').waitFor();
    await toast('Packages that are declared but not installed: npm:pi-lost').waitFor();
    await workbench.screenshot('packages-missing');
    await toast('declared but not installed').getByRole('button', { name: 'Install' }).click();
    await asked('pi-lost 2.0.0');
    await workbench.quickInput.chooseByKeyboard('Approve');
    await becomes('pi-lost is there', () => existsSync(join(installed('pi-lost'), 'prompts/lost.md')));
    await row('2.0.0').waitFor();
  });

  it('are found on npm, and a download can be cancelled', async () => {
    registry.hold();
    await workbench.runCommand('Hookline: Install Package…');
    await workbench.quickInput.type('pi-to');
    await waitFor(async () => ((await workbench.quickInput.text()).includes('Answers /greet') ? true : undefined), {
      what: 'what npm found',
    });
    await workbench.screenshot('packages-search');
    assert.match((await workbench.quickInput.activeItem()) ?? '', /pi-tools/);
    await workbench.quickInput.accept();
    await workbench.quickInput.chooseByKeyboard('For you');
    await registry.whenHeld();
    await toast('Installing npm:pi-tools').waitFor();
    await workbench.screenshot('packages-installing');
    await toast('Installing npm:pi-tools').getByRole('button', { name: 'Cancel' }).click();
    await toast('Installing npm:pi-tools').waitFor({ state: 'detached' });
    assert.deepEqual(settings(), ['npm:pi-lost']);
    assert.ok(!existsSync(installed('pi-tools')));
    registry.release();
  });

  it('are previewed before they are put in their place, and a no leaves everything as it was', async () => {
    await install('npm:pi-tools');
    await asked('pi-tools 1.0.0', 'published by tester · on 2026-01-02', 'Command /greet', 'None of it has run yet.');
    assert.equal((await workbench.quickInput.activeItem())?.trim(), "Don't Run");
    assert.ok(!existsSync(installed('pi-tools')));
    await workbench.screenshot('packages-preview');
    await workbench.quickInput.accept();
    await says('You did not approve it. None of it has run.', 'None of it has run yet.');
    await workbench.page.locator('.statusbar', { hasText: 'Not approved. Nothing was changed.' }).waitFor();
    await toast('Installing npm:pi-tools').waitFor({ state: 'detached' });
    assert.deepEqual(await workbench.notifications(), []);
    assert.deepEqual(settings(), ['npm:pi-lost']);
    assert.ok(!existsSync(installed('pi-tools')));
  });

  it('stand in the view with their parts, which can be turned off', async () => {
    await install('npm:pi-tools');
    await asked('pi-tools 1.0.0');
    await workbench.quickInput.chooseByKeyboard('Approve');
    await toast('pi-tools is installed (all folders). It brings greet.ts, hello.md.').waitFor();
    await row('pi-tools').waitFor();
    await says('You approved it.', 'None of it has run yet.');
    await workbench.screenshot('packages-approved');
    await row('pi-tools').click();
    await row('greet.ts').waitFor();
    await row('hello.md').waitFor();
    await row('hello.md').locator('.monaco-custom-toggle, .custom-view-tree-node-item-checkbox').first().click();
    await becomes('the filter', () => JSON.stringify(settings()).includes('-prompts/hello.md'));
    assert.deepEqual(settings(), ['npm:pi-lost', { source: 'npm:pi-tools', prompts: ['-prompts/hello.md'] }]);
    await workbench.page.locator('.monaco-list-row', { hasText: 'greet.ts' }).first().waitFor();
    await workbench.screenshot('packages-view');
  });

  it('are turned off and on by a button, at once', async () => {
    await press('pi-tools', 'Turn Off Package…');
    await row('turned off').waitFor();
    await workbench.screenshot('packages-off');
    await press('pi-tools', 'Turn On Package…');
    await row('turned off').waitFor({ state: 'detached' });
  });

  it('are updated when there is something newer and its changes are approved, and removed', async () => {
    const more = `${TOOLS.files['extensions/greet.ts']}void (() => fetch('https://collect.example.net/x'));\n`;
    registry.publish({ ...TOOLS, files: { ...TOOLS.files, 'extensions/greet.ts': more }, version: '1.1.0' });
    await workbench.runCommand('Hookline: Check for Package Updates');
    await toast('Updates available: pi-tools').waitFor();
    await row('update: 1.1.0').waitFor();
    await workbench.screenshot('packages-update');
    await toast('Updates available').getByRole('button', { name: 'Update' }).click();
    await asked('pi-tools 1.1.0', 'Changed since 1.0.0', '+ Host collect.example.net');
    assert.match(readFileSync(join(installed('pi-tools'), 'package.json'), 'utf8'), /"version":"1\.0\.0"/);
    await workbench.screenshot('packages-update-preview');
    await workbench.quickInput.chooseByKeyboard('Approve');
    await row('1.1.0 · npm:pi-tools').waitFor();
    await workbench.runCommand('Hookline: Remove Package…');
    await workbench.quickInput.type('pi-tools');
    await workbench.quickInput.accept();
    await workbench.page.locator('.monaco-dialog-box').getByRole('button', { name: 'Remove' }).click();
    await becomes('the declaration is gone', () => !JSON.stringify(settings()).includes('pi-tools'));
    await row('pi-tools').waitFor({ state: 'detached' });
    assert.ok(!existsSync(installed('pi-tools')));
    await workbench.screenshot('packages-removed');
  });

  it('are installed by their name or path when npm cannot be reached', async () => {
    const folder = join(workbench.place.home, 'my-prompts');
    mkdirSync(join(folder, 'prompts'), { recursive: true });
    writeFileSync(join(folder, 'prompts/own.md'), 'Mine\n');
    await registry.close();
    await workbench.runCommand('Hookline: Install Package…');
    await workbench.quickInput.type('pi-else');
    await workbench.page
      .locator('.quick-input-title', {
        hasText: 'npm cannot be searched; type the name of a package. The npm registry cannot be reached',
      })
      .waitFor();
    assert.match((await workbench.quickInput.activeItem()) ?? '', /npm:pi-else.*as typed/s);
    await workbench.screenshot('packages-unreachable');
    await workbench.quickInput.cancel();
    await install(join(workbench.place.home, 'no-such-folder'));
    await toast(`${join(workbench.place.home, 'no-such-folder')} does not exist.`).waitFor();
    await install(folder);
    await toast('my-prompts is installed (all folders). It brings own.md.').waitFor();
    await workbench.screenshot('packages-local-installed');
    await toast('my-prompts is installed').getByRole('button', { name: 'Show Packages' }).click();
    await row('my-prompts').waitFor();
    await becomes('the declaration', () => JSON.stringify(settings()).includes('my-prompts'));
  });
});
