/* eslint-disable @typescript-eslint/no-unsafe-call, @typescript-eslint/no-unsafe-member-access -- hooks are foreign code */
import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync, appendFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { AgentMessage } from '../../../src/agent/messages';
import { HookLog } from '../../../src/hook-insight/recording/hook-log';
import { LogFile, readLines } from '../../../src/hook-insight/recording/log-file';
import type { HookEventOf } from '../../../src/hook-contract/hook-event';
import type { DialectId } from '../../../src/hook-contract/dialect-id';
import { hook, hostWith, type Factory, type TestHost } from '../../support/hook-host';

const call = (command: string): HookEventOf<'tool_call'> => ({
  type: 'tool_call',
  toolCallId: 't1',
  toolName: 'bash',
  input: { command },
});
const text = (value: string): AgentMessage => ({
  role: 'user',
  content: [{ type: 'text', text: value }],
  timestamp: 1,
});

describe('the log of dispatches', () => {
  let folder: string;
  let path: string;
  let host: TestHost;
  let log: HookLog;

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'hookline-log-'));
    path = join(folder, 'ws', 'hooks.jsonl');
  });
  afterEach(async () => {
    await log.flush();
    log.dispose();
    await host.host.dispose();
    rmSync(folder, { recursive: true, force: true });
  });

  const start = async (factory: Factory, file?: LogFile, dialect: DialectId = 'ext'): Promise<void> => {
    host = await hostWith([hook(dialect, factory, '/h/gate.ts')]);
    log = new HookLog({ file: file ?? new LogFile(path) });
    host.host.records.onDidDispatch(log.add);
  };

  it('holds each dispatch with payload, result and outcome, redacted before it is anywhere', async () => {
    await start(pi => {
      pi.on('tool_call', () => ({ block: true, reason: 'no password=hunter22 here' }));
    });
    await host.emit(call('curl -H "Authorization: Bearer abcdefghijkl"'));
    const [entry] = JSON.parse(`[${log.exportText().trim()}]`) as Record<string, unknown>[];
    assert.deepEqual(
      { ...entry, at: 0, ms: 0, run: '' },
      {
        run: '',
        seq: 1,
        at: 0,
        conversation: 'c1',
        hook: '/h/gate.ts',
        event: 'tool_call',
        registeredAs: 'tool_call',
        nth: 0,
        tool: 'bash',
        toolCallId: 't1',
        ms: 0,
        askedMs: 0,
        outcome: { type: 'blocked', reason: 'no password=[redacted] here' },
        payload: { ...call(''), input: { command: 'curl -H "Authorization: Bearer [redacted]"' } },
        returned: { block: true, reason: 'no password=[redacted] here' },
      },
    );
    await log.flush();
    assert.equal(readFileSync(path, 'utf8'), log.exportText());
    if (process.platform !== 'win32') assert.equal(statSync(path).mode & 0o077, 0, 'nobody else may read it');
  });

  it('shows before and after: of answers laid over, and of input changed in place', async () => {
    await start(pi => {
      pi.on('tool_call', (event: { input: { command: string } }) => {
        event.input.command = 'echo safe';
      });
      pi.on('tool_result', () => ({ content: [{ type: 'text', text: 'new' }] }));
    });
    await host.emit(call('rm'));
    await host.emit({
      ...call('rm'),
      type: 'tool_result',
      content: [{ type: 'text', text: 'old' }],
      details: 1,
      isError: false,
    });
    await log.flush();
    assert.deepEqual(
      log.entries.map(entry => entry.changes),
      [
        [{ member: 'input', before: { command: 'rm' }, after: { command: 'echo safe' } }],
        [{ member: 'content', before: [{ type: 'text', text: 'old' }], after: [{ type: 'text', text: 'new' }] }],
      ],
    );
  });

  it('keeps no answer in the own words of the person where a dialog asks for a secret', async () => {
    await start(pi => {
      pi.on('tool_call', async (_event: unknown, { ui }: { ui: Record<string, (...given: unknown[]) => unknown> }) => {
        await ui['input']?.('Sudo password');
        await ui['input']?.('Code', 'the OTP of your phone');
        await ui['editor']?.('Deploy with', 'apiKey = ');
        await ui['editor']?.('Der private Schlu\u0308ssel');
        await ui['input']?.('Name', 'monkey');
        await ui['select']?.('Which token?', ['work', 'home']);
        await ui['confirm']?.('Use the password of before?');
        await ui['input']?.('PIN');
      });
    });
    host.conversation.ui.answers.push(
      'hunter2',
      '123456',
      'see apiKey=zyxwvu98',
      '-- kk --',
      'bob',
      'home',
      true,
      undefined,
    );
    await host.emit(call('deploy'));
    await log.flush();
    const text = log.exportText();
    for (const secret of ['hunter2', '123456', 'zyxwvu98', '-- kk --']) assert.ok(!text.includes(secret), secret);
    const [entry] = log.entries;
    assert.deepEqual(
      entry?.dialogs?.map(({ kind, answer }) => [kind, answer]),
      [
        ['input', '[redacted]'],
        ['input', '[redacted]'],
        ['editor', 'see apiKey=[redacted]'],
        ['editor', '[redacted]'],
        ['input', 'bob'],
        ['select', 'home'],
        ['confirm', true],
        ['input', undefined],
      ],
    );
    assert.ok(!readFileSync(path, 'utf8').includes('hunter2'));
  });

  for (const [dialect, counts] of [
    ['pi', true],
    ['ext', false],
  ] as const) {
    it(`keeps message lists as entry ids plus what a hook of ${dialect} changed`, async () => {
      const factory: Factory = pi => {
        pi.on('context', (event: { messages: AgentMessage[] }) => ({
          messages: [...event.messages.slice(1), text('added')],
        }));
        pi.on('context', (event: { messages: { content: { text: string }[] }[] }) => {
          event.messages[0]!.content[0]!.text = 'touched';
        });
        pi.on('context', () => undefined);
      };
      await start(factory, undefined, dialect);
      const messages = [text('one'), text('two'), text('three')];
      await host.emit({ type: 'context', messages, entryIds: ['e1', 'e2', null] });
      await log.flush();
      const [first, second, third] = log.entries;
      assert.deepEqual(first?.changes, [
        {
          member: 'messages',
          before: ['e1', 'e2', '[user without an entry]'],
          after: ['e2', '[user without an entry]', text('added')],
        },
      ]);
      const touched = [{ entry: 'e2', message: text('touched') }, '[user without an entry]', text('added')];
      assert.deepEqual(second?.changes?.[0]?.after, counts ? touched : undefined);
      assert.deepEqual([third?.payload, third?.changes], [{ type: 'context', count: 3 }, undefined]);
      assert.deepEqual(messages, [text('one'), text('two'), text('three')]);
    });
  }

  it('keeps of streamed text only what came', async () => {
    await start(pi => {
      pi.on('message_update', () => undefined);
    });
    const message = { ...text('x'.repeat(10_000)), role: 'assistant' } as never;
    await host.emit({
      type: 'message_update',
      message,
      assistantMessageEvent: { type: 'text_delta', contentIndex: 0, delta: 'abc', partial: message },
    });
    await log.flush();
    assert.deepEqual(log.entries[0]?.payload, {
      type: 'message_update',
      assistantMessageEvent: { type: 'text_delta', contentIndex: 0, delta: 'abc' },
    });
  });

  it('caps what is too long and says so', async () => {
    await start(pi => {
      pi.on('tool_call', () => undefined);
    });
    await host.emit(call('x'.repeat(1_000_000)));
    await log.flush();
    assert.equal(log.entries[0]?.capped, true);
    assert.ok(log.exportText().length < 80_000);
    assert.equal(log.lastPayload('tool_call'), undefined, 'half an event is not fit to try a handler with');
  });

  it('is there after a restart, in order, with what the new run adds', async () => {
    await start(pi => {
      pi.on('tool_call', () => undefined);
    });
    await host.emit(call('first'));
    await log.flush();
    const before = log;
    appendFileSync(path, '{"torn');
    await new Promise(resolve => setTimeout(resolve, 2)); // Runs are told apart by their start.
    log = new HookLog({ file: new LogFile(path) });
    host.host.records.onDidDispatch(log.add);
    await host.emit(call('second'));
    await log.flush();
    await log.load();
    const commands = log.entries.map(entry => (entry.payload as { input: { command: string } }).input.command);
    assert.deepEqual(commands, ['first', 'second']);
    assert.match(readFileSync(path, 'utf8'), /torn\n\{.*second/s, 'the torn line takes none with it');
    before.dispose();
  });

  it('stays bounded on disk and in memory, and can be cleared', async () => {
    await start(
      pi => {
        pi.on('tool_call', () => undefined);
      },
      new LogFile(path, 50_000),
    );
    for (let index = 0; index < 2_300; index++) {
      await host.emit(call(`n${index}`));
      if (index % 50 === 0) await log.flush();
    }
    await log.flush();
    assert.equal(log.entries.length, 2_000);
    assert.match(JSON.stringify(log.entries.at(-1)), /n2299/);
    assert.ok(statSync(path).size + statSync(`${path}.1`).size < 130_000);
    await log.clear();
    assert.deepEqual([log.entries.length, existsSync(path), existsSync(`${path}.1`)], [0, false, false]);
  });

  it('forgets everything before it is cleared, and nothing that comes after', async () => {
    await start(pi => {
      pi.on('tool_call', () => undefined);
    });
    await host.emit(call('before'));
    await log.flush();
    const cleared = log.clear();
    assert.equal(log.lastPayload('tool_call', 'bash'), undefined);
    await host.emit(call('after'));
    await log.flush();
    await cleared;
    const commands = (of: readonly { readonly payload?: unknown }[]): readonly unknown[] =>
      of.map(({ payload }) => (payload as { input: { command: string } }).input.command);
    assert.deepEqual(commands(log.entries), ['after']);
    assert.deepEqual(commands(readLines(readFileSync(path, 'utf8')).entries), ['after']);
  });

  it('goes on writing after its full file was deleted', async () => {
    await start(
      pi => {
        pi.on('tool_call', () => undefined);
      },
      new LogFile(path, 10),
    );
    await host.emit(call('one'));
    await log.flush();
    rmSync(path);
    await host.emit(call('two'));
    await log.flush();
    assert.match(readFileSync(path, 'utf8'), /two/);
  });

  it('works on without a disk', async () => {
    writeFileSync(join(folder, 'ws'), 'a file where the folder should be');
    await start(pi => {
      pi.on('tool_call', () => undefined);
    });
    await host.emit(call('ls'));
    await log.flush();
    assert.equal(log.entries.length, 1);
    assert.deepEqual(readLines('no json\n{"a":1}\n'), { entries: [], unreadable: 2 });
  });

  it('gives the last event of a kind as it was, for trying handlers', async () => {
    await start(pi => {
      pi.on('tool_call', () => undefined);
    });
    await host.emit(call('export TOKEN=abcdefgh'));
    assert.deepEqual((log.lastPayload('tool_call', 'bash') as { input: unknown }).input, {
      command: 'export TOKEN=abcdefgh',
    });
    assert.equal(log.lastPayload('tool_call', 'read'), undefined);
  });
});
