import assert from 'node:assert/strict';
import type { Locator } from 'playwright-core';
import type { ChatItem } from '../../../src/protocol/items/chat-item';
import type { HostToWebview } from '../../../src/protocol/messages';
import { gate, GATE_HOOK, RUNNING, snapshot, tool, user } from '../harness/demo';
import { eachInBrowser } from '../harness/each-in-browser';
import type { ChatHarness } from '../harness/harness';

describe('chat page: questions', function () {
  this.timeout(120_000);
  let chat: ChatHarness;
  const open = eachInBrowser(opened => {
    chat = opened;
  });

  const item = (id: string): Locator => chat.page.locator(`[data-item-id="${id}"]`);
  const composer = (): Locator => chat.page.locator('[data-hookline="composer"]');
  const button = (name: string): Locator => chat.page.getByRole('button', { name, exact: true });
  const press = (key: string): Promise<void> => chat.page.keyboard.press(key);
  const announced = (): Promise<string> => chat.page.locator('[data-hookline="announcer"]').innerText();

  const asked: HostToWebview = { type: 'item', revision: 1, item: gate('g', { toolItem: 'tool:6' }) };
  const focusedLabel = (): Promise<string | null> =>
    chat.page.evaluate(() => document.activeElement?.getAttribute('aria-label') ?? null);
  const pressUntilAnswered = async (key: string): Promise<void> => {
    for (let tries = 0; tries < 100 && (await chat.sentOf('answer')).length === 0; tries++) {
      await press(key);
      await chat.page.waitForTimeout(20);
    }
  };

  it('asks without taking the focus, is announced, and is reached by Tab', async () => {
    await open(snapshot([tool('tool:6', 'bash', 'rm -rf build', { type: 'asking', hook: GATE_HOOK })]));
    await composer().click();
    await chat.post(asked);
    await chat.page.keyboard.type('still typing');
    assert.equal(await composer().inputValue(), 'still typing');
    assert.match(await announced(), /permission-gate\.ts asks: Dangerous command/);
    for (let step = 0; step < 6 && (await focusedLabel()) !== 'No'; step++) await press('Shift+Tab');
    assert.equal(await focusedLabel(), 'No');
    await pressUntilAnswered('Enter');
    // A key may come twice before its answer is seen here.
    assert.deepEqual((await chat.sentOf('answer'))[0], { type: 'answer', id: 'g', answer: false });
  });

  it('shows a question of several lines whole where there is room', async () => {
    await open(snapshot([]), { width: 300 });
    const title = 'This command deletes folders and everything in them:\n\n  rm -rf build && npm run build\n\nRun it?';
    await chat.post({ type: 'item', revision: 1, item: gate('g', { title, message: '' }) });
    const shown = item('g').locator('.gate-title');
    await shown.waitFor();
    assert.equal(await shown.evaluate(box => box.scrollHeight - box.clientHeight), 0);
  });

  it('has a button for the diff of a write only while it is open', async () => {
    const asks = gate('g', { about: { tool: 'write', summary: 'a.txt' }, opensDiff: true });
    await open(snapshot([asks]), { width: 171 });
    const opens = item('g').getByRole('button', { name: 'Open the Diff in an Editor' });
    await opens.click();
    assert.deepEqual(await chat.sentOf('showWriteDiff'), [{ type: 'showWriteDiff', id: 'g' }]);
    await chat.post({ type: 'item', revision: 1, item: { ...asks, state: { type: 'answered', answer: 'Yes' } } });
    await opens.waitFor({ state: 'detached' });
  });

  it('is reached on No by Tab; arrow keys go to Yes, which Enter presses', async () => {
    await open(snapshot([]));
    await chat.post({ type: 'item', revision: 1, item: gate('g') });
    await composer().focus();
    for (let step = 0; step < 6 && (await focusedLabel()) !== 'No'; step++) await press('Shift+Tab');
    assert.equal(await focusedLabel(), 'No');
    await press('ArrowLeft');
    assert.equal(await focusedLabel(), 'Yes');
    await press('Enter');
    assert.deepEqual(await chat.sentOf('answer'), [{ type: 'answer', id: 'g', answer: true }]);
  });

  for (const key of ['Enter', 'Space']) {
    it(`takes no ${key} that went down elsewhere, for any of its buttons`, async () => {
      await open(snapshot([gate('g', { dialog: { type: 'select', options: ['Allow', 'Deny'] }, canDeny: true })]));
      const buttons = item('g').getByRole('button');
      for (let index = 1; index < (await buttons.count()); index++) {
        // The focus comes to the button while the key is down.
        await composer().focus();
        await chat.page.evaluate(() => {
          document.addEventListener('keydown', event => event.stopImmediatePropagation(), {
            capture: true,
            once: true,
          });
        });
        await chat.page.keyboard.down(key);
        await buttons.nth(index).focus();
        for (let repeats = 0; repeats < 3; repeats++) await chat.page.keyboard.down(key);
        await chat.page.keyboard.up(key);
      }
      await composer().fill('');
      assert.deepEqual(await chat.sentOf('answer'), []);
      assert.deepEqual(await chat.sentOf('deny'), []);
      assert.equal(await item('g').getByRole('textbox').count(), 0, 'the form for a message did not open');
    });
  }

  it('takes no key that repeats, and Enter again once it is pressed anew', async () => {
    await open(snapshot([gate('g')]));
    await item('g').getByRole('button', { name: 'Yes' }).focus();
    // As when the key went down in another part of VS Code.
    await chat.page.evaluate(() => {
      const repeated = { key: 'Enter', code: 'Enter', bubbles: true, cancelable: true, repeat: true };
      document.activeElement?.dispatchEvent(new KeyboardEvent('keydown', repeated));
      (document.activeElement as HTMLElement).click();
    });
    assert.deepEqual(await chat.sentOf('answer'), []);
    await chat.page.keyboard.up('Enter');
    await chat.page.evaluate(() => new Promise(resolve => setTimeout(resolve)));
    await press('Enter');
    assert.deepEqual(await chat.sentOf('answer'), [{ type: 'answer', id: 'g', answer: true }]);
  });

  it('takes a click that no key caused, as screen readers make it', async () => {
    await open(snapshot([gate('g')]));
    await item('g')
      .getByRole('button', { name: 'Yes' })
      .evaluate((button: HTMLElement) => button.click());
    assert.deepEqual(await chat.sentOf('answer'), [{ type: 'answer', id: 'g', answer: true }]);
  });

  it('sends no text by an Enter that went down elsewhere', async () => {
    await open(snapshot([gate('i', { dialog: { type: 'input', placeholder: 'reason' } })]));
    await composer().focus();
    await chat.page.keyboard.down('Shift');
    await chat.page.keyboard.down('Enter');
    await item('i').getByRole('textbox').focus();
    for (let repeats = 0; repeats < 3; repeats++) await chat.page.keyboard.down('Enter');
    await chat.page.keyboard.up('Enter');
    await chat.page.keyboard.up('Shift');
    assert.deepEqual(await chat.sentOf('answer'), []);
  });

  it('sends no message by an Enter that is still down after it answered the question', async () => {
    await open(snapshot([gate('g')]));
    await composer().fill('a draft');
    await item('g').getByRole('button', { name: 'No' }).focus();
    await chat.page.keyboard.down('Enter');
    assert.deepEqual(await chat.sentOf('answer'), [{ type: 'answer', id: 'g', answer: false }]);
    assert.equal(await composer().evaluate(field => field === document.activeElement), true);
    for (let repeats = 0; repeats < 3; repeats++) await chat.page.keyboard.down('Enter');
    await chat.page.keyboard.up('Enter');
    assert.deepEqual(await chat.sentOf('submit'), []);
    assert.equal(await composer().inputValue(), 'a draft');
  });

  it('of a select lets Tab go to its one plain refusal, and to all choices where there is none', async () => {
    await open(
      snapshot([
        gate('s', { dialog: { type: 'select', options: ['Allow once', 'Always', 'Deny'] } }),
        gate('n', { dialog: { type: 'select', options: ['Tabs', 'Blanks'] } }),
      ]),
    );
    const inTabOrder = (id: string): Promise<string[]> =>
      item(id).locator('.choices button:not([tabindex="-1"])').allInnerTexts();
    assert.deepEqual(await inTabOrder('s'), ['Deny', 'Cancel']);
    assert.deepEqual(await inTabOrder('n'), ['Tabs', 'Blanks', 'Cancel']);
  });

  it('of a select whose refusal means the same as Cancel has no Cancel, and Escape still cancels', async () => {
    const options = ['Allow once', 'Deny'];
    await open(snapshot([gate('g', { dialog: { type: 'select', options, cancels: 'Deny' } })]));
    assert.deepEqual(await item('g').locator('.choices button').allInnerTexts(), options);
    await item('g').getByRole('button', { name: 'Deny' }).press('Escape');
    assert.deepEqual(await chat.sentOf('answer'), [{ type: 'answer', id: 'g' }]);
  });

  it('of a select says that Cancel gives no answer', async () => {
    await open(snapshot([gate('g', { dialog: { type: 'select', options: ['Allow', 'Deny'] } })]));
    const cancel = item('g').getByRole('button', { name: 'Cancel' });
    assert.equal(await cancel.getAttribute('title'), 'Give no answer. The hook then decides what happens.');
  });

  it('of a select that has its own Cancel stands once', async () => {
    await open(snapshot([gate('g', { dialog: { type: 'select', options: ['Keep the rule', 'Cancel'] } })]));
    assert.deepEqual(await item('g').locator('.choices button').allInnerTexts(), ['Keep the rule', 'Cancel']);
    await item('g').getByRole('button', { name: 'Cancel' }).click();
    assert.deepEqual(await chat.sentOf('answer'), [{ type: 'answer', id: 'g', answer: 'Cancel' }]);
  });

  it('answers once, and shows what the host says', async () => {
    await open(snapshot([gate('g')]));
    await item('g').getByRole('button', { name: 'Yes' }).click();
    assert.equal(await item('g').getByRole('button', { name: 'Yes' }).count(), 0);
    await chat.post({ type: 'item', revision: 1, item: gate('g', { state: { type: 'answered', answer: 'Yes' } }) });
    assert.equal(await item('g').innerText(), 'permission-gate.ts: Dangerous command. Allow it? Yes');
    assert.equal(await item('g').getAttribute('data-state'), 'answered');
    assert.equal((await chat.sentOf('answer')).length, 1);
  });

  it('cancels with Escape, which does not stop the run', async () => {
    await open(snapshot([gate('g', { dialog: { type: 'input', placeholder: 'name' } })], { status: RUNNING }));
    await item('g').getByRole('textbox').focus();
    await press('Escape');
    assert.deepEqual(await chat.sentOf('answer'), [{ type: 'answer', id: 'g' }]);
    assert.deepEqual(await chat.sentOf('stop'), []);
  });

  it('takes a choice, a line and a text', async () => {
    await open(
      snapshot([
        gate('s', { dialog: { type: 'select', options: ['Allow once', 'Always', 'Deny'] } }),
        gate('i', { dialog: { type: 'input', placeholder: 'reason' } }),
        gate('e', { dialog: { type: 'editor', prefill: 'line one' } }),
        gate('q', { state: { type: 'queued' } }),
        gate('c', { state: { type: 'cancelled' } }),
      ]),
    );
    await item('s').getByRole('button', { name: 'Always' }).click();
    await item('i').getByRole('textbox').fill('because');
    await press('Enter');
    await item('e').getByRole('textbox').press('End');
    await chat.page.keyboard.type('\nline two');
    await press('Control+Enter');
    assert.deepEqual(
      (await chat.sentOf('answer')).map(({ id, answer }) => [id, answer]),
      [
        ['s', 'Always'],
        ['i', 'because'],
        ['e', 'line one\nline two'],
      ],
    );
    assert.match(await item('q').innerText(), /Answer the other question first/);
    assert.match(await item('c').innerText(), /Canceled/);
    assert.equal(await item('q').getByRole('button', { name: 'Yes' }).count(), 0);
  });

  it('keeps what is typed while another conversation is shown, until it is answered', async () => {
    const asks = [
      gate('d', { canDeny: true }),
      gate('i', { dialog: { type: 'input', placeholder: 'reason' } }),
      gate('e', { dialog: { type: 'editor', prefill: 'line one' } }),
    ];
    const field = (id: string): Locator => item(id).getByRole('textbox');
    await open(snapshot(asks, { conversation: 'a' }));
    await item('d').getByRole('button', { name: 'Deny with message…' }).click();
    await field('d').fill('keep the folder');
    await field('i').fill('because');
    await field('e').fill('line two');
    await chat.post(snapshot([user('u', 'hello')], { conversation: 'b', revision: 1 }));
    assert.equal(await item('i').count(), 0);
    await chat.post(snapshot(asks, { conversation: 'a', revision: 2 }));
    assert.deepEqual(
      [await field('d').inputValue(), await field('i').inputValue(), await field('e').inputValue()],
      ['keep the folder', 'because', 'line two'],
    );
    await field('i').press('Enter');
    await item('d').getByRole('button', { name: 'Deny', exact: true }).click();
    assert.deepEqual(await chat.sentOf('answer'), [{ type: 'answer', id: 'i', answer: 'because' }]);
    assert.deepEqual(await chat.sentOf('deny'), [{ type: 'deny', id: 'd', message: 'keep the folder' }]);
    const answered = { type: 'answered', answer: 'line two' } as const;
    await chat.post({ type: 'item', revision: 3, item: gate('e', { state: answered }) });
    await item('e').locator('strong', { hasText: 'line two' }).waitFor();
    await chat.post({ type: 'item', revision: 4, item: gate('e', { dialog: { type: 'editor', prefill: 'new' } }) });
    assert.equal(await field('e').inputValue(), 'new');
  });

  it('points to a question that is out of sight', async () => {
    const long = Array.from({ length: 40 }, (_, index) => user(`u${index}`, 'text\n'.repeat(5)));
    await open(snapshot([gate('g'), ...long]));
    await button('Go to Question').click();
    assert.equal(await chat.page.evaluate(() => document.activeElement?.getAttribute('aria-label')), 'No');
    await button('Go to Question').waitFor({ state: 'detached' });
  });

  it('that is out of sight is reached without the focus on a choice where none is a plain refusal', async () => {
    const long = Array.from({ length: 40 }, (_, index) => user(`u${index}`, 'text\n'.repeat(5)));
    const plan = { type: 'select', options: ['Approve, and ask before each step', 'Send it back…'] } as const;
    await open(snapshot([gate('g', { dialog: plan }), ...long]));
    await button('Go to Question').click();
    assert.equal(await chat.page.evaluate(() => document.activeElement?.className), 'card gate');
    await press('Enter');
    await press('Space');
    assert.deepEqual(await chat.sentOf('answer'), []);
    const first = 'Approve, and ask before each step';
    for (let step = 0; step < 4 && (await focusedLabel()) !== first; step++) await press('Tab');
    assert.equal(await focusedLabel(), first);
  });

  it('stands as one line in the card of its tool once it is over, and the keyboard with it', async () => {
    const call = tool('tool:6', 'bash', 'rm -rf build', { type: 'asking', hook: GATE_HOOK });
    await open(snapshot([call, gate('g', { toolItem: 'tool:6' }), gate('other', { state: { type: 'queued' } })]));
    await item('g').getByRole('button', { name: 'No' }).focus();
    const over = gate('g', { toolItem: 'tool:6', state: { type: 'answered', answer: 'No' } });
    await chat.post({ type: 'item', revision: 1, item: over });
    await item('g').waitFor({ state: 'detached' });
    const blocked = { type: 'blocked', by: GATE_HOOK, reason: 'Blocked by user' } as const;
    await chat.post({ type: 'item', revision: 2, item: { ...call, state: blocked, output: 'Blocked by user' } });
    await item('tool:6').getByText('Blocked by permission-gate.ts').waitFor();
    const lines = item('tool:6').locator('.answered li');
    assert.equal(await lines.count(), 1);
    assert.match(await lines.innerText(), /permission-gate\.ts: Dangerous command\. Allow it\?\s+No/);
    assert.equal(await lines.locator('p').getAttribute('title'), 'Dangerous command. Allow it? rm -rf build');
    const box = await lines.boundingBox();
    assert.ok((box?.height ?? 99) < 30, 'it is one line');
    assert.equal((await item('tool:6').innerText()).split('Blocked by user').length, 2, 'the reason stands once');
    assert.equal(await chat.page.evaluate(() => document.activeElement?.getAttribute('data-item-id')), 'tool:6');
    assert.equal(await item('other').count(), 1);
  });

  it('about a command does not repeat it in its line in the card of the call', async () => {
    const title = 'Dangerous command:\n\n  rm -rf build\n\nAllow?';
    const about = { tool: 'bash', summary: 'rm -rf build', isCommand: true } as const;
    const over = { type: 'answered', answer: 'No' } as const;
    const call = tool('tool:6', 'bash', 'rm -rf build', { type: 'done' });
    await open(snapshot([call, gate('g', { toolItem: 'tool:6', title, message: '', about, state: over })]));
    const line = item('tool:6').locator('.answered-text');
    assert.equal(await line.innerText(), 'permission-gate.ts: Dangerous command: Allow? No');
  });

  it('can be read in a narrow panel when a call was answered in several steps', async () => {
    const call = tool('tool:7', 'bash', 'rm -rf build', { type: 'done' });
    const step = (id: string, title: string, answer: string): ChatItem =>
      gate(id, { toolItem: 'tool:7', title, message: 'rm -rf build '.repeat(20), state: { type: 'answered', answer } });
    await open(
      snapshot([
        call,
        step('a', 'Run this command?', 'Allow always here…'),
        step('b', 'Which rule do you want to keep?', 'Back'),
        step('c', 'Run this command?', 'Allow in this session: exactly this command'),
      ]),
    );
    await chat.page.setViewportSize({ width: 300, height: 600 });
    const lines = item('tool:7').locator('.answered li');
    assert.deepEqual(
      (await lines.allInnerTexts()).map(text => text.startsWith('permission-gate.ts: ')),
      [true, false, false],
      'the hook is named once',
    );
    for (const part of await lines.locator('.answered-text, strong').all()) {
      const isWhole = await part.evaluate(
        text => text.scrollWidth <= text.clientWidth || getComputedStyle(text).display === 'inline',
      );
      const box = await part.boundingBox();
      assert.ok(isWhole && box !== null && box.x >= 0 && box.x + box.width <= 300, await part.innerText());
    }
  });

  it('keeps what is asked and its buttons in view in a low panel, while the text scrolls', async () => {
    const options = ['Allow once', 'Allow in this session: exactly this command', 'Allow always here…', 'Deny'];
    const message = 'echo one\n'.repeat(200);
    const asks = gate('g', { message, title: 'Run this command?', dialog: { type: 'select', options } });
    await open(snapshot([user('u', 'text\n'.repeat(30)), asks]));
    await chat.page.setViewportSize({ width: 300, height: 460 });
    await chat.page.waitForTimeout(100); // the list keeps to its end
    const card = item('g').locator('.gate');
    const log = await chat.page.getByRole('log').boundingBox();
    const seen = async (part: Locator): Promise<boolean> => {
      const box = await part.boundingBox();
      return box !== null && log !== null && box.y >= log.y - 1 && box.y + box.height <= log.y + log.height + 1;
    };
    for (const part of [card.locator('.gate-title'), ...(await card.getByRole('button').all())]) {
      assert.ok(await seen(part), await part.innerText());
    }
    assert.ok(await card.locator('.gate-box').evaluate(text => text.scrollHeight > text.clientHeight));
  });

  for (const [how, blank] of [
    ['blank lines', '\n'.repeat(300)],
    ['many lines', '\necho one'.repeat(300)],
    ['one long line', ` ${'x'.repeat(5_000)} `],
  ] as const) {
    for (const where of ['title', 'message'] as const) {
      it(`keeps the end of its ${where} in view after ${how}, with the buttons, in a narrow panel`, async () => {
        const long = `echo one;${blank}\nrm -rf important\n\n`;
        const asks = gate('g', { title: 'Run this command?', message: 'ls', [where]: long });
        await open(snapshot([user('u', 'text\n'.repeat(30)), asks]));
        await chat.page.setViewportSize({ width: 292, height: 460 });
        await chat.page.waitForTimeout(100); // the list keeps to its end
        const card = item('g').locator('.gate');
        const end = card.locator('.gate-tail hookline-text');
        assert.match(await end.innerText(), /rm -rf important$/);
        const [outer, log] = [await card.boundingBox(), await chat.page.getByRole('log').boundingBox()];
        assert.ok(outer !== null && log !== null);
        for (const part of [end, ...(await card.getByRole('button').all())]) {
          const box = await part.boundingBox();
          assert.ok(box !== null && box.y >= Math.max(outer.y, log.y) - 1);
          assert.ok(box.y + box.height <= Math.min(outer.y + outer.height, log.y + log.height) + 1);
        }
        const tail = await card.locator('.gate-tail').evaluate(each => each.scrollHeight - each.clientHeight);
        assert.ok(tail <= 1, 'all of the end is shown');
      });
    }
  }

  it('needs no second look at a short question', async () => {
    await open(snapshot([gate('g', { message: 'one\ntwo\nthree' })]));
    assert.equal(await item('g').locator('.gate-tail').count(), 0);
  });

  it('shows a very long question whole, in its own scroller', async () => {
    const message = `${'long '.repeat(3000)}END`;
    await open(snapshot([gate('g', { message })]));
    assert.ok((await item('g').innerText()).includes('END'));
    const box = await item('g').boundingBox();
    assert.ok((box?.height ?? 0) < 600);
  });

  it('tells the host what is typed, and a new page begins with it', async () => {
    const dialog = { type: 'editor', prefill: 'feat: ' } as const;
    const shown = snapshot([gate('g', { dialog }), gate('h', { canDeny: true })]);
    await open(shown);
    await item('g').locator('textarea').fill('feat: hooks');
    await button('Deny with message…').click();
    await item('h').locator('textarea').fill('use trash');
    assert.deepEqual(await chat.sentOf('typed'), [
      { type: 'typed', id: 'g', text: 'feat: hooks' },
      { type: 'typed', id: 'h', text: 'use trash' },
    ]);
    const typed = [
      { id: 'g', text: 'feat: hooks' },
      { id: 'h', text: 'use trash' },
    ];
    await chat.reload({ ...snapshot([gate('g', { dialog }), gate('h', { canDeny: true })]), typed } as HostToWebview);
    assert.equal(await item('g').locator('textarea').inputValue(), 'feat: hooks');
    assert.equal(await item('h').locator('textarea').inputValue(), 'use trash');
    // A snapshot can be older than the last key.
    await item('g').locator('textarea').fill('feat: hooks, again');
    await chat.post({ ...shown, typed } as HostToWebview);
    assert.equal(await item('g').locator('textarea').inputValue(), 'feat: hooks, again');
  });

  it('shows what is typed elsewhere as the answer or the message, also over what was typed here', async () => {
    await open(snapshot([gate('i', { dialog: { type: 'input', placeholder: '' } }), gate('d', { canDeny: true })]));
    await item('i').getByRole('textbox').fill('xy');
    await chat.post({ type: 'typed', typed: { id: 'i', text: '' } }, { type: 'typed', typed: { id: 'd', text: 'no' } });
    await item('d').getByRole('textbox').waitFor();
    assert.equal(await item('i').getByRole('textbox').inputValue(), '');
    assert.equal(await item('d').getByRole('textbox').inputValue(), 'no');
  });

  it('has no field while an editor tab has the text: its buttons show the tab and act on its text', async () => {
    const dialog = { type: 'editor', prefill: 'feat: ' } as const;
    await open(snapshot([gate('e', { dialog })]), { width: 292 });
    await button('Edit in a Tab').click();
    assert.deepEqual(await chat.sentOf('showAnswerTab'), [{ type: 'showAnswerTab' }]);
    await chat.post({ type: 'typed', typed: { id: 'e', text: 'feat: ', tab: 'Why.md' } });
    await item('e').getByText('You are editing this in the tab Why.md.').waitFor();
    assert.equal(await item('e').getByRole('textbox').count(), 0);
    await item('e').getByRole('button').nth(1).focus();
    assert.equal(await chat.page.evaluate(() => document.activeElement?.textContent.trim()), 'Show Tab');
    await press('Enter');
    assert.equal((await chat.sentOf('showAnswerTab')).length, 2);
    await button('Submit').click();
    assert.deepEqual(await chat.sentOf('answerFromTab'), [{ type: 'answerFromTab', id: 'e' }]);
    assert.deepEqual(await chat.sentOf('answer'), []);
    assert.equal(await composer().evaluate(field => field === document.activeElement), true);
  });

  it('has the text again when the tab is closed, and in a new page as long as the tab has it', async () => {
    const shown = snapshot([gate('e', { dialog: { type: 'editor', prefill: 'feat: ' } })]);
    await open({ ...shown, typed: [{ id: 'e', text: 'feat: x', tab: 'Why.md' }] } as HostToWebview);
    await item('e').getByText('You are editing this in the tab Why.md.').waitFor();
    await chat.post({ type: 'typed', typed: { id: 'e', text: 'feat: in the tab' } });
    assert.equal(await item('e').getByRole('textbox').inputValue(), 'feat: in the tab');
    await button('Cancel').click();
    assert.deepEqual(await chat.sentOf('answer'), [{ type: 'answer', id: 'e' }]);
  });
});
