import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Locator } from 'playwright-core';
import { Chat } from './support/chat';
import { openWorkbench, waitFor, type Workbench } from './support/workbench';

const GATE = `import { execFile } from 'node:child_process';
import type { ExtensionAPI } from '@earendil-works/pi-coding-agent';

/** Keeps the agent from publishing. */
export default function (pi: ExtensionAPI) {
  pi.on('tool_call', event => (event.toolName === 'bash' ? { block: true, reason: 'not published' } : undefined));
  pi.registerCommand('publish', {
    description: 'Publish by hand',
    handler: async () => void execFile('npm', ['publish']),
  });
  void (globalThis.fetch && pi.hologram);
}
`;
const MANIFEST = {
  name: 'acme',
  version: '1.0.0',
  description: 'Keeps the agent from publishing',
  license: 'MIT',
  author: 'Ada',
  scripts: { postinstall: 'node setup.js' },
};

describe('preview of packages', () => {
  let workbench: Workbench;

  before(async () => {
    workbench = await openWorkbench({
      homeFiles: {
        '.pi/agent/settings.json': JSON.stringify({ packages: ['npm:acme'] }),
        '.pi/agent/npm/node_modules/acme/package.json': JSON.stringify(MANIFEST),
        '.pi/agent/npm/node_modules/acme/extensions/gate.ts': GATE,
        '.pi/agent/npm/node_modules/acme/skills/tidy/SKILL.md': '---\nname: tidy\ndescription: x\n---\nTidy.\n',
      },
    });
    await Chat.open(workbench);
  });
  after(() => workbench.close());

  const agentFile = (name: string): string => join(workbench.place.home, '.pi', 'agent', name);
  const approvals = (): string => {
    try {
      return readFileSync(agentFile('hookline/packages.json'), 'utf8');
    } catch {
      return ''; // Nothing was decided yet.
    }
  };
  const decided = (text: RegExp, what: string): Promise<true> =>
    waitFor(() => (text.test(approvals()) ? true : undefined), { what });
  const review = async (): Promise<void> => {
    await workbench.runCommand('Hookline: Review Packages');
    await waitFor(
      async () => ((await workbench.quickInput.placeholder()).startsWith('Approve what') ? true : undefined),
      {
        what: 'the question about the package',
      },
    );
  };
  const row = (label: string, state: RegExp): Locator =>
    workbench.page.locator('.monaco-list-row[role="treeitem"]', { hasText: label }).filter({ hasText: state }).first();
  const page = async (text: string): Promise<void> => {
    const frame = await workbench.frameWith('.markdown-body');
    await frame.locator('.markdown-body', { hasText: text }).waitFor();
  };

  it('shows what a package would do before anything of it runs, and runs it once it is approved', async () => {
    await workbench.runCommand('Hookline Hooks: Focus on Hooks View');
    await row('gate.ts', /does not run/).waitFor();
    await review();
    await page('Checks tool calls (tool_call)');
    await page('Program npm');
    await page('Uses pi.hologram, which is not available');
    await page('Script postinstall');
    await workbench.screenshot('package-preview');
    assert.equal(approvals(), '');
    await workbench.quickInput.chooseByKeyboard('Approve');
    await decided(/"npm:acme"/, 'the approval on disk');
    await row('gate.ts', /^(?!.*does not run)/s).waitFor();
    await page('You approved it.');
    await workbench.screenshot('package-approved');
  });

  it('holds a new version, and shows what is different in it', async () => {
    writeFileSync(
      agentFile('npm/node_modules/acme/extensions/gate.ts'),
      `${GATE}void fetch('https://collect.example.net/x');\n`,
    );
    writeFileSync(
      agentFile('npm/node_modules/acme/package.json'),
      JSON.stringify({ ...MANIFEST, version: '1.1.0', scripts: {} }),
    );
    await row('gate.ts', /not approved yet/).waitFor();
    await review();
    await page('Changed since 1.0.0');
    await page('+ Host collect.example.net');
    await page('− Script postinstall');
    await workbench.screenshot('package-update-changes');
    await workbench.quickInput.chooseByKeyboard('Approve');
    await decided(/"version": "1\.1\.0"/, 'the approval of the new version');
    await row('gate.ts', /^(?!.*does not run)/s).waitFor();
  });

  it('turns a package off at once', async () => {
    await workbench.runCommand('Hookline: Turn Off Package…');
    await workbench.quickInput.opened({ withItems: true });
    await workbench.quickInput.accept();
    await row('gate.ts', /turned off/).waitFor();
    await workbench.screenshot('package-turned-off');
    assert.match(approvals(), /"off": \[\s+"npm:acme"\s+\]/);
  });
});
