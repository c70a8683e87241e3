import assert from 'node:assert/strict';
import type { Locator } from 'playwright-core';
import type { GateItem, PlanEnd, ToolItem } from '../../../src/protocol/items/chat-item';
import { gate, GATE_HOOK, snapshot, tool, user } from '../harness/demo';
import { eachInBrowser } from '../harness/each-in-browser';
import type { ChatHarness } from '../harness/harness';

const PLAN = `# Move the parser

The parser of \`src/parse.ts\` takes **no signs**. Three steps:

1. Add a test with \`-1\` and \`+1\`.
2. Read the sign first:

   \`\`\`ts
   const sign = text.startsWith('-') ? -1 : 1;
   \`\`\`

3. Run \`npm test\`.

| step | risk |
|:-----|:-----|
| 2    | low  |
`;

const OPTIONS = ['Approve, and ask before each step', 'Approve, and let only your hooks decide'];

/** The question about a plan, as the host sends it. */
function planGate(plan: string, change: Partial<GateItem> = {}): GateItem {
  return gate('p', {
    title: 'Approve this plan?',
    message: '',
    subject: { type: 'plan', plan },
    toolItem: 'tool:p',
    dialog: {
      type: 'select',
      options: [...OPTIONS, 'Edit the plan…', 'Send it back…'],
      meanings: ['allowOnce', 'allowInSession', 'goesOn', 'goesOn'],
    },
    ...change,
  });
}

function planTool(plan: string, change: Partial<ToolItem> = {}): ToolItem {
  const args = JSON.stringify({ plan }, null, 2);
  return tool(
    'tool:p',
    'present_plan',
    'Move the parser',
    { type: 'done' },
    { args, plan, icon: 'checklist', ...change },
  );
}

