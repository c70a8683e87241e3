import assert from 'node:assert/strict';
import { join } from 'node:path';
import { noKeys } from '../../src/agent/models/keys/api-key-source';
import { demoModel } from '../../src/demo-model/demo-model';
import { ModelRegistry } from '../../src/agent/models/registry';
import type { Disposable } from '../../src/base/disposable';
import { silentLog } from '../../src/base/log';
import { deferred } from '../../src/base/async/wait';
import type { ChildCall } from '../../src/hook-run/host/child-call';
import type { HookHost } from '../../src/hook-run/host/host';
import { withoutActing } from '../../src/hook-load/ownership/live-scope';
import { Packages } from '../../src/packages/packages';
import type { ChildParts } from '../../src/startup/child-sessions';
import { createHookHost } from '../../src/startup/hook-setup';
import { LiveSettings } from '../../src/startup/live-settings';
import { ROOT } from '../../scripts/support/paths.ts';
import { PackageBox } from '../packages/support';
import { FakeConversation } from '../support/fake-conversation';

/** Gates, and brings a provider. */
const GUARD = `export default (pi) => {
  pi.on('tool_call', () => undefined);
  pi.registerProvider('mine', { baseUrl: 'http://127.0.0.1:1', api: 'openai-completions', apiKey: 'k',
    models: [{ id: 'one', name: 'One', reasoning: false, input: ['text'], cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 },
      contextWindow: 1000, maxTokens: 100 }] });
};`;

const MAKER = `import { createAgentSession, SessionManager } from '@earendil-works/pi-coding-agent';
export default (pi) => {
  pi.registerTool({ name: 'make', label: 'Make', description: 'x', parameters: { type: 'object', properties: {} },
    execute: async () => {
      await createAgentSession({ sessionManager: SessionManager.inMemory('/') });
      return { content: [] };
    } });
};`;

