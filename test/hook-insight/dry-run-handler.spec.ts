/* eslint-disable @typescript-eslint/no-unsafe-call, @typescript-eslint/no-unsafe-member-access, @typescript-eslint/no-unsafe-assignment -- hooks are foreign code */
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { LiveScope } from '../../src/hook-load/ownership/live-scope';
import type { HookEvent } from '../../src/hook-contract/hook-event';
import { EVENT_NAMES } from '../../src/hook-contract/events/event-table';
import { dryRunHandler, type DryRunResult } from '../../src/hook-insight/dry-run/dry-run-handler';
import type { SampleContext } from '../../src/hook-contract/events/event-row';
import { samplesFor, withRecorded } from '../../src/hook-insight/samples';
import { hook, hostWith, until, type Factory, type Foreign, type TestHost } from '../support/hook-host';

const CALL = { type: 'tool_call', toolCallId: 't', toolName: 'bash', input: { command: 'rm -rf x' } } as const;
const FACTS: SampleContext = { cwd: '/work', model: undefined, messages: [], sessionFile: undefined };

describe('a dry fire', () => {
  let host: TestHost;
  afterEach(() => host.host.dispose());

  const load = async (factory: Factory, dialect: 'ext' | 'v1' = 'ext'): Promise<void> => {
    host = await hostWith([hook(dialect, factory)]);
  };
  const fire = (event: HookEvent): Promise<DryRunResult> => {
    const [delivery] = host.runner.deliveries(event);
    assert.ok(delivery, 'a handler listens');
    return dryRunHandler(delivery, event, host.conversation, host.runner.services);
  };

  it('shows the verdict of one handler, and nothing is counted or told', async () => {
    await load(pi => {
      pi.on('tool_call', (event: { input: { command: string } }) =>
        event.input.command.includes('rm') ? { block: true, reason: 'no rm' } : undefined,
      );
      pi.on('tool_call', () => assert.fail('only one handler is fired'));
    });
    const { outcome, returned, result, payload } = await fire(CALL);
    assert.deepEqual(outcome, { type: 'blocked', reason: 'no rm' });
    assert.deepEqual(returned, { block: true, reason: 'no rm' });
    assert.deepEqual(result, { block: true, reason: 'no rm', by: '/hooks/1.ts' });
    assert.deepEqual(payload, CALL);
    assert.deepEqual([host.records, host.errors], [[], []]);
  });

  it('shows what the handler changed in place', async () => {
    await load(pi => {
      pi.on('tool_call', (event: { input: { command: string } }) => {
        event.input.command = 'echo safe';
      });
    });
    const fired = await fire({ ...CALL, input: { command: 'rm' } });
    assert.deepEqual((fired.payload as { input: unknown }).input, { command: 'rm' });
    assert.deepEqual((fired.payloadAfter as { input: unknown }).input, { command: 'echo safe' });
  });

  it('does nothing of what the handler wants done: messages, sessions, commands, tools', async () => {
    let ran: unknown;
    await load(pi => {
      pi.on('turn_end', async (_event: unknown, ctx: { abort(): void }) => {
        pi.sendUserMessage('again');
        pi.appendEntry('mine', { a: 1 });
        ctx.abort();
        ran = await pi.exec('rm', ['-rf', '/']);
      });
    });
    const [sample] = samplesFor('turn_end', FACTS);
    const { withheld } = await fire(sample!.event);
    await until(() => withheld.length === 4, 'all four were withheld');
    assert.deepEqual(withheld.map(({ action }) => action).sort(), ['abort', 'appendEntry', 'exec', 'sendUserMessage']);
    assert.deepEqual(ran, { stdout: '', stderr: '', code: 0, killed: false });
    assert.deepEqual(host.conversation.actions, []);
  });

  it('does nothing of what the handler does by itself: files, processes, requests', async () => {
    const scope = new LiveScope({ owner: 'h', onDidThrow: error => assert.fail(String(error)) });
    const { writeFileSync } = scope.builtin('node:fs') as Foreign;
    const path = join(tmpdir(), `hookline dry ${process.pid}`);
    await load(pi => {
      pi.on('tool_call', () => {
        writeFileSync(path, 'x');
      });
    });
    const { outcome, withheld } = await fire(CALL);
    assert.deepEqual(
      [outcome.type, withheld, existsSync(path)],
      ['threw', [{ action: 'fs.writeFileSync', args: [] }], false],
    );
    await scope.release();
  });

  it('lets hooks read the session, and write nothing to it by way of its manager', async () => {
    let read: unknown;
    await load(pi => {
      pi.on(
        'turn_end',
        (_event: unknown, ctx: { sessionManager: { getLeafId(): unknown; appendCustomEntry?(): void } }) => {
          read = ctx.sessionManager.getLeafId();
          ctx.sessionManager.appendCustomEntry?.();
        },
      );
    });
    const id = host.conversation.session.user('hello');
    Object.assign(host.conversation.session, { appendCustomEntry: () => assert.fail('nothing is written') });
    const [sample] = samplesFor('turn_end', FACTS);
    const { withheld, outcome } = await fire(sample!.event);
    assert.deepEqual([read, outcome.type], [id, 'nothing']);
    assert.deepEqual(
      withheld.map(({ action }) => action),
      ['sessionManager.appendCustomEntry'],
    );
  });

  it('lets hooks read models and keys, and changes neither', async () => {
    const never = (): never => assert.fail('nothing is changed');
    const acts = ['registerProvider', 'unregisterProvider', 'refresh'];
    const keyActs = ['set', 'setRuntimeApiKey', 'removeRuntimeApiKey', 'login', 'logout', 'reload'];
    let read: unknown;
    await load(pi => {
      pi.on('turn_end', async (_event: unknown, { modelRegistry }: Foreign) => {
        const { authStorage } = modelRegistry;
        for (const act of acts) await modelRegistry[act]('fake', {});
        for (const act of keyActs) await authStorage[act]('fake', 'key');
        read = [modelRegistry.getAvailableModels()[0].id, authStorage.has('fake')];
      });
    });
    const authStorage = { has: () => true, ...Object.fromEntries(keyActs.map(name => [name, never])) };
    Object.assign(host.conversation.modelRegistry, {
      authStorage,
      ...Object.fromEntries(acts.map(name => [name, never])),
    });
    const [sample] = samplesFor('turn_end', FACTS);
    const { withheld, outcome } = await fire(sample!.event);
    assert.deepEqual([read, outcome.type], [['fake', true], 'nothing']);
    assert.deepEqual(
      withheld.map(({ action }) => action),
      [...acts.map(name => `modelRegistry.${name}`), ...keyActs.map(name => `modelRegistry.authStorage.${name}`)],
    );
  });

  it('leaves the draft of the user and what the chat shows as they are', async () => {
    let draft: unknown;
    await load(pi => {
      pi.on('tool_call', (_event: unknown, { ui }: Foreign) => {
        ui.setEditorText('gone');
        ui.pasteToEditor('more');
        ui.setStatus('mine', 'busy');
        ui.setWidget('mine', ['line']);
        ui.onTerminalInput(() => undefined)();
        draft = ui.getEditorText();
      });
    });
    host.conversation.ui.setEditorText('draft');
    Object.assign(host.conversation.ui, { onTerminalInput: () => assert.fail('nobody listens') });
    host.conversation.ui.calls.length = 0;
    const { withheld, outcome } = await fire(CALL);
    assert.deepEqual([outcome.type, draft, host.conversation.ui.calls], ['nothing', 'draft', []]);
    assert.deepEqual(
      withheld.map(({ action }) => action),
      ['setEditorText', 'pasteToEditor', 'setStatus', 'setWidget', 'onTerminalInput'].map(name => `ui.${name}`),
    );
    assert.deepEqual(withheld[2]?.args, ['mine', 'busy']);
  });

  it('lets the person answer its questions', async () => {
    await load(pi => {
      pi.on(
        'tool_call',
        async (_event: unknown, ctx: { ui: { select(title: string, of: string[]): Promise<string> } }) =>
          (await ctx.ui.select('Run?', ['Yes', 'No'])) === 'No' ? { block: true } : undefined,
      );
    });
    const fired = fire(CALL);
    await until(() => host.conversation.ui.open.length === 1, 'it asks');
    const [asked] = host.conversation.ui.open;
    assert.equal(asked?.instead, 'dry-run');
    // The user has just started the test: whatever they answer allows nothing.
    assert.equal(host.conversation.ui.askers[0]?.type, 'command');
    asked.answer('No');
    assert.equal((await fired).outcome.type, 'blocked');
  });

  it('shows what a handler throws', async () => {
    await load(pi => {
      pi.on('turn_start', () => {
        throw new Error('broken');
      });
    });
    const fired = await fire(samplesFor('turn_start', FACTS)[0]!.event);
    assert.equal(fired.outcome.type, 'threw');
    assert.match(fired.errors[0]?.message ?? '', /broken/);
    assert.deepEqual(host.errors, []);
  });

  it('has a sample for every name that a dialect knows, which reaches a handler of that name', async () => {
    for (const name of EVENT_NAMES) {
      const seen: unknown[] = [];
      host = await hostWith([
        hook(name === 'session' || name === 'branch' ? 'v1' : 'ext', pi =>
          pi.on(name, (event: unknown) => seen.push(event)),
        ),
      ]);
      const samples = samplesFor(name, FACTS).filter(({ event }) => host.runner.deliveries(event).length > 0);
      assert.ok(samples.length > 0, name);
      for (const { event } of samples) await fire(event);
      assert.equal(seen.length, samples.length, name);
      await host.host.dispose();
    }
  });

  it('lays recorded values over a sample, where they are whole', () => {
    const [sample] = samplesFor('tool_call', FACTS);
    assert.ok(sample?.event.type === 'tool_call');
    const merged = withRecorded(sample.event, { type: 'x', toolName: 'ls', input: 'cut', more: 1 });
    assert.deepEqual(merged, { ...sample.event, toolName: 'ls' });
  });
});
