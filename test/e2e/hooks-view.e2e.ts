import assert from 'node:assert/strict';
import type { Frame, Locator } from 'playwright-core';
import { Chat } from './support/chat';
import { answerQuestion } from './support/questions';
import { openWorkbench, waitFor, type Workbench } from './support/workbench';

const BROKEN = `export default pi => {
  pi.on('tool_cal', () => undefined);
  pi.on('turn_end', () => {
    throw new Error('turn_end is not done yet');
  });
};
`;

const SHOUT = `export default pi => {
  pi.on('tool_result', e => ({ content: [{ type: 'text', text: e.content[0].text.replace('here', 'THERE') }] }));
};
`;

describe('hooks, seen', () => {
  let workbench: Workbench;
  let chat: Chat;

  before(async () => {
    workbench = await openWorkbench({
      files: { 'doomed/a.txt': '1', '.pi/hooks/zz-problems.ts': BROKEN, '.pi/hooks/zz-shout.ts': SHOUT },
    });
    chat = await Chat.open(workbench);
  });
  after(() => workbench.close());

  /** A line of the tree by the start of its text. */
  const line = (label: string): Locator =>
    workbench.page.locator('.monaco-list-row[role="treeitem"]', { hasText: label }).first();
  const log = (): Promise<Frame> => workbench.frameWith('[data-hookline="log"][data-ready="true"]');
  /** The blocked call stands in its turn, with bars at the same scale; what decided nothing is folded. */
  const pictured = async (frame: Frame): Promise<void> => {
    const turn = frame.getByRole('treeitem', { level: 1, name: /Turn with 1 tool call/ }).first();
    const call = frame.getByRole('treeitem', { level: 2, name: /bash rm -rf doomed.*permission-gate/ }).first();
    await turn.locator('rect.model').first().waitFor({ state: 'attached' });
    await call.locator('rect.asked').first().waitFor({ state: 'attached' });
    await call.click();
    const times = frame.getByRole('region', { name: 'Timing' });
    await times.getByRole('row', { name: /Model/ }).waitFor();
    await times.getByRole('row', { name: /Question to you/ }).waitFor();
    assert.equal(await times.locator('tr[data-kind="tool"]').count(), 0, 'the tool never ran');
    await workbench.screenshot('hook-log-times');
    await workbench.page.keyboard.press('ArrowLeft');
    await frame.locator('[aria-level="2"][aria-selected="true"][aria-expanded="false"]').waitFor();
    await workbench.page.keyboard.press('ArrowRight');
    await frame.locator('[aria-level="2"][aria-selected="true"][aria-expanded="true"]').waitFor();
    await workbench.page.keyboard.press('Escape');
  };
  const hasText = (place: Locator, text: RegExp): Promise<true> =>
    waitFor(async () => (text.test(await place.innerText().catch(() => '')) ? true : undefined), {
      what: String(text),
    });

  it('are listed in a view of their own, and count what the agent makes them do', async () => {
    await chat.ask('run `rm -rf doomed`');
    await answerQuestion(workbench, 'No');
    await chat.tool('bash', 'blocked');
    await chat.idle();
    await workbench.runCommand('Hookline Hooks: Focus on Hooks View');
    await line('permission-gate.ts').waitFor();
    await hasText(line('permission-gate.ts'), /workspace · 1× · p95/);
    await hasText(line('zz-problems.ts'), /errors? ·/);
    await workbench.screenshot('hooks-view');
  });

  it('have every call in a log that can be filtered and opened', async () => {
    await workbench.runCommand('Hookline: Show Hook Log');
    const frame = await log();
    await frame.locator('.log-row').first().waitFor();
    await pictured(frame);
    await frame.getByLabel('Hook', { exact: true }).selectOption({ label: 'permission-gate.ts' });
    await frame.locator('.log-row[data-outcome="blocked"]:not(.group)').first().click();
    await frame.locator('.log-details >> text=doomed').first().waitFor();
    assert.equal(await frame.locator('.log-row:not(.group)').count(), 1);
    await workbench.screenshot('hook-log-details');
    await frame.getByRole('button', { name: 'Show All' }).click();
    await frame.getByText(/^\d+ hook calls$/).waitFor();
    const count = Number.parseInt(await frame.getByText(/^\d+ hook calls$/).innerText(), 10);
    await frame.getByLabel('Text in the record').fill('rm -rf doomed');
    await waitFor(
      async () => {
        const all = await frame.locator('.log-row:not(.group)').allTextContents();
        const told = await frame
          .getByText(/^\d+ of \d+$/)
          .innerText()
          .catch(() => '');
        return all.length > 0 && told === `${all.length} of ${count}` && all.some(text => /tool_call/.test(text))
          ? true
          : undefined;
      },
      { what: 'only calls about that command' },
    );
    await frame.getByLabel('Text in the record').fill('');
  });

  it('show before and after of what they changed', async () => {
    await chat.ask('read .env');
    await chat.tool('read', 'done');
    await chat.idle();
    const frame = await log();
    await frame.locator('.log-row:not(.group)', { hasText: 'redactor.ts' }).first().click();
    await frame.locator('.log-details', { hasText: 'The log does not show the change' }).waitFor();
    await frame.locator('.log-row:not(.group)', { hasText: 'zz-shout.ts' }).first().click();
    await frame.locator('.value-diff .diff-removed', { hasText: 'REGION=here' }).waitFor();
    await frame.locator('.value-diff .diff-added', { hasText: 'REGION=THERE' }).waitFor();
    await workbench.screenshot('hook-log-diff');
  });

  it('can be tried with an event that never happened', async () => {
    await workbench.runCommand('Hookline: Test Hook with Event…');
    await workbench.quickInput.opened({ withItems: true });
    await workbench.quickInput.type('protected');
    await workbench.quickInput.accept();
    await waitFor(async () => (/which event/i.test(await workbench.quickInput.placeholder()) ? true : undefined), {
      what: 'the choice of an event',
    });
    await workbench.quickInput.type('tool_call write');
    await workbench.quickInput.accept();
    const frame = await workbench.frameWith('.markdown-body h2');
    const report = frame.locator('.markdown-body');
    await hasText(report, /blocked: .*Nothing was executed.*\.pi\/hooks\/protected-paths\.ts:\d+.*Returned/s);
    await workbench.screenshot('hook-dry-fire');
    await report.getByRole('link', { name: /protected-paths\.ts:\d+/ }).click();
    await workbench.page.locator('.editor-instance .view-line', { hasText: 'tool_call' }).first().waitFor();
  });

  it('have lenses and problems in their source', async () => {
    await line('zz-problems.ts').click();
    await workbench.page
      .locator('.codelens-decoration', { hasText: /× .*error.* p95/ })
      .first()
      .waitFor();
    await workbench.page.locator('.codelens-decoration', { hasText: 'not called yet' }).first().waitFor();
    await workbench.page.locator('.squiggly-warning').first().waitFor();
    await workbench.page.locator('.squiggly-error').first().waitFor();
    await workbench.screenshot('hook-lenses');
  });

  it('have their log again after a reload of the window', async () => {
    await workbench.reload();
    await workbench.runCommand('Hookline: Show Hook Log');
    const frame = await log();
    await frame.locator('.log-row', { hasText: 'Blocked by user' }).first().waitFor();
    await frame
      .getByRole('treeitem', { level: 1, name: /Turn with 1 tool call/ })
      .first()
      .waitFor();
    assert.equal(await workbench.page.locator('.tab', { hasText: 'Hook Log' }).count(), 1);
    await workbench.screenshot('hook-log-reloaded');
  });
});
