import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../../scripts/support/paths.ts';
import { Chat } from './support/chat';
import { openWorkbench, waitFor, type Workbench } from './support/workbench';

const FIXTURE = readFileSync(join(ROOT, 'test', 'fixtures', 'terminal', 'ui-context.ts'), 'utf8');

/** One component per generation of `ctx.ui.custom`; each shows a line and ends at any key. */
const TREE = `import type { HookAPI } from '@mariozechner/pi-coding-agent/hooks';
// @pi-dialect tree
export default function (pi: HookAPI) {
  pi.registerCommand('of-tree', {
    handler: async ctx => {
      const handle = ctx.ui.custom({ render: () => ['mounted as in tree'], invalidate: () => {}, handleInput: () => handle.close() });
    },
  });
}
`;
const OMP = `import type { HookAPI } from '@oh-my-pi/pi-coding-agent/hooks';
export default function (pi: HookAPI) {
  pi.registerCommand('of-omp', {
    handler: async (_args, ctx) => {
      await ctx.ui.custom((_tui, _theme, done) => ({ render: () => ['mounted as in omp'], invalidate: () => {}, handleInput: () => done(undefined) }));
    },
  });
}
`;
const EXT = `import type { ExtensionAPI } from '@mariozechner/pi-coding-agent';
export default function (pi: ExtensionAPI) {
  pi.registerCommand('of-ext', {
    handler: async (_args, ctx) => {
      await ctx.ui.custom((_tui, _theme, _keybindings, done) => ({ render: () => ['mounted as in ext'], invalidate: () => {}, handleInput: () => done(undefined) }));
    },
  });
}
`;

describe('what hooks show besides dialogs', () => {
  let workbench: Workbench;
  let chat: Chat;

  before(async () => {
    workbench = await openWorkbench({
      files: {
        '.pi/extensions/ui-context.ts': FIXTURE,
        '.pi/hooks/of-tree.ts': TREE,
        '.pi/hooks/of-omp.ts': OMP,
        '.pi/extensions/of-ext.ts': EXT,
      },
    });
    chat = await Chat.open(workbench);
  });
  after(() => workbench.close());

  const press = (key: string): Promise<void> => workbench.page.keyboard.press(key);
  /** As they stand beside each other, from left to right. */
  const statusTexts = async (): Promise<readonly string[]> => {
    const items = await workbench.page.locator('.statusbar-item', { hasText: / of all/ }).all();
    const placed = await Promise.all(
      items.map(async item => ({ text: (await item.innerText()).trim(), x: (await item.boundingBox())?.x ?? 0 })),
    );
    return placed.sort((a, b) => a.x - b.x).map(({ text }) => text);
  };

  it('texts in the status bar, sorted and on one line, and the title of the view', async () => {
    await chat.ask('/marks');
    await waitFor(async () => ((await statusTexts()).length === 2 ? true : undefined), { what: 'two texts' });
    assert.deepEqual(await statusTexts(), ['first of all', 'last of all']);
    const title = chat.frame.locator('[data-hookline="session-name"]', { hasText: 'Chat of the ants' });
    await title.waitFor();
    await workbench.screenshot('ui-status-and-title');
    await chat.ask('/no-marks');
    await waitFor(async () => ((await statusTexts()).length === 0 ? true : undefined), { what: 'no text' });
    await title.waitFor({ state: 'detached' });
  });

  it('a header and a footer', async () => {
    await chat.ask('/frame');
    await chat.shows('header', 'a header of a hook');
    await chat.shows('footer', 'a footer of a hook');
    await workbench.screenshot('ui-header-and-footer');
    await chat.ask('/no-frame');
    await chat.gone('header');
    await chat.gone('footer');
  });

  it('text in the composer, which they can read back', async () => {
    await chat.ask('/type');
    await chat.says('The composer holds: one two');
    assert.equal(await chat.composer.inputValue(), 'one two');
    await chat.composer.fill('');
  });

  it('what the agent is busy with, and the calls and results of their tools', async () => {
    await chat.ask('call count_ants {"where": "the garden"}');
    await chat.frame.getByText('Counting the ants').first().waitFor();
    const card = chat.frame.locator('[data-tool="count_ants"]').last();
    await card.locator('.term-row', { hasText: 'ants in the garden' }).first().waitFor();
    await workbench.screenshot('ui-working-and-call');
    await chat.tool('count_ants', 'done');
    await card.locator('.term-row', { hasText: '17 ants, all well' }).first().waitFor();
    await chat.idle();
    await workbench.screenshot('ui-tool-result');
  });

  for (const dialect of ['tree', 'omp', 'ext']) {
    it(`components as ${dialect} mounts them`, async () => {
      await chat.ask(`/of-${dialect}`);
      await chat.shows('panel', `mounted as in ${dialect}`);
      await press('x');
      await chat.gone('panel');
    });
  }

  it('never freezes: a component that asks for ever more frames takes keys, and others go on', async () => {
    await chat.ask('/endless');
    await chat.shows('panel', 'endless, frame many');
    await workbench.runCommand('Hookline: Show Hooks…');
    await workbench.quickInput.opened({ withItems: true });
    await press('Escape');
    await workbench.quickInput.closed();
    await chat.component('panel').locator('.term-row').first().click();
    await press('q');
    await chat.says('The endless one is gone');
  });

  it('never freezes: a component that draws 200 MB is cut, takes keys, and others go on', async () => {
    await chat.ask('/huge');
    await chat.shows('panel', '0 wide');
    const rows = await chat.component('panel').locator('.term-row').count();
    assert.ok(rows < 2_000, `${rows} rows`);
    await workbench.screenshot('ui-huge');
    await press('q');
    await chat.says('The huge one is gone');
  });

  it('never freezes: a component that throws at every key is ended by Escape', async () => {
    await chat.ask('/deaf');
    await chat.shows('panel', 'deaf to every key');
    await press('x');
    await chat.says('no ears');
    await press('Escape');
    await chat.says('The deaf one is gone');
    await chat.ask('/of-ext');
    await chat.shows('panel', 'mounted as in ext');
    await press('x');
    await chat.gone('panel');
    await chat.idle();
  });
});
