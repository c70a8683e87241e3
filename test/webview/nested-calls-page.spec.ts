import assert from 'node:assert/strict';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Locator } from 'playwright-core';
import { ARTIFACTS } from '../../scripts/support/paths.ts';
import type { NestedLine } from '../../src/protocol/items/chat-item';
import { seriousFindings } from '../support/axe';
import { GATE_HOOK, RUNNING, snapshot, tool } from './harness/demo';
import { drawnPath } from './harness/drawn-path';
import { eachInBrowser } from './harness/each-in-browser';
import type { ChatHarness } from './harness/harness';

const line = (id: string, name: string, summary: string, more: Partial<NestedLine> = {}): NestedLine => ({
  id,
  name,
  icon: 'terminal',
  summary,
  summaryKind: name === 'bash' ? 'command' : name === 'read' ? 'path' : 'text',
  depth: 1,
  state: { type: 'done', durationMs: 12 },
  ...more,
});

const LINES: readonly NestedLine[] = [
  line('p/1', 'read', 'src/session/conversation.ts', { icon: 'file' }),
  line('p/2', 'orchestrate_others_with_a_long_name', '', {
    state: { type: 'running', startedAt: Date.now() - 4_000_000 },
  }),
  line('p/2/1', 'bash', 'npm test -- --suite unit --file a/very/long/path', {
    depth: 2,
    state: { type: 'failed' },
    error: 'exit code 1',
  }),
  line('p/3', 'bash', 'rm -rf build', { state: { type: 'blocked', by: GATE_HOOK, reason: 'not in this project' } }),
];

describe('calls that a tool makes, in its card', function () {
  this.timeout(120_000);
  let chat: ChatHarness;
  const open = eachInBrowser(opened => {
    chat = opened;
  });
  const lines = (): Locator => chat.page.locator('[data-item-id="t"] .nested > li');

  it('stand a line each, those that they made further in, and fit into 300 px', async () => {
    const card = tool('t', 'orchestrate', '', { type: 'running', startedAt: Date.now() }, { nested: LINES });
    await open(snapshot([card], { status: RUNNING }), { width: 300 });
    assert.deepEqual(await lines().evaluateAll(all => all.map(each => each.getAttribute('data-state'))), [
      'done',
      'running',
      'failed',
      'blocked',
    ]);
    assert.match(await lines().nth(2).innerText(), /bash.*Failed\s+exit code 1/s);
    assert.match(await lines().nth(3).innerText(), /Blocked by .*: not in this project/s);
    const [outer, inner] = await Promise.all(
      [0, 2].map(at => lines().nth(at).locator('.codicon').first().boundingBox()),
    );
    assert.ok((inner?.x ?? 0) > (outer?.x ?? 0));
    const widths = await lines().evaluateAll(all => all.map(each => [each.scrollWidth, each.clientWidth]));
    for (const [needed = 0, given = 0] of widths) assert.ok(needed <= given, `${needed} px in ${given} px`);
    mkdirSync(join(ARTIFACTS, 'webview'), { recursive: true });
    await chat.page.screenshot({ path: join(ARTIFACTS, 'webview', 'nested-calls-300px.png') });
    assert.deepEqual(await seriousFindings(chat.page), []);
  });

  it('shorten the folder of a path from the left', async () => {
    const path = 'packages/server/controllers/in/a.ts';
    const nested = [line('p/1', 'read', path), line('p/1/1', 'read', path, { depth: 2 })];
    await open(snapshot([tool('t', 'orchestrate', '', { type: 'done' }, { nested })]), { width: 292 });
    for (const at of [0, 1]) {
      assert.deepEqual(await drawnPath(lines().nth(at)), {
        isNameFirst: true,
        isNameWhole: true,
        isFolderDrawn: true,
        isFolderStartInSight: false,
        isFolderEndInSight: true,
      });
      assert.equal(await lines().nth(at).locator('.tool-summary').getAttribute('title'), path);
    }
    await chat.page.screenshot({ path: join(ARTIFACTS, 'webview', 'nested-paths-292.png') });
  });

  it('come and change while the tool runs, and fold away', async () => {
    await open(snapshot([tool('t', 'orchestrate', '', { type: 'running', startedAt: 0 })]));
    const first = line('t/1', 'bash', 'true', { state: { type: 'checking' } });
    await chat.post({ type: 'nestedCall', revision: 1, id: 't', call: first });
    await chat.post({ type: 'nestedCall', revision: 2, id: 't', call: line('t/2', 'ls', '.') });
    await chat.post({ type: 'nestedCall', revision: 3, id: 't', call: { ...first, state: { type: 'done' } } });
    assert.deepEqual(await lines().evaluateAll(all => all.map(each => each.getAttribute('data-state'))), [
      'done',
      'done',
    ]);
    const details = chat.page.locator('.card-line').first();
    await details.click();
    await chat.page.getByRole('button', { name: '2 calls' }).click();
    assert.equal(await lines().count(), 0);
    await details.click();
    assert.equal(await lines().count(), 0, 'they stay folded in the closed card');
  });
});
