import assert from 'node:assert/strict';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Locator } from 'playwright-core';
import { ARTIFACTS } from '../../../scripts/support/paths.ts';
import type { ComponentFrame, HookComponent } from '../../../src/protocol/items/hook-component';
import type { HostToWebview } from '../../../src/protocol/messages';
import { seriousFindings } from '../../support/axe';
import { RUNNING, snapshot, user } from '../harness/demo';
import { eachInBrowser } from '../harness/each-in-browser';
import type { ChatHarness } from '../harness/harness';

const PICTURES = join(ARTIFACTS, 'webview');
const HOOK = { path: '/work/demo/.pi/hooks/plan.ts', name: 'plan.ts' };

describe('components of hooks with more lines than fit', function () {
  this.timeout(120_000);
  let chat: ChatHarness;
  const begin = eachInBrowser(opened => {
    chat = opened;
  });
  /** A side bar of 300 px in a small window at a zoom of 200 %. */
  const open = (): Promise<void> => {
    const hookStatus = ['a text of a hook that is much too long for a status bar '.repeat(4)];
    return begin(snapshot([user('u', 'hello')], { status: { ...RUNNING, hookStatus } }), { width: 300, height: 380 });
  };

  const component = (id: string, change: Partial<HookComponent> = {}): HookComponent => ({
    id,
    place: 'panel',
    hook: HOOK,
    takesKeys: true,
    label: '/plan',
    ...change,
  });
  const list = (...components: readonly HookComponent[]): HostToWebview => ({ type: 'components', components });
  const frame = (id: string, change: Partial<ComponentFrame>): HostToWebview => ({
    type: 'frame',
    frame: { component: id, sequence: 1, height: 1, changes: [], wantsReleases: false, ...change },
  });
  const lines = (count: number, text: string): readonly string[] =>
    Array.from({ length: count }, (_, row) => `${text} ${row}`);
  const drawn = (id: string, all: readonly string[], change: Partial<ComponentFrame> = {}): HostToWebview =>
    frame(id, { height: all.length, changes: all.map((text, row) => [row, text] as const), ...change });

  const at = (id: string): Locator => chat.page.locator(`[data-component="${id}"]`);
  const composer = (): Locator => chat.page.locator('[data-hookline="composer"]');
  const press = (key: string): Promise<void> => chat.page.keyboard.press(key);
  const keys = async (): Promise<string[]> => (await chat.sentOf('key')).map(({ data }) => data);
  /** Whether a row is in the part of its component that can be seen. */
  const isInSight = (id: string, row: number): Promise<boolean> =>
    at(id)
      .locator('.term-row')
      .nth(row)
      .evaluate(element => {
        const room = element.parentElement?.getBoundingClientRect();
        const { top, bottom } = element.getBoundingClientRect();
        return room !== undefined && top >= room.top - 1 && bottom <= Math.min(room.bottom, innerHeight) + 1;
      });

  it('leave room for what has the keyboard, and for the composer', async () => {
    await open();
    const still = { takesKeys: false } as const;
    const around = [
      component('h', { place: 'header', ...still }),
      component('a', { place: 'above', ...still, text: lines(11, 'a widget that wraps in a narrow side bar') }),
      component('b', { place: 'below', ...still }),
      component('f', { place: 'footer', ...still }),
    ];
    await chat.post(list(...around), ...['h', 'b', 'f'].map(id => drawn(id, lines(12, id))));
    for (const place of ['panel', 'overlay'] as const) {
      const overlay = { row: 10, column: 0, width: 30, columns: 30, rows: 40 };
      await chat.post(
        list(...around, component(place, { place })),
        drawn(place, lines(40, 'row'), place === 'overlay' ? { overlay } : {}),
      );
      await press('ArrowDown');
      mkdirSync(PICTURES, { recursive: true });
      await chat.page.screenshot({ path: join(PICTURES, `little-room-${place}.png`) });
      for (const part of [at(place), composer(), chat.page.locator('.header')]) {
        const box = await part.boundingBox();
        assert.ok(box && box.y >= 0 && box.y + box.height <= 380, `${place}: ${JSON.stringify(box)}`);
      }
      for (const row of [0, 1]) assert.ok(await isInSight(place, row), `${place}: row ${row}`);
      assert.deepEqual(await seriousFindings(chat.page), []);
    }
  });

  it('show the rows that a key changed', async () => {
    await open();
    const choices = ['→ Approve', '  Reject', '  Edit'];
    await chat.post(list(component('s')), drawn('s', [...lines(40, 'step'), ...choices]));
    assert.equal(await isInSight('s', 0), true, 'it is read from the beginning');
    await chat.post(frame('s', { sequence: 2, height: 43, changes: [[42, '  Edit…']] }));
    assert.equal(await isInSight('s', 42), false, 'nobody pressed a key');
    await press('ArrowDown');
    const moved = [
      [40, '  Approve'],
      [41, '→ Reject'],
    ] as const;
    await chat.post(frame('s', { sequence: 3, height: 43, changes: moved }));
    assert.deepEqual([await isInSight('s', 40), await isInSight('s', 41)], [true, true]);
  });

  it('show the selected row rather than what changes below it', async () => {
    await open();
    await chat.post(list(component('s')), drawn('s', [...lines(40, 'item'), '(1/40)', '', 'what it does']));
    for (let row = 1; row < 30; row++) {
      await press('ArrowDown');
      const changes = [row - 1, row, 40, 42].map(each => [each, `changed ${row}`] as const);
      await chat.post(frame('s', { sequence: row + 1, height: 43, changes }));
      assert.equal(await isInSight('s', row), true, `row ${row}`);
    }
  });

  it('follow the cursor where it moves', async () => {
    await open();
    await chat.post(list(component('s')), drawn('s', lines(40, 'line'), { cursor: { row: 0, column: 0 } }));
    await chat.post(frame('s', { sequence: 2, height: 40, cursor: { row: 30, column: 0 } }));
    assert.equal(await isInSight('s', 30), true);
  });

  it('scroll by the keys with which a terminal scrolls', async () => {
    await open();
    await chat.post(list(component('s')), drawn('s', lines(40, 'step')));
    for (let page = 0; page < 20; page++) await press('Shift+PageDown');
    assert.equal(await isInSight('s', 39), true);
    assert.equal(await isInSight('s', 0), false);
    await chat.post(frame('s', { sequence: 2, height: 40, changes: [[0, 'step 0, done']] }));
    assert.equal(await isInSight('s', 39), true, 'it stays there while a clock draws');
    for (let page = 0; page < 20; page++) await press('Shift+PageUp');
    assert.equal(await isInSight('s', 0), true);
    await press('PageDown');
    assert.deepEqual(await keys(), ['\x1b[6~']);
    await chat.post(drawn('s', ['all fits'], { sequence: 3 }));
    await press('Shift+PageDown');
    assert.equal((await keys()).length, 2, 'where nothing can be scrolled, the component gets the key');
  });
});