describe('sessions that hooks make', function () {
  this.timeout(30_000);
  let box: PackageBox;
  let host: HookHost;
  let models: ModelRegistry;
  let dependencies: Disposable;
  let opened: ChildParts[] = [];
  let ends: string[] = [];
  let whileItOpens: () => Promise<void>;

  beforeEach(async () => {
    box = new PackageBox();
    opened = [];
    ends = [];
    whileItOpens = () => Promise.resolve();
    box.write({ 'work/.pi/extensions/guard.ts': GUARD, 'work/.pi/extensions/maker.ts': MAKER });
    const { agentDir, cwd, home } = box;
    const place = { agentDir, cwd, includeProject: () => true };
    const value = { model: undefined, thinkingLevel: undefined };
    const settings = await LiveSettings.open(place, { value, problems: [] });
    models = new ModelRegistry({ agentDir, embedded: demoModel(), keys: noKeys });
    const [storageDir, stateDir] = [join(box.root, 'storage'), join(box.root, 'state')];
    ({ host, dependencies } = createHookHost({
      place,
      code: {
        distDir: join(ROOT, 'dist'),
        jitiDir: join(ROOT, 'node_modules/jiti/dist'),
        storageDir,
        stateDir,
        version: '0.0.0',
      },
      settings,
      models,
      packages: new Packages({ place, settings, temporary: [], home }),
      mode: 'print',
      hookOptions: () => ({ paths: [], dialects: {}, disabled: [], confirmWithoutGates: true }),
      flagValue: () => undefined,
      openChild: async parts => {
        opened.push(parts);
        await whileItOpens();
        return { session: {}, end: why => Promise.resolve(void ends.push(why)) };
      },
      log: silentLog,
    }));
    await host.reload();
  });

  afterEach(async () => {
    await host.dispose();
    dependencies.dispose();
    box.remove();
  });

  const make = async (conversation: FakeConversation): Promise<ChildParts> => {
    const tool = host.tools(conversation).find(({ name }) => name === 'make');
    await tool?.execute('call-1', {}, undefined, undefined);
    const parts = opened.at(-1);
    assert.ok(parts !== undefined);
    return parts;
  };

  it('load what runs around them, and tell their calls to the call that made them', async () => {
    const conversation = new FakeConversation();
    host.attach(conversation);
    const told: ChildCall[] = [];
    host.onDidCallInChild(call => told.push(call));
    const { host: own, around, reportStep } = await make(conversation);
    assert.equal(around, conversation);
    assert.deepEqual(
      own.infos().map(({ path, state }) => [path, state.type]),
      host.infos().map(({ path }) => [path, 'live']),
    );
    reportStep({ step: 'start', id: 'a', name: 'bash', args: {} });
    assert.deepEqual(told, [
      {
        conversation: conversation.id,
        parentToolCallId: 'call-1',
        step: { step: 'start', id: 'call-1/1.a', name: 'bash', args: {} },
      },
    ]);
  });

  it('take no provider away from the conversation when they end', async () => {
    const conversation = new FakeConversation();
    host.attach(conversation);
    const { host: own, dispose } = await make(conversation);
    dispose();
    await own.dispose();
    assert.ok(models.find('mine', 'one') !== undefined);
    assert.deepEqual(ends, ['This session was disposed.']);
  });

  it('end with the conversation, and when a gate around them is another', async () => {
    const conversation = new FakeConversation();
    const open = host.attach(conversation);
    await make(conversation);
    await host.reload();
    assert.deepEqual(ends, []);
    box.write({ 'work/.pi/extensions/guard.ts': `${GUARD}\n// New.` });
    await host.reload();
    assert.deepEqual(ends, ['The hooks of the conversation changed, so this session has ended.']);
    await make(conversation);
    open.dispose();
    assert.equal(ends[1], 'The conversation that this session belongs to has ended.');
  });

  it('are not opened when meanwhile a gate comes, or the conversation ends', async () => {
    const conversation = new FakeConversation();
    const open = host.attach(conversation);
    const cases: [() => Promise<void>, string][] = [
      [
        () => {
          box.write({ 'work/.pi/extensions/second.ts': GUARD.replace('mine', 'other') });
          return host.reload();
        },
        'The hooks of the conversation changed, so this session has ended.',
      ],
      [
        () => {
          open.dispose();
          return Promise.resolve();
        },
        'The conversation that this session belongs to has ended.',
      ],
    ];
    for (const [happens, why] of cases) {
      whileItOpens = happens;
      await assert.rejects(make(conversation), { message: `createAgentSession: ${why}` });
      assert.equal(ends.at(-1), why);
      assert.equal(opened.at(-1)?.host.runner.loaded.length, 0);
    }
  });

  it('end with their hook, which goes on until then', async () => {
    const conversation = new FakeConversation();
    host.attach(conversation);
    await make(conversation);
    box.write({ 'work/.pi/extensions/maker.ts': `${MAKER}\n// New.` });
    await host.reload();
    assert.deepEqual(ends, ['The hook that made this session was reloaded or turned off.']);
  });

  it('are not opened by a hook that another load has replaced', async () => {
    const [held, outcome] = [deferred(), deferred<unknown>()];
    Object.assign(globalThis, { lateOfTest: { held: held.promise, tell: (end: unknown) => outcome.resolve(end) } });
    const late = `import { createAgentSession, SessionManager } from '@earendil-works/pi-coding-agent';
      const { held, tell } = globalThis.lateOfTest;
      export default (pi) => {
        pi.on('agent_start', () => {
          held.then(() => createAgentSession({ sessionManager: SessionManager.inMemory('/') })).then(tell, tell);
        });
      };`;
    box.write({ 'work/.pi/extensions/late.ts': late });
    await host.reload();
    const conversation = new FakeConversation();
    host.attach(conversation);
    await host.runner.emit({ type: 'agent_start' }, conversation);
    box.write({ 'work/.pi/extensions/late.ts': `${late}\n// New.` });
    await host.reload();
    held.resolve();
    const why = 'The hook that made this session was reloaded or turned off.';
    assert.equal(String(await outcome.promise), `Error: createAgentSession: ${why}`);
    assert.deepEqual(ends, [why]);
  });

  it('are not made by a dry fire, which is told of it', async () => {
    const conversation = new FakeConversation();
    host.attach(conversation);
    const refused: string[] = [];
    const making = withoutActing(
      action => refused.push(action),
      () => make(conversation),
    );
    await assert.rejects(making, /a test with an event starts no agent/);
    assert.deepEqual([refused, opened], [['createAgentSession'], []]);
  });

  it('cannot be made where no conversation is open', async () => {
    const tool = host.tools(new FakeConversation()).find(({ name }) => name === 'make');
    await assert.rejects(
      async () => tool?.execute('call-1', {}, undefined, undefined),
      /it needs an open conversation, and none is open/,
    );
    assert.equal(opened.length, 0);
  });
});
