import assert from 'node:assert/strict';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Locator } from 'playwright-core';
import { ARTIFACTS } from '../../../scripts/support/paths.ts';
import type { ChatItem, UserItem } from '../../../src/protocol/items/chat-item';
import type { Completion } from '../../../src/protocol/composer/composer';
import type { RunStatus } from '../../../src/protocol/messages';
import { COMMANDS, IDLE, RUNNING, snapshot, TOUR, user } from '../harness/demo';
import { seriousFindings } from '../../support/axe';
import { choose } from '../harness/choose';
import { eachInBrowser } from '../harness/each-in-browser';
import type { ChatHarness, Theme } from '../harness/harness';

const PICTURES = join(ARTIFACTS, 'webview');
const FILES: readonly Completion[] = [
  { kind: 'file', label: 'main.ts', detail: 'src', insert: '@src/main.ts' },
  { kind: 'folder', label: 'src/', detail: '', insert: '@src/' },
  { kind: 'problems', label: 'problems', detail: '3 problems', insert: '@problems' },
  { kind: 'symbol', label: 'mainLoop', detail: 'function · src/loop.ts', insert: '@src/loop.ts#mainLoop' },
];
const USAGE: NonNullable<RunStatus['usage']> = {
  input: 12_000,
  output: 340,
  cacheRead: 5000,
  cacheWrite: 0,
  cost: { input: 0.01, output: 0.002, cacheRead: 0.0003, cacheWrite: 0, total: 0.0123 },
  answers: 2,
  estimated: true,
  partial: false,
};

