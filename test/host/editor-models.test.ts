import assert from 'node:assert/strict';
import type { ChatItem, ToolItem } from '../../src/protocol/items/chat-item';
import type { HooklineWindow } from '../../src/vscode/window/window';
import { hookline, until } from './support/extension';
import { installTestModels, type TestModels } from './support/test-models';

const PARROT = 'test-vendor/parrot';

describe('models of the editor', () => {
  let window: HooklineWindow;
  let vendor: TestModels;

  before(async function () {
    this.timeout(120_000);
    window = await (await hookline()).window.get();
    vendor = await installTestModels();
  });

  beforeEach(async () => {
    vendor.offer();
    await until('the models are listed', () => window.models.find('vscode-lm', PARROT));
    await window.conversations.active.conversation.sessions.newSession();
    await useParrot();
  });

  after(async () => {
    vendor.withdraw();
    const demo = window.models.find('demo', 'offline');
    assert.ok(demo);
    await window.conversations.active.conversation.sessions.newSession();
    await window.conversations.active.conversation.models.use(demo, 'set');
  });

  const chat = (): HooklineWindow['conversations']['active'] => window.conversations.active;
  const items = (): readonly ChatItem[] => chat().model.items;
  const lastTool = (): ToolItem | undefined => items().findLast(item => item.kind === 'tool');
  const useParrot = async (): Promise<void> => {
    const parrot = window.models.find('vscode-lm', PARROT);
    assert.ok(parrot);
    assert.equal(await chat().conversation.models.set(parrot), true, 'no key is asked for');
  };
  const lastAnswer = () => {
    const last = chat().conversation.run.agent.messages.findLast(message => message.role === 'assistant');
    assert.ok(last?.role === 'assistant');
    return last;
  };

  it('are listed as vscode-lm/<vendor>/<family> and need no key', () => {
    const listed = window.models.getAvailable().filter(({ provider }) => provider === 'vscode-lm');
    assert.deepEqual(
      listed.map(({ id, name, contextWindow, input }) => [id, name, contextWindow, input]),
      [
        ['test-vendor/owl', 'Test Owl', 64_000, ['text']],
        [PARROT, 'Test Parrot', 64_000, ['text', 'image']],
      ],
    );
  });

  it('stream text, and call tools that hooks see', async () => {
    const before = vendor.state.requests.length;
    await chat().submit('tool ls {"path":"."}');
    const requests = vendor.state.requests.slice(before);
    assert.equal(requests.length, 2);
    assert.equal(lastTool()?.name, 'ls');
    assert.equal(lastTool()?.state.type, 'done');
    const [system, prompt] = requests[0]!.messages;
    assert.match(system!.content[0]!.text!, /tool/i, 'the system text is the first message');
    assert.equal(prompt!.content[0]!.text, 'tool ls {"path":"."}');
    assert.ok(requests[0]!.tools.some(tool => tool.name === 'ls' && JSON.stringify(tool.inputSchema).includes('path')));
    const [call, result] = requests[1]!.messages.slice(-2);
    assert.deepEqual(call!.content[0], { text: 'Let me look.' });
    assert.deepEqual(call!.content[1]!.input, { path: '.' });
    assert.equal(result!.content[0]!.result, call!.content[1]!.call);
    const answer = lastAnswer();
    assert.match(JSON.stringify(answer.content), /The tool said: /);
    assert.equal(answer.provider, 'vscode-lm');
    assert.equal(answer.model, PARROT);
  });

  it('have estimated numbers, marked as such, and no cost', async () => {
    await chat().submit('hello parrot');
    const { usage } = lastAnswer();
    assert.ok(usage.input > 100 && usage.output > 0);
    assert.equal(usage.cost.total, 0);
    assert.equal(chat().status.current.context?.estimated, true);
    assert.equal(chat().status.current.cost, undefined);
  });

  it('stop when the person stops, and keep what had come', async () => {
    const { cancelled } = vendor.state;
    const run = chat().submit('forever');
    await until('it streams', () =>
      items().some(item => item.kind === 'assistant' && JSON.stringify(item).includes('word2')),
    );
    await chat().conversation.run.stop();
    await run;
    await until('the vendor was told', () => vendor.state.cancelled > cancelled);
    const answer = lastAnswer();
    assert.equal(answer.stopReason, 'aborted');
    assert.match(JSON.stringify(answer.content), /word1 word2/);
    await chat().submit('again');
    assert.match(JSON.stringify(lastAnswer().content), /You said: again/);
  });

  for (const [code, says] of [
    ['NoPermissions', /did not let Hookline use Test Parrot.*scripted NoPermissions/],
    ['Blocked', /does not send requests to Test Parrot/],
    ['NotFound', /no longer offers Test Parrot/],
    ['Error', /the parrot fell off/],
  ] as const) {
    it(`tell a failure (${code}) in the chat and go on`, async () => {
      await chat().submit(`fail ${code}`);
      assert.equal(lastAnswer().stopReason, 'error');
      assert.match(lastAnswer().errorMessage ?? '', says);
      await chat().submit('still there?');
      assert.match(JSON.stringify(lastAnswer().content), /still there/);
    });
  }

  it('vanish and return while the window is open', async () => {
    await chat().submit('before');
    vendor.withdraw();
    await until('they are gone', () => window.models.find('vscode-lm', PARROT) === undefined);
    await chat().submit('into the void');
    assert.ok(
      items().some(item => item.kind === 'notice' && /Test Parrot .*is not offered any more/.test(item.text)),
      'it is told',
    );
    assert.match(chat().composer.text, /into the void/, 'the text is not lost');
    vendor.offer();
    await until('they are back', () => window.models.find('vscode-lm', PARROT));
    await chat().submit('after');
    assert.match(JSON.stringify(lastAnswer().content), /You said: after/);
  });

  it('are taken up again by a session that was opened before they were there', async () => {
    await chat().submit('remember me');
    const file = chat().conversation.store.getSessionFile();
    assert.ok(file !== undefined);
    await chat().conversation.sessions.newSession();
    const demo = window.models.find('demo', 'offline');
    assert.ok(demo);
    await chat().conversation.models.use(demo, 'set');
    vendor.withdraw();
    await until('they are gone', () => window.models.find('vscode-lm', PARROT) === undefined);
    await chat().conversation.sessions.switchTo(file);
    assert.equal(chat().conversation.state.model?.provider, 'demo');
    vendor.offer();
    await until('the model of the session is in use', () => chat().conversation.state.model?.id === PARROT);
  });
});
