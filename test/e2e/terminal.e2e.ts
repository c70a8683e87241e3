import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../../scripts/support/paths.ts';
import { Chat } from './support/chat';
import { openWorkbench, waitFor, type Workbench } from './support/workbench';

/** The end-to-end tests know no DOM types. */
interface StyledElement {
  readonly style: { getPropertyValue(name: string): string };
}

const fixture = (name: string): string => readFileSync(join(ROOT, 'test', 'fixtures', 'terminal', name), 'utf8');

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

describe('hooks that draw', () => {
  let workbench: Workbench;
  let chat: Chat;

  before(async () => {
    workbench = await openWorkbench({
      files: {
        '.pi/extensions/drawings.ts': fixture('drawings.ts'),
        '.pi/extensions/star-game.ts': fixture('star-game.ts'),
        '.pi/extensions/screen.ts': fixture('screen.ts'),
        '.pi/extensions/ui-context.ts': fixture('ui-context.ts'),
        '.pi/hooks/of-tree.ts': TREE,
        '.pi/hooks/of-omp.ts': OMP,
        '.pi/extensions/of-ext.ts': EXT,
      },
    });
    chat = await Chat.open(workbench);
  });

  after(() => workbench.close());

  const press = async (...keys: readonly string[]): Promise<void> => {
    for (const key of keys) await workbench.page.keyboard.press(key);
  };

  describe('what hooks draw in the conversation', () => {
    it('draws its entries, folded and in full', async () => {
      await chat.ask('/build main --> prod');
      const entry = chat.frame.locator('[data-kind="entry"]').last();
      await entry.locator('.term-row', { hasText: '[build] main --> prod' }).waitFor();
      await entry.locator('.term-row', { hasText: 'click to expand' }).waitFor();
      await entry.hover();
      await entry.getByRole('button', { name: 'Show All' }).click();
      await entry.locator('.term-row', { hasText: '• compile' }).waitFor();
      await workbench.screenshot('hook-entry');
    });

    it('shows texts as it wants them, and calls as it draws them', async () => {
      await chat.ask('thanks --> done');
      await chat.says('thanks → done');
      await chat.idle();
      await chat.ask('ls');
      const card = await chat.tool('ls', 'done');
      await card.locator('.term-row', { hasText: /^\d+ entries/ }).waitFor();
      await chat.idle();
      await workbench.screenshot('hook-texts');
    });

    it('completes its words in the composer', async () => {
      await chat.composer.click();
      await workbench.page.keyboard.type('to ~har');
      const options = chat.frame.locator('[data-hookline="suggestions"] [role="option"]');
      await options.first().waitFor();
      assert.deepEqual(
        (await options.allInnerTexts()).map(text => text.trim()),
        ['harbour', 'harvest'],
      );
      await workbench.screenshot('hook-completion');
      await workbench.page.keyboard.press('ArrowDown');
      await workbench.page.keyboard.press('Enter');
      await waitFor(async () => ((await chat.composer.inputValue()) === 'to harvest' ? true : undefined), {
        what: 'the word in the composer',
      });
    });
  });

  describe('what hooks show besides dialogs', () => {
    before(() => chat.startAnew());

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

  describe('what hooks put on the screen', () => {
    before(() => chat.startAnew());

    it('plays a game of our own with the keyboard', async () => {
      await chat.ask('/stars');
      await chat.shows('panel', 'stars 0 at 0,0');
      await press('ArrowRight', 'ArrowRight');
      await chat.shows('panel', 'stars 0 at 2,0');
      await workbench.screenshot('terminal-game');
      await press('ArrowRight', 'ArrowDown', 'ArrowDown', 'ArrowDown', 'ArrowDown');
      await chat.shows('panel', 'stars 2 at 3,4');
      await press(...Array<string>(6).fill('ArrowRight'));
      await chat.says('Game over: all stars found');
      await chat.gone('panel');
      await chat.frame.locator('[data-hookline="composer"]:focus').waitFor();
    });

    it('moves on while nobody presses a key', async () => {
      await chat.ask('/stars');
      await chat.shows('panel', 'stars 0');
      const sequence = async (): Promise<number> => Number(await chat.component('panel').getAttribute('data-sequence'));
      const before = await sequence();
      await waitFor(async () => ((await sequence()) > before + 5 ? true : undefined), { what: 'frames of the clock' });
    });

    it('shows it again after the page was loaded anew, and goes on', async () => {
      await press('ArrowRight');
      await chat.shows('panel', 'at 1,0');
      // Hiding the view throws its page away; the game itself lives in the host.
      await workbench.runCommand('View: Toggle Secondary Side Bar Visibility');
      await workbench.runCommand('Hookline: Open Chat');
      chat = await Chat.attach(workbench);
      await chat.shows('panel', 'at 1,0');
      await chat.component('panel').locator('.term-row').first().click();
      await press('ArrowLeft');
      await chat.shows('panel', 'at 0,0');
      await workbench.openPalette();
      await workbench.quickInput.cancel();
      await chat.component('panel').locator('.term-row').first().click();
      await press('Escape');
      await chat.says('Game over: gave up with 0');
    });

    it('chooses from a list of pi-tui', async () => {
      await chat.ask('/colour');
      await chat.shows('panel', '→ red');
      await press('ArrowDown', 'ArrowDown');
      await chat.shows('panel', '→ blue');
      await workbench.screenshot('terminal-list');
      await press('Enter');
      await chat.says('Chosen: blue');
    });

    it('opens an overlay over the conversation', async () => {
      await chat.ask('/over');
      await chat.shows('overlay', 'Over everything');
      const [overlay, log] = await Promise.all([
        chat.component('overlay').boundingBox(),
        chat.frame.locator('[role="log"]').boundingBox(),
      ]);
      assert.ok(overlay && log && overlay.y - log.y < 20, 'at the top');
      assert.ok(log.x + log.width - (overlay.x + overlay.width) < 20, 'at the right');
      await workbench.screenshot('terminal-overlay');
      await press('y');
      await chat.says('Overlay closed by y');
      await chat.gone('overlay');
    });

    it('draws a message its own way, and in full on request', async () => {
      await chat.ask('/deploy');
      const message = chat.frame.locator('[data-custom-type="deploy"]');
      await message.locator('.term-row', { hasText: '[deploy] main is green' }).waitFor();
      await message.hover();
      await message.getByRole('button', { name: 'Show All' }).click();
      await message.locator('.term-row', { hasText: 'every step of it' }).waitFor();
    });

    it('shows a widget, and follows the colour theme', async () => {
      await chat.ask('/widget');
      await chat.shows('above', 'step one');
      const colour = (): Promise<string> =>
        chat
          .component('above')
          .locator('span', { hasText: '✔' })
          .first()
          .evaluate(element => (element as unknown as StyledElement).style.getPropertyValue('--fg'));
      const first = await colour();
      await workbench.screenshot('terminal-widget');
      await workbench.runCommand('Preferences: Toggle between Light/Dark Themes');
      await waitFor(async () => ((await colour()) === first ? undefined : true), {
        what: 'the colour of the other theme',
      });
      await workbench.screenshot('terminal-widget-other-theme');
    });

    it('says what a broken component did, and Escape ends it', async () => {
      await chat.ask('/bad');
      await chat.shows('panel', 'This component failed');
      await chat.says('Hook "screen.ts" error in command:bad: no paint left');
      await workbench.screenshot('terminal-broken');
      await press('Escape');
      await chat.says('The bad one is gone');
      await chat.ask('/deploy');
      await chat.idle();
    });

    it('runs a shortcut of a hook from the composer', async () => {
      await chat.composer.click();
      await press('Control+Alt+k');
      await chat.says('Hello from the shortcut');
    });
  });
});
