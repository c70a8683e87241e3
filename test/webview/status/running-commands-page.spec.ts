import assert from 'node:assert/strict';
import { join } from 'node:path';
import type { Locator } from 'playwright-core';
import { ARTIFACTS } from '../../../scripts/support/paths.ts';
import type { CommandState, RunningRow } from '../../../src/protocol/panels/running-commands';
import { seriousFindings } from '../../support/axe';
import { snapshot, tool, user } from '../harness/demo';
import { eachInBrowser } from '../harness/each-in-browser';
import type { ChatHarness, Theme } from '../harness/harness';

const LONG = 'npm run dev --workspace=packages/frontend -- --host 127.0.0.1 --port 5173 --strictPort';

describe('commands that run on, in the page', function () {
  this.timeout(120_000);
  let chat: ChatHarness;
  const open = eachInBrowser(opened => {
    chat = opened;
  });

  const list = (): Locator => chat.page.locator('.running-commands');
  const row = (id: string): Locator => list().locator(`[data-command="${id}"]`);
  const running = (id: string, command: string, more: Partial<RunningRow> = {}): RunningRow => ({
    ...{ id, command, startedAt: Date.now() - 65_000, state: 'runningOn' },
    ...more,
  });
  const card = (id: string, command: CommandState | undefined) =>
    tool(
      id,
      'bash',
      LONG,
      command?.type === 'waitedFor' ? { type: 'running', startedAt: Date.now() } : { type: 'done' },
      {
        output: 'ready\n',
        ...(command && { command }),
      },
    );
  const chip = (id: string): Promise<string> =>
    chat.page.locator(`[data-item-id="${id}"] .card-line .chip`).last().innerText();

  it('draw nothing while none runs on', async () => {
    await open(snapshot([user('u', 'hi')]));
    assert.equal(await list().count(), 0);
    assert.equal(await chat.page.locator('.commands-host').isVisible(), false);
  });

  it('are shown and stopped by keyboard, each by its own row, and the focus is never lost', async () => {
    const rows = [running('tool:a', 'make watch'), running('tool:b', LONG)];
    await open(snapshot([card('tool:a', { type: 'runningOn', startedAt: 0 })], { running: rows }));
    assert.equal(await list().locator('li').count(), 2);
    assert.match(await row('tool:a').innerText(), /make watch\s+1 min 0\ds|make watch\s+1m 0?\ds|make watch[\s\S]*\d/);
    await row('tool:a').getByRole('button', { name: 'Show make watch in a terminal' }).focus();
    await chat.page.keyboard.press('Enter');
    await chat.page.keyboard.press('Tab');
    await chat.page.keyboard.press('Enter');
    assert.deepEqual(await chat.sentOf('showCommand'), [{ type: 'showCommand', id: 'tool:a' }]);
    assert.deepEqual(await chat.sentOf('stopCommand'), [{ type: 'stopCommand', id: 'tool:a' }]);
    const ending = running('tool:a', 'make watch', { state: 'ending' });
    await chat.post({ type: 'runningCommands', revision: 1, running: [ending, rows[1]!] });
    await row('tool:a').getByText('Stopping…').waitFor();
    const focused = (): Promise<string | null> => chat.page.locator(':focus').getAttribute('aria-label');
    assert.equal(await focused(), 'Stop make watch');
    await chat.page.keyboard.press('Enter');
    assert.equal((await chat.sentOf('stopCommand')).length, 1, 'a second stop says nothing');
    await chat.post({ type: 'runningCommands', revision: 2, running: [rows[1]!] });
    await row('tool:a').waitFor({ state: 'detached' });
    assert.equal(await focused(), `Show ${LONG} in a terminal`);
    await chat.post({ type: 'runningCommands', revision: 3, running: [] });
    await list().waitFor({ state: 'detached' });
    assert.equal(await chat.page.locator('[data-hookline="composer"]:focus').count(), 1);
  });

  it('can be shown and let go from the card of a call that waits, which keeps the focus', async () => {
    await open(snapshot([card('tool:a', { type: 'waitedFor' }), card('tool:b', undefined)]));
    assert.equal(await chat.page.getByRole('button', { name: 'Continue Without Waiting' }).count(), 1);
    await chat.page.getByRole('button', { name: 'Show in Terminal' }).click();
    await chat.page.getByRole('button', { name: 'Continue Without Waiting' }).focus();
    await chat.page.keyboard.press('Enter');
    assert.deepEqual(await chat.sentOf('showCommand'), [{ type: 'showCommand', id: 'tool:a' }]);
    assert.deepEqual(await chat.sentOf('runCommandOn'), [{ type: 'runCommandOn', id: 'tool:a' }]);
    await chat.post({ type: 'item', revision: 1, item: card('tool:a', { type: 'runningOn', startedAt: Date.now() }) });
    await chat.page.locator('.chip', { hasText: 'Runs on' }).waitFor();
    assert.equal(await chat.page.locator('.command-bar').count(), 0);
    assert.equal(await chat.page.locator('[data-item-id="tool:a"] .card-line:focus').count(), 1);
  });

  it('say on their cards what became of them', async () => {
    const states: readonly [CommandState, RegExp][] = [
      [{ type: 'runningOn', startedAt: Date.now() }, /^Runs on/],
      [{ type: 'ending' }, /^Stopping…$/],
      [{ type: 'ended', exitCode: 0 }, /^Ended · exit code 0$/],
      [{ type: 'ended', exitCode: 2 }, /^Ended · exit code 2$/],
      [{ type: 'stopped' }, /^Stopped$/],
      [{ type: 'timedOut' }, /^Timed out$/],
      [{ type: 'left' }, /^Ended with its window$/],
    ];
    await open(snapshot(states.map(([state], index) => card(`tool:${index}`, state))));
    for (const [index, [, words]] of states.entries()) assert.match((await chip(`tool:${index}`)).trim(), words);
    assert.equal(await chat.page.locator('.chip-failed').count(), 1, 'only what failed looks so');
  });

  for (const theme of ['dark', 'light', 'hc-dark', 'hc-light'] satisfies Theme[]) {
    it(`fit at 171 to 560 px in ${theme}`, async () => {
      const rows = [
        running('tool:a', 'make watch'),
        running('tool:b', LONG),
        running('tool:c', LONG, { state: 'ending' }),
      ];
      const items = [
        card('tool:a', { type: 'waitedFor' }),
        card('tool:b', { type: 'runningOn', startedAt: Date.now() }),
      ];
      await open(snapshot(items, { running: rows }), { theme, width: 292 });
      assert.deepEqual(await seriousFindings(chat.page), []);
      for (const width of [171, 292, 560]) {
        await chat.page.setViewportSize({ width, height: 600 });
        const page = Number(await chat.page.evaluate('document.documentElement.scrollWidth'));
        assert.ok(page <= width, `${page} px at ${width}`);
        for (const button of await list().getByRole('button').all()) {
          const box = await button.boundingBox();
          assert.ok(box !== null && box.x >= 0 && box.x + box.width <= width && box.width >= 16, JSON.stringify(box));
        }
        await chat.page.screenshot({ path: join(ARTIFACTS, 'webview', `commands-${width}-${theme}.png`) });
      }
    });
  }
});