describe('chat page: plans', function () {
  this.timeout(120_000);
  let chat: ChatHarness;
  const open = eachInBrowser(opened => {
    chat = opened;
  });

  const item = (id: string): Locator => chat.page.locator(`[data-item-id="${id}"]`);
  const button = (name: string): Locator => chat.page.getByRole('button', { name, exact: true });
  const focused = (): Promise<string | null> =>
    chat.page.evaluate(() => document.activeElement?.getAttribute('aria-label') ?? null);
  const asking = planTool(PLAN, { state: { type: 'asking', hook: GATE_HOOK } });

  it('stand rendered in their question, once and without a scroller, above answers that stay in sight', async () => {
    const long = `${PLAN}\n${'## More\n\nA paragraph of the plan.\n\n'.repeat(40)}`;
    await open(snapshot([asking, planGate(long)]), { width: 292, height: 500 });
    await chat.page.waitForTimeout(100); // the list keeps to its end
    const card = item('p').locator('.gate');
    assert.equal(await card.locator('h1').innerText(), 'Move the parser');
    assert.equal(await card.locator('ol > li').count(), 3);
    assert.equal((await chat.page.getByRole('log').innerText()).split('Add a test with').length, 2, 'once');
    const scrollers = await card.evaluate(
      root =>
        [root, ...root.querySelectorAll('*')].filter(
          each => each.scrollHeight > each.clientHeight + 1 && getComputedStyle(each).overflowY !== 'visible',
        ).length,
    );
    assert.equal(scrollers, 0);
    const log = await chat.page.getByRole('log').boundingBox();
    for (const place of [0, 600, 10_000]) {
      await chat.page.getByRole('log').evaluate((list, top) => (list.scrollTop = top), place);
      const box = await button(OPTIONS[0] ?? '').boundingBox();
      assert.ok(box !== null && log !== null && box.y > log.y && box.y + box.height <= log.y + log.height, `${place}`);
    }
  });

  it('are approved by the button or from its menu, by the keyboard, and by nothing that Tab reaches first', async () => {
    await open(snapshot([asking, planGate(PLAN)]), { width: 292 });
    assert.deepEqual(await item('p').locator('.choices button:not([tabindex="-1"])').allInnerTexts(), [
      'Edit the plan…',
      'Send it back…',
    ]);
    await button('Edit the plan…').focus();
    for (const key of ['ArrowLeft', 'ArrowLeft']) await chat.page.keyboard.press(key);
    assert.equal(await focused(), OPTIONS[0]);
    await chat.page.keyboard.press('ArrowRight');
    assert.equal(await focused(), 'More Ways to Approve');
    await chat.page.keyboard.down('Enter');
    for (let repeats = 0; repeats < 3; repeats++) await chat.page.keyboard.down('Enter');
    await chat.page.keyboard.up('Enter');
    assert.deepEqual(await chat.sentOf('answer'), [], 'a key that is held approves nothing');
    await chat.page.getByRole('menuitem', { name: OPTIONS[1] ?? '' }).press('Enter');
    assert.deepEqual(await chat.sentOf('answer'), [{ type: 'answer', id: 'p', answer: OPTIONS[1] }]);
    await item('p').getByText('Sending the answer…').waitFor();
  });

  it('are opened in an editor, edited and sent back by buttons; Escape cancels', async () => {
    await open(snapshot([asking, planGate(PLAN)]));
    await button('Open the Plan in an Editor').click();
    assert.deepEqual(await chat.sentOf('openPlan'), [{ type: 'openPlan', text: PLAN }]);
    await button('Edit the plan…').press('Escape');
    assert.deepEqual(await chat.sentOf('answer'), [{ type: 'answer', id: 'p' }]);
    await chat.post({ type: 'item', revision: 1, item: planGate(PLAN, { id: 'q' }) });
    await item('q').getByRole('button', { name: 'Send it back…' }).click();
    assert.deepEqual((await chat.sentOf('answer')).at(-1), { type: 'answer', id: 'q', answer: 'Send it back…' });
  });

  it('are read from their beginning when they are longer than the panel, and the list goes on after the answer', async () => {
    await open(snapshot([user('u', 'text\n'.repeat(40))]), { width: 292, height: 500 });
    await chat.post({ type: 'item', revision: 1, item: asking });
    await chat.post({ type: 'item', revision: 2, item: planGate(`${PLAN}\n${'A paragraph.\n\n'.repeat(80)}`) });
    await item('p').locator('h1').waitFor();
    const top = (): Promise<number> =>
      item('p').evaluate(card => card.getBoundingClientRect().top - card.closest('.log')!.getBoundingClientRect().top);
    await chat.page.waitForTimeout(100);
    assert.ok(Math.abs(await top()) < 12, `the card begins at ${await top()} px`);
    await button(OPTIONS[0] ?? '').click();
    await chat.post({ type: 'item', revision: 3, item: user('after', 'text\n'.repeat(30)) });
    await item('after').waitFor();
    await chat.page.waitForTimeout(100);
    const rest = await chat.page
      .getByRole('log')
      .evaluate(list => list.scrollHeight - list.scrollTop - list.clientHeight);
    assert.ok(rest < 24, `${rest} px to the end`);
  });

  for (const [what, planEnd, words] of [
    ['approved', { type: 'approved', mode: 'ask' }, 'You approved this plan. You are asked before each step.'],
    ['sent back', { type: 'sentBack', wish: 'in two steps' }, 'You sent this plan back: in two steps'],
    ['not approved', { type: 'refused' }, 'This plan was not approved.'],
  ] as const satisfies readonly (readonly [string, PlanEnd, string])[]) {
    it(`that are ${what} stand rendered in the card of their call, with that in words, once`, async () => {
      const over = gate('p', { toolItem: 'tool:p', state: { type: 'answered', answer: 'x' } });
      await open(snapshot([planTool(PLAN, { planEnd, output: 'The user said something.' }), over]), { width: 292 });
      assert.equal(await item('tool:p').locator('.plan-end').innerText(), words);
      await item('tool:p').locator('.card-line').click();
      const text = await item('tool:p').innerText();
      assert.equal(text.split('Add a test with').length, 2, text);
      assert.equal(text.includes('The user said something.'), false);
      assert.equal(await item('tool:p').locator('h1').innerText(), 'Move the parser');
      assert.equal(await item('tool:p').locator('.toggle[data-section="arguments"]').count(), 0);
    });
  }

  it('that were edited stand as they were edited', async () => {
    const planEnd = { type: 'approved', mode: 'auto', edited: '# Mine\n\nOne step.' } as const;
    await open(snapshot([planTool(PLAN, { planEnd })]));
    assert.match(await item('tool:p').innerText(), /You edited and approved this plan\. Only your hooks decide\./);
    assert.equal(await item('tool:p').locator('h1').innerText(), 'Mine');
  });

  it('of 200 kB are shown in part, and whole on request', async () => {
    const big = `${'## Step\n\nSome `code` and **words** of the plan, with a [link](src/a.ts).\n\n- one\n- two\n\n'.repeat(2_400)}END`;
    await open(snapshot([planGate(big)]));
    const more = item('p').getByRole('button', { name: /Show the whole plan/ });
    assert.ok((await item('p').innerText()).length < 30_000);
    await more.click();
    assert.ok((await item('p').innerText()).length < 60_000, 'the rest comes frame by frame');
    await item('p').getByText('END', { exact: true }).waitFor();
    assert.equal(await more.count(), 0);
  });

  it('with one character too many say so', async () => {
    await open(snapshot([planGate('x'.repeat(20_001))]));
    await item('p').getByRole('button', { name: 'Show the whole plan (1 more character)', exact: true }).waitFor();
  });
});
