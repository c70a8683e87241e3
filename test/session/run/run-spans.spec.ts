import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { DispatchRecord } from '../../../src/hook-contract/record';
import type { Span } from '../../../src/hook-run/dispatch/span';
import { HookLog } from '../../../src/hook-insight/recording/hook-log';
import { LogFile } from '../../../src/hook-insight/recording/log-file';
import { Rig } from '../../support/conversation-rig';

const ASKS = `export default pi => {
  pi.on('tool_call', async (e, ctx) => { await ctx.ui.confirm('Sure?', ''); });
};`;

describe('spans of a run', () => {
  let rig: Rig;
  let folder: string;
  const spans: Span[] = [];
  const records: DispatchRecord[] = [];

  before(async () => {
    folder = mkdtempSync(join(tmpdir(), 'hookline-spans-'));
    const call = { id: 'c', name: 'bash', args: { command: 'echo one' } };
    rig = await Rig.open([{ calls: [call] }, { text: 'done' }], { extensions: { 'asks.ts': ASKS } });
    rig.dialogs.addView({
      show: (_question, reply) => {
        queueMicrotask(() => reply(true));
        return { dispose: () => undefined };
      },
    });
    rig.conversation.ports.hooks.records.onDidEndSpan(span => spans.push(span));
    rig.conversation.ports.hooks.records.onDidDispatch(record => records.push({ ...record }));
    await rig.chat.submit('go');
  });
  after(async () => {
    await rig.close();
    rmSync(folder, { recursive: true, force: true });
  });

  it('are told as they end: each request, the tool that ran, and the turns around them', () => {
    assert.deepEqual(
      spans.map(({ kind, toolCallId = '' }) => `${kind} ${toolCallId}`.trim()),
      ['model', 'tool c', 'turn', 'model', 'turn'],
    );
    const [model, tool, turn] = spans;
    assert.ok(model && tool && turn);
    const end = ({ startedAt, durationMs }: Span): number => startedAt + durationMs;
    assert.ok(turn.startedAt <= model.startedAt && end(model) <= tool.startedAt && end(tool) <= end(turn));
  });

  it('stand beside hooks whose questions have a beginning and a length', () => {
    const record = records.find(({ registeredAs, dialogs }) => registeredAs === 'tool_call' && dialogs !== undefined);
    const [model, tool] = spans;
    const [wait, ...others] = record?.waits ?? [];
    assert.ok(record && wait && model && tool);
    assert.deepEqual(others, []);
    assert.equal(wait.ms, record.askedMs);
    assert.ok(model.startedAt + model.durationMs <= record.startedAt && record.startedAt <= wait.at);
    assert.ok(wait.at + wait.ms <= tool.startedAt);
  });

  it('are kept on disk between the dispatches, and cleared with them', async () => {
    const file = new LogFile(join(folder, 'log.jsonl'));
    const log = new HookLog({ file });
    for (const span of spans) log.addSpan(span);
    for (const record of records) log.add(record);
    await log.flush();
    const next = new HookLog({ file });
    await next.load();
    assert.deepEqual(next.spans, log.spans);
    assert.equal(next.spans.length, spans.length);
    assert.equal(next.entries.length, records.length);
    await next.clear();
    assert.deepEqual((await file.read()).entries, []);
    assert.deepEqual(next.spans, []);
    log.dispose();
    next.dispose();
  });
});
