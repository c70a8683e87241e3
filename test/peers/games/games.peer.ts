import assert from 'node:assert/strict';
import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ARTIFACTS } from '../../../scripts/support/paths.ts';
import type { HostToWebview } from '../../../src/protocol/messages';
import { Rig, type RigOptions } from '../../support/conversation-rig';
import { snapshot } from '../../webview/harness/demo';
import { openChat, type ChatHarness, type HarnessOptions } from '../../webview/harness/harness';
import { describePeer } from '../peers';

/** The real chat page in a browser and a real conversation with its hooks, wired together as VS Code does it. */
class Panel {
  private constructor(
    readonly rig: Rig,
    readonly chat: ChatHarness,
  ) {}

  static async open(rigOptions: RigOptions, look: HarnessOptions): Promise<Panel> {
    const rig = await Rig.open([], rigOptions);
    const chat = await openChat(snapshot([]), look);
    const panel = new Panel(rig, chat);
    await panel.connect();
    return panel;
  }

  /** Text of each row of the component. */
  async rows(): Promise<string[]> {
    return this.chat.page.locator('.hook-component-panel .term-row').allInnerTexts();
  }

  /** Waits until a row holds this text. */
  async shows(text: string): Promise<void> {
    await this.chat.page.locator('.hook-component-panel .term-row', { hasText: text }).first().waitFor();
  }

  async gone(): Promise<void> {
    await this.chat.page.locator('.hook-component-panel').waitFor({ state: 'detached' });
  }

  press(key: string): Promise<void> {
    return this.chat.page.keyboard.press(key);
  }

  /** Row and column of a character; undefined when it is not drawn. */
  async find(character: string): Promise<{ readonly row: number; readonly column: number } | undefined> {
    const rows = await this.rows();
    const row = rows.findIndex(text => text.includes(character));
    return row < 0 ? undefined : { row, column: rows[row]!.indexOf(character) };
  }

  async until(condition: () => Promise<boolean>, what: string): Promise<void> {
    const deadline = Date.now() + 15_000;
    while (!(await condition())) {
      if (Date.now() > deadline) {
        throw new Error(`waited in vain for ${what}; the panel shows\n${(await this.rows()).join('\n')}`);
      }
    }
  }

  async picture(name: string): Promise<void> {
    mkdirSync(ARTIFACTS, { recursive: true });
    await this.chat.page.screenshot({ path: join(ARTIFACTS, `${name}.png`) });
  }

  async close(): Promise<void> {
    const { errors } = this.chat;
    const violations = await this.chat.violations();
    await this.chat.close();
    await this.rig.close();
    assert.deepEqual([errors, violations], [[], []]);
  }

  private async connect(): Promise<void> {
    const early: HostToWebview[] = [];
    let post = (message: HostToWebview): void => void early.push(message);
    const connection = this.rig.connectPage(message => {
      post(message);
    });
    post = await this.chat.connect(message => {
      connection.receive(message);
    });
    for (const message of early) post(message);
  }
}

describe('pi’s own games in the panel', function () {
  this.timeout(120_000);
  let panel: Panel | undefined;

  afterEach(async () => {
    await panel?.close();
    panel = undefined;
  });

  /** Text of a published example. */
  const example = (folder: string, ...path: readonly string[]): string =>
    readFileSync(join(folder, 'examples', ...path), 'utf8');

  describePeer('snake', '0.31.1', folder => {
    it('is steered with keys, pauses with its state saved, and goes on', async () => {
      const text = example(folder, 'hooks', 'snake.ts');
      panel = await Panel.open({ hooks: { 'snake.ts': text } }, { width: 760, height: 800 });
      const { rig } = panel;
      const played = rig.chat.submit('/snake');
      await panel.shows('SNAKE');
      const start = await panel.find('██');
      assert.ok(start, 'the head is drawn');
      await panel.press('ArrowUp');
      await panel.until(async () => ((await panel?.find('██'))?.row ?? 99) < start.row - 1, 'the snake going up');
      await panel.picture('game-snake');
      await panel.press('a');
      const turned = await panel.find('██');
      await panel.until(
        async () => ((await panel?.find('██'))?.column ?? 99) < (turned?.column ?? 0),
        'the snake going left',
      );
      await panel.press('Escape');
      await panel.gone();
      await played;
      const again = rig.chat.submit('/snake');
      await panel.shows('PAUSED');
      await panel.press('q');
      await again;
    });
  });

  describePeer('space-invaders', '0.73.1', folder => {
    it('moves while a key is held, fires, and fits into a narrow panel', async () => {
      const text = example(folder, 'extensions', 'space-invaders.ts');
      panel = await Panel.open({ extensions: { 'space-invaders.ts': text } }, { width: 420, height: 900 });
      const { rig, chat } = panel;
      const { keyboard } = chat.page;
      const played = rig.chat.submit('/invaders');
      await panel.shows('SPACE INVADERS');
      const start = await panel.find('▲');
      assert.ok(start, 'the ship is drawn');
      await keyboard.down('ArrowLeft');
      await panel.until(async () => ((await panel?.find('▲'))?.column ?? 99) < start.column - 4, 'the ship going left');
      await keyboard.up('ArrowLeft');
      const stopped = await panel.find('▲');
      await keyboard.down('Space');
      await panel.until(
        async () => /Score: [1-9]/.test((await panel?.rows())?.join(' ') ?? ''),
        'an alien that was hit',
      );
      await keyboard.up('Space');
      const later = await panel.find('▲');
      assert.ok(Math.abs((later?.column ?? 0) - (stopped?.column ?? 99)) <= 2, 'the ship stands still');
      await panel.picture('game-space-invaders');
      const [room, row] = await Promise.all([
        chat.page.locator('.hook-component-panel').boundingBox(),
        chat.page.locator('.hook-component-panel .term-row').first().boundingBox(),
      ]);
      assert.ok(room && row && row.width <= room.width, 'nothing is cut');
      await panel.press('Escape');
      await played;
    });
  });
});