describe('the composer on the page', function () {
  this.timeout(120_000);
  let chat: ChatHarness;
  const open = eachInBrowser(opened => {
    chat = opened;
  });

  const composer = (): Locator => chat.page.locator('[data-hookline="composer"]');
  const button = (name: string | RegExp): Locator => chat.page.getByRole('button', { name, exact: true });
  const press = (key: string): Promise<void> => chat.page.keyboard.press(key);
  const options = (): Promise<string[]> => chat.page.getByRole('option').allInnerTexts();
  const answer = async (items: readonly Completion[], final = true): Promise<void> => {
    const last = (await chat.sentOf('complete')).at(-1);
    await chat.post({ type: 'completions', id: last?.id ?? -1, items, final });
  };
  const queued = (id: string, text: string, state: 'steer' | 'followUp'): UserItem => ({
    kind: 'user',
    id,
    text,
    images: [],
    state,
  });

  describe('completes with hooks', () => {
    const HOOKED: RunStatus = { ...IDLE, completes: '@#' };
    const ISSUES: readonly Completion[] = [
      { kind: 'hook', label: '#12', detail: 'Crash at start', insert: '#12' },
      { kind: 'hook', label: '#123', detail: 'Wrong colour', insert: '#123' },
    ];

    it('asks about words of theirs, and lets the host say what the text becomes', async () => {
      await open(snapshot([], { status: HOOKED }));
      await composer().click();
      await chat.page.keyboard.type('see #1');
      const [, last] = await chat.sentOf('complete');
      assert.deepEqual([last?.what, last?.text, last?.caret], ['text', 'see #1', 6]);
      await answer(ISSUES);
      assert.match((await options()).join('|'), /#12\s+Crash at start\|#123\s+Wrong colour/);
      await chat.page.screenshot({ path: join(PICTURES, 'hook-completion.png') });
      await press('ArrowDown');
      await press('Enter');
      assert.deepEqual(await chat.sentOf('takeCompletion'), [{ type: 'takeCompletion', id: last?.id, index: 1 }]);
      await chat.post({ type: 'completed', id: last?.id ?? 0, text: 'see #123 done', caret: 8 });
      assert.equal(await composer().inputValue(), 'see #123 done');
      await chat.page.keyboard.type('!');
      assert.equal(await composer().inputValue(), 'see #123! done');
      assert.deepEqual(await chat.sentOf('submit'), []);
    });

    it('never waits for them: typing and sending go on, and what comes late changes nothing', async () => {
      await open(snapshot([], { status: HOOKED }));
      await composer().click();
      await chat.page.keyboard.type('#1');
      await answer(ISSUES);
      await press('Enter');
      await chat.page.keyboard.type('x');
      const { id = 0 } = (await chat.sentOf('takeCompletion'))[0] ?? {};
      await chat.post({ type: 'completed', id, text: 'gone', caret: 0 });
      assert.equal(await composer().inputValue(), '#1x');
      await press('Enter');
      assert.equal((await chat.sentOf('submit'))[0]?.text, '#1x');
    });

    it('shows commands at once, and what hooks offer behind them', async () => {
      await open(snapshot([], { status: HOOKED }));
      await composer().click();
      await chat.page.keyboard.type('/mo');
      assert.match((await options()).join('|'), /^\/model/);
      await answer([{ kind: 'hook', label: '/moon', detail: 'of a hook', insert: '/moon' }]);
      assert.match((await options()).join('|'), /^\/model.*\|\/moon\s+of a hook/s);
      await press('Enter');
      assert.equal(await composer().inputValue(), '/model ');
    });

    it('asks for nothing of theirs where there are none', async () => {
      await open(snapshot([]));
      await composer().click();
      await chat.page.keyboard.type('see #1');
      assert.deepEqual(await chat.sentOf('complete'), []);
    });
  });

  describe('completes behind @', () => {
    it('by keyboard: asks the host, walks, takes, and says where it is to a screen reader', async () => {
      await open(snapshot([]));
      await composer().click();
      await chat.page.keyboard.type('see @ma');
      const asked = await chat.sentOf('complete');
      assert.deepEqual(
        asked.map(({ what, text }) => [what, text]),
        [
          ['mention', ''],
          ['mention', 'm'],
          ['mention', 'ma'],
        ],
      );
      await answer(FILES);
      assert.match((await options()).join('|'), /main\.ts\s+src\|src\/.*\|problems\s+3 problems\|mainLoop/s);
      const field = chat.page.getByRole('combobox', { name: 'Message' });
      assert.equal(await field.getAttribute('aria-expanded'), 'true');
      assert.equal(await field.getAttribute('aria-controls'), await chat.page.getByRole('listbox').getAttribute('id'));
      await press('ArrowDown');
      await press('ArrowDown');
      const active = (await field.getAttribute('aria-activedescendant')) ?? '';
      assert.match(await chat.page.locator(`#${active}`).innerText(), /problems/);
      await press('Enter');
      assert.equal(await composer().inputValue(), 'see @problems ');
      assert.equal(await chat.page.getByRole('listbox').count(), 0);
      assert.ok((await chat.sentOf('endComplete')).length > 0);
      assert.deepEqual(await chat.sentOf('submit'), [], 'Enter took the line');
    });

    it('lists icons, names and places in columns at 292 px, and the end of a long place', async () => {
      const detail = 'packages/extension/webview/composer';
      const long = { kind: 'file', label: `${'long-'.repeat(20)}name.md`, detail, insert: '@long.md' } as const;
      await open(snapshot([]), { width: 292 });
      await composer().click();
      await chat.page.keyboard.type('@');
      await answer([...FILES, long]);
      const lines = await chat.page.getByRole('option').evaluateAll(options =>
        options.map(option => {
          const [name, place] = ['.option-name', '.option-text'].map(part => option.querySelector<HTMLElement>(part)!);
          const hidden = place!.getBoundingClientRect().left - place!.firstElementChild!.getBoundingClientRect().left;
          const { height, right } = option.getBoundingClientRect();
          const [nameLeft, placeLeft] = [name!, place!].map(part => Math.round(part.getBoundingClientRect().left));
          return { height, right, nameLeft, placeLeft, hidden, icon: option.querySelector('.codicon')?.className };
        }),
      );
      assert.equal(new Set(lines.map(({ height }) => height)).size, 1, 'no line is broken');
      assert.equal(new Set(lines.map(({ nameLeft }) => nameLeft)).size, 1);
      assert.equal(new Set(lines.map(({ placeLeft }) => placeLeft)).size, 1);
      assert.ok(lines.every(({ right }) => right <= 292));
      assert.ok((lines.at(-1)?.hidden ?? 0) > 0, 'the beginning of the place is cut');
      assert.match(lines[0]?.icon ?? '', /codicon-file-code/);
      assert.match(lines.at(-1)?.icon ?? '', /codicon-markdown/);
      await chat.page.screenshot({ path: join(PICTURES, 'mention-list-292.png') });
    });

    it('shows a file name of usual length in full at 292 px, and the description of the active line below its name', async () => {
      const offered = [
        { kind: 'diff', label: 'diff', detail: 'changes since the last commit', insert: '@diff' },
        { kind: 'file', label: 'greeting-of-the-day.ts', detail: 'src/inventory', insert: '@src/inventory/x.ts' },
      ] as const;
      await open(snapshot([]), { width: 292 });
      await composer().click();
      await chat.page.keyboard.type('@');
      await answer(offered);
      await chat.page.screenshot({ path: join(PICTURES, 'mention-description-292.png') });
      const boxes = await chat.page.getByRole('option').evaluateAll(options =>
        options.map(option => {
          const [icon, name, text] = ['.codicon', '.option-name', '.option-text'].map(part =>
            option.querySelector<HTMLElement>(part)!,
          );
          const [of, under, beside] = [name!, text!, icon!].map(part => part.getBoundingClientRect());
          return {
            isCut: name!.scrollWidth > name!.clientWidth,
            isBelow: under!.top >= of!.bottom && under!.left === of!.left && text!.scrollWidth <= text!.clientWidth,
            isBeside: beside!.top >= of!.top - 1 && beside!.bottom <= of!.bottom + 1,
          };
        }),
      );
      assert.deepEqual(boxes, [
        { isCut: false, isBelow: true, isBeside: true },
        { isCut: false, isBelow: false, isBeside: true },
      ]);
    });

    it('goes on inside of a folder, and stays closed for the word after Escape', async () => {
      await open(snapshot([], { status: RUNNING }));
      await composer().click();
      await chat.page.keyboard.type('@s');
      await answer(FILES);
      await press('ArrowDown');
      await press('Tab');
      assert.equal(await composer().inputValue(), '@src/');
      assert.equal((await chat.sentOf('complete')).at(-1)?.text, 'src/');
      await answer(FILES);
      await press('Escape');
      assert.equal(await chat.page.getByRole('listbox').count(), 0);
      assert.deepEqual(await chat.sentOf('stop'), [], 'Escape closed the list only');
      await chat.page.keyboard.type('x');
      assert.equal(await chat.page.getByRole('listbox').count(), 0);
      await chat.page.keyboard.type(' @');
      await answer(FILES);
      await chat.page.getByRole('listbox').waitFor();
    });

    it('takes no line of an older answer: Enter waits for the one that is on its way', async () => {
      await open(snapshot([]));
      await composer().click();
      await chat.page.keyboard.type('@ma');
      const first = (await chat.sentOf('complete'))[0];
      await press('Enter');
      await chat.post({ type: 'completions', id: first?.id ?? 0, items: FILES.slice(2, 3), final: true });
      assert.equal(await composer().inputValue(), '@ma');
      await answer(FILES);
      assert.equal(await composer().inputValue(), '@src/main.ts ');
      assert.deepEqual(await chat.sentOf('submit'), []);
    });

    it('proposes arguments of a hook’s command, and lets Enter send what was typed', async () => {
      await open(snapshot([]));
      await composer().click();
      await chat.page.keyboard.type('/deploy-check st');
      assert.equal((await chat.sentOf('complete')).at(-1)?.text, 'deploy-check st');
      await answer([{ kind: 'argument', label: 'staging', detail: 'the test machine', insert: 'staging' }]);
      assert.match((await options())[0] ?? '', /staging\s+the test machine/);
      await press('Tab');
      assert.equal(await composer().inputValue(), '/deploy-check staging');
      await answer([{ kind: 'argument', label: 'staging', detail: '', insert: 'staging' }]);
      await press('Enter');
      assert.equal((await chat.sentOf('submit'))[0]?.text, '/deploy-check staging');
    });
  });

  describe('while a run is on', () => {
    it('stops by its one button while there is nothing to send, and steers otherwise; a menu has all ways', async () => {
      await open(snapshot([], { status: RUNNING }));
      const ways = button('More Ways to Send');
      assert.equal(await button('Stop').getAttribute('aria-keyshortcuts'), 'Escape');
      assert.equal(await ways.count(), 0);
      await button('Stop').click();
      await composer().fill('now');
      assert.equal(await button('Stop').count(), 0);
      assert.match((await button('Steer').getAttribute('title')) ?? '', /before its next step \(Enter\)/);
      await button('Steer').click();
      await composer().fill('later');
      await choose(ways, 'Queue');
      assert.equal(await composer().evaluate(area => area === document.activeElement), true);
      await composer().fill('kept');
      await choose(ways, 'Stop');
      assert.equal(await composer().inputValue(), 'kept');
      assert.deepEqual(
        (await chat.sentOf('submit')).map(({ text, delivery }) => [text, delivery]),
        [
          ['now', 'steer'],
          ['later', 'followUp'],
        ],
      );
      assert.equal((await chat.sentOf('stop')).length, 2);
    });

    it('stops nothing by the second click of a double click on Send', async () => {
      await open(snapshot([], { draft: 'go' }));
      await button('Send').click();
      await chat.post({ type: 'status', revision: 1, status: RUNNING });
      const again = { detail: 2, bubbles: true };
      await button('Stop').evaluate((stop, init) => stop.dispatchEvent(new MouseEvent('click', init)), again);
      assert.deepEqual(await chat.sentOf('stop'), []);
    });

    it('gives the focus of the button to the text when the run is over', async () => {
      await open(snapshot([], { status: RUNNING }));
      await button('Stop').press('Enter');
      await chat.post({ type: 'status', revision: 1, status: IDLE });
      assert.equal(await composer().evaluate(area => area === document.activeElement), true);
    });

    it('shows what waits for what, to be edited, removed or delivered otherwise', async () => {
      const items: ChatItem[] = [
        user('u', 'go'),
        queued('q1', 'be quick', 'steer'),
        queued('q2', 'then test', 'followUp'),
      ];
      await open(snapshot(items, { status: RUNNING }));
      const list = chat.page.getByRole('list', { name: 'Waiting messages' });
      assert.match(await list.innerText(), /Sent at the next step.*be quick.*Sent after the run.*then test/s);
      assert.equal(await chat.page.locator('[role="log"]').getByText('be quick').count(), 0);
      await button('Edit waiting message 1').focus();
      await press('Enter');
      await button('Remove waiting message 2').click();
      await button('Send message 1 after the run instead').click();
      await button('Steer with message 2 instead').click();
      await composer().press('Alt+ArrowUp');
      assert.deepEqual((await chat.sent()).slice(1), [
        { type: 'editQueued', id: 'q1' },
        { type: 'removeQueued', id: 'q2' },
        { type: 'deliverQueued', id: 'q1', delivery: 'followUp' },
        { type: 'deliverQueued', id: 'q2', delivery: 'steer' },
        { type: 'editQueued', id: 'q2' },
      ]);
      await chat.post({ type: 'remove', revision: 1, id: 'q1' }, { type: 'remove', revision: 2, id: 'q2' });
      assert.equal(await list.count(), 0);
    });

    it('lets a compaction and a retry be cancelled by button and by Escape', async () => {
      await open(snapshot([], { status: { ...IDLE, phase: { type: 'compacting' } } }));
      await button('Cancel Compaction').click();
      const phase = { type: 'retrying', attempt: 1, maxAttempts: 3, at: Date.now() + 20_000, error: 'busy' } as const;
      await chat.post({ type: 'status', revision: 1, status: { ...IDLE, phase } });
      assert.match(await chat.page.locator('[data-hookline="activity"]').innerText(), /Retry 1 of 3 in \d+ s/);
      await button('Cancel Retry').click();
      await composer().press('Escape');
      assert.equal((await chat.sentOf('stop')).length, 3);
    });
  });

  for (const language of ['en', 'de'] as const) {
    it(`shows the whole of what stands in the empty composer in a narrow view, in ${language}`, async () => {
      for (const status of [IDLE, RUNNING]) {
        await open(snapshot([], { status }), { width: 300, ...(language === 'de' ? { language } : {}) });
        const { text, width, room } = await composer().evaluate(element => {
          const field = element as HTMLTextAreaElement;
          const style = getComputedStyle(field);
          const canvas = document.createElement('canvas').getContext('2d');
          if (canvas === null) throw new Error('no canvas');
          canvas.font = style.font;
          return {
            text: field.placeholder,
            width: canvas.measureText(field.placeholder).width,
            room: field.clientWidth - parseFloat(style.paddingLeft) - parseFloat(style.paddingRight),
          };
        });
        assert.ok(width <= room, `"${text}" needs ${width} px of ${room}`);
      }
    });
  }

  it('says where the conversation is summarized by itself; Escape closes the panel and does no more', async () => {
    const context = { tokens: 12_345, window: 200_000, estimated: true, compactsAt: 183_616 };
    await open(snapshot([], { status: { ...RUNNING, context, usage: USAGE } }));
    await chat.page.locator('[data-hookline="usage"]').focus();
    await press('Enter');
    const panel = chat.page.getByRole('dialog', { name: 'Context and cost' });
    assert.match(
      await panel.innerText(),
      /Context: ~12\.3k\/200k tokens \(6 %\)\s+Summarized automatically at 184k tokens/,
    );
    mkdirSync(PICTURES, { recursive: true });
    await chat.page.screenshot({ path: join(PICTURES, 'meter.png') });
    await press('Escape');
    await panel.waitFor({ state: 'hidden' });
    assert.deepEqual(await chat.sentOf('stop'), [], 'the run goes on');
    const never = { tokens: null, window: 8000, estimated: false };
    await chat.post({ type: 'status', revision: 1, status: { ...RUNNING, context: never } });
    await press('Enter');
    assert.match(await panel.innerText(), /unknown until the next answer\s+Never summarized automatically/);
  });

  it('offers the tour of a first hook where nothing was said yet, and only while there is no hook', async () => {
    const noHooks = { ...IDLE, hooks: { live: 0, broken: 0, failed: 0, stopped: 0, heldBack: 0, waiting: 0 } };
    await open(snapshot([], { status: noHooks }));
    await button(/^Get started/).click();
    assert.deepEqual(await chat.sentOf('getStarted'), [{ type: 'getStarted' }]);
    await chat.post({ type: 'status', revision: 1, status: { ...noHooks, hooks: { ...noHooks.hooks, failed: 1 } } });
    await button(/^Get started/).waitFor({ state: 'detached' });
  });

  it('names what was sent along, and opens what can be opened', async () => {
    const attached = [{ name: 'src/a.ts:3-8', path: '/work/src/a.ts', line: 3 }, { name: 'git diff' }];
    await open(snapshot([{ ...queued('u', 'look', 'steer'), state: 'sent', attached }]), { width: 292 });
    const list = chat.page.getByRole('list', { name: 'Attached' });
    assert.match(await list.innerText(), /src\/a\.ts:3-8\s+git diff/);
    assert.equal(await list.getByRole('button').count(), 1);
    await button('Open src/a.ts:3-8').press('Enter');
    assert.deepEqual(await chat.sentOf('openFile'), [{ type: 'openFile', path: '/work/src/a.ts', line: 3 }]);
    await chat.page.screenshot({ path: join(PICTURES, 'sent-along-292.png') });
  });

  it('moves nothing for people who want no motion', async () => {
    await open(snapshot([], { status: RUNNING }));
    const moving = await chat.page.evaluate(
      () => document.getAnimations().filter(animation => animation.playState === 'running').length,
    );
    assert.equal(moving, 0);
  });

  for (const theme of ['dark', 'light', 'hc-dark', 'hc-light'] satisfies Theme[]) {
    it(`has no serious finding of axe in ${theme} with everything open`, async () => {
      const items = [...TOUR, queued('q1', 'be quick', 'steer'), queued('q2', 'then test', 'followUp')];
      const files = [{ name: 'notes.txt', text: 'x' }];
      await open(snapshot(items, { status: { ...RUNNING, usage: USAGE }, files, commands: COMMANDS }), { theme });
      await chat.page.locator('[data-hookline="usage"]').click();
      await findings();
      await press('Escape');
      await composer().click();
      await chat.page.keyboard.type('@');
      await answer(FILES);
      await chat.page.screenshot({ path: join(PICTURES, `composer-${theme}.png`) });
      await findings();
    });
  }

  async function findings(): Promise<void> {
    assert.deepEqual(await seriousFindings(chat.page), []);
  }

  /** Boxes of what can be pressed below the text, from the left. */
  const bar = (): Promise<{ left: number; right: number; top: number; name: string }[]> =>
    chat.page.locator('.composer-bar button:not([popover] *)').evaluateAll(buttons =>
      buttons.map(button => {
        const { left, right, top } = button.getBoundingClientRect();
        return { left, right, top, name: button.getAttribute('aria-label') ?? '' };
      }),
    );

  for (const width of [171, 292, 560]) {
    for (const [name, status] of Object.entries({ idle: IDLE, run: RUNNING })) {
      it(`is a text and one row below it at ${width} px: ${name}`, async () => {
        const approvals = { mode: 'ask', locked: false } as const;
        await open(snapshot([], { status: { ...status, approvals }, draft: 'be brief' }), { width, height: 420 });
        const boxes = await bar();
        assert.equal(new Set(boxes.map(({ top }) => top)).size, 1, JSON.stringify(boxes));
        for (const [at, { left, name: each }] of boxes.entries()) {
          assert.ok(left >= (boxes[at - 1]?.right ?? 0), `${each} overlaps the button before it`);
        }
        const box = (await chat.page.locator('.composer').boundingBox())!;
        assert.ok(box.height <= 70, `${box.height} px`);
        assert.ok((boxes.at(-1)?.right ?? Infinity) <= box.x + box.width);
        assert.equal(await chat.page.locator('.setting-word').first().isVisible(), width >= 340);
        const glyph = await chat.page.locator('[data-hookline="add"] .codicon').boundingBox();
        const inset = await composer().evaluate(area => parseFloat(getComputedStyle(area).paddingLeft));
        assert.ok(Math.abs((glyph?.x ?? 0) - box.x - 1 - inset) <= 2, 'text and icons have one left edge');
        await chat.page.screenshot({ path: join(PICTURES, `composer-${name}-${width}.png`) });
        await findings();
      });
    }
  }

  it('cuts and covers nothing at 292 px with 200 % zoom', async () => {
    const approvals = { mode: 'ask', locked: false } as const;
    await open(snapshot([], { status: { ...RUNNING, approvals }, draft: 'be brief' }), { width: 146, height: 420 });
    const boxes = await bar();
    for (const [at, { left, right, top, name }] of boxes.entries()) {
      assert.ok(left >= 0 && right <= 146, name);
      const covered = boxes.slice(0, at).find(box => box.top === top && box.right > left && box.left < right);
      assert.equal(covered, undefined, name);
    }
  });

  for (const width of [171, 292]) {
    it(`fits into ${width} px with everything open`, async () => {
      const items = [queued('q1', 'be quick and then some more words', 'steer')];
      const files = [{ name: 'a-very-long-name-of-a-file-that-is-long.txt', text: 'x' }];
      await open(snapshot(items, { status: { ...RUNNING, usage: USAGE }, files }), { width });
      await composer().click();
      await chat.page.keyboard.type('@');
      await answer(FILES);
      await chat.page.screenshot({ path: join(PICTURES, `composer-${width}px.png`) });
      const wide = await chat.page.evaluate(() => {
        const limit = document.documentElement.clientWidth;
        return [...document.querySelectorAll('.footer *')]
          .filter(element => !element.closest('.sr-only, .clip') && element.getBoundingClientRect().right > limit + 1)
          .map(element => element.outerHTML.slice(0, 120));
      });
      assert.deepEqual(wide, []);
    });
  }
});
