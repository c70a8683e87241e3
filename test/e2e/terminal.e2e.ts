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

describe('what hooks put on the screen', () => {
  let workbench: Workbench;
  let chat: Chat;

  before(async () => {
    workbench = await openWorkbench({
      files: {
        '.pi/extensions/star-game.ts': fixture('star-game.ts'),
        '.pi/extensions/screen.ts': fixture('screen.ts'),
      },
    });
    chat = await Chat.open(workbench);
  });

  after(() => workbench.close());

  const press = async (...keys: readonly string[]): Promise<void> => {
    for (const key of keys) await workbench.page.keyboard.press(key);
  };

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
