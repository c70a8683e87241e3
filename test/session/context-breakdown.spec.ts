import assert from 'node:assert/strict';
import { contextBreakdown } from '../../src/session/context-breakdown';
import type { ContextBreakdown } from '../../src/protocol/panels/context';
import { scriptedModel } from '../support/scripted-stream';
import { Rig, until } from '../support/conversation-rig';

const RULES = 'Never use tabs. '.repeat(100);
const NOTES = 'A note of mine.\n'.repeat(200);
const ADDED = 'Mind what the hook says. '.repeat(80);

/** Adds a section to the prompt, a message, and counts how often it is asked for the context. */
const ADDS = `export default pi => {
  pi.on('before_agent_start', event => {
    event.systemPromptOptions.sections.house = ${JSON.stringify(ADDED)};
    return { message: { customType: 'mine', content: ${JSON.stringify(ADDED)}, display: false } };
  });
  let asked = 0;
  pi.on('context', () => { asked += 1; });
  pi.registerCommand('asked', { handler: (_args, ctx) => ctx.ui.notify('asked ' + asked + ' times') });
};\n`;

function sumOf({ parts }: ContextBreakdown): number {
  return Object.values(parts).reduce((sum, tokens) => sum + tokens, 0);
}

describe('the breakdown of the context', () => {
  let rig: Rig;
  afterEach(() => rig.close());

  const breakdown = (): ContextBreakdown => contextBreakdown(rig.conversation);
  const near = (tokens: number, chars: number): void => {
    assert.ok(Math.abs(tokens - chars / 4) < 30, `${tokens} tokens for ${chars} characters`);
  };

  it('estimates prompt, tools and context files before the first message', async () => {
    rig = await Rig.open([], { realPrompt: true, contextFiles: [{ path: '/work/AGENTS.md', text: RULES }] });
    const { parts, counted, window } = breakdown();
    near(parts.files, RULES.length);
    assert.ok(parts.system > 100 && parts.tools > 500, JSON.stringify(parts));
    assert.deepEqual([parts.hooks, parts.messages, counted], [0, 0, 'nobody']);
    assert.equal(window, scriptedModel.contextWindow);
  });

  it('adds up to what the provider counted, with its parts in proportion', async () => {
    rig = await Rig.open([{ text: 'ok', totalTokens: 9_000 }], { realPrompt: true, files: { 'notes.txt': NOTES } });
    await rig.chat.submit('read @notes.txt');
    const { parts, counted } = breakdown();
    assert.equal(counted, 'provider');
    assert.equal(sumOf(breakdown()), 9_000);
    assert.equal(sumOf(breakdown()), rig.conversation.status.contextUsage?.tokens);
    assert.ok(parts.files > parts.messages, 'the mentioned file is no message');
    const { tools, system } = parts;
    await rig.close();
    rig = await Rig.open([{ text: 'ok', totalTokens: 18_000 }], { realPrompt: true, files: { 'notes.txt': NOTES } });
    await rig.chat.submit('read @notes.txt');
    assert.ok(Math.abs(breakdown().parts.tools - 2 * tools) < 20, 'tools');
    assert.ok(Math.abs(breakdown().parts.system - 2 * system) < 20, 'system prompt');
  });

  it('counts what hooks added as theirs, and asks no hook', async () => {
    rig = await Rig.open([{ text: 'ok', totalTokens: 5_000 }], { realPrompt: true, extensions: { 'adds.ts': ADDS } });
    await rig.chat.submit('go');
    const { parts } = breakdown();
    assert.equal(sumOf(breakdown()), 5_000);
    assert.ok(parts.hooks > parts.messages && parts.hooks > 500, JSON.stringify(parts));
    breakdown();
    await rig.chat.submit('/asked');
    assert.match(rig.editorCalls.join('\n'), /asked 1 times/);
  });

  it('takes a whole prompt of a hook as an addition of the hook', async () => {
    const forces = `export default pi => { pi.on('before_agent_start', () => ({ systemPrompt: 'x'.repeat(40000) })); };\n`;
    rig = await Rig.open(['hang'], { extensions: { 'forces.ts': forces } });
    const run = rig.chat.submit('go');
    await until(() => (rig.model.requests.length > 0 ? true : undefined), 'the request');
    assert.ok(breakdown().parts.hooks >= 10_000, JSON.stringify(breakdown()));
    await rig.conversation.run.stop();
    await run;
  });

  it('estimates what came after the last answer', async () => {
    rig = await Rig.open([{ text: 'ok', totalTokens: 3_000 }]);
    await rig.chat.submit('go');
    await rig.chat.submit('!echo later');
    const { counted } = breakdown();
    assert.equal(counted, 'partly');
    assert.ok(sumOf(breakdown()) > 3_000);
    assert.equal(sumOf(breakdown()), rig.conversation.status.contextUsage?.tokens);
  });

  it('says that VS Code does not count', async () => {
    rig = await Rig.open([{ text: 'ok' }]);
    await rig.chat.submit('go');
    const { agent } = rig.conversation.run;
    agent.setMessages(agent.messages.map(m => (m.role === 'assistant' ? { ...m, api: 'vscode-lm' } : m)));
    assert.equal(breakdown().counted, 'editor');
  });

  it('has no window without a model', async () => {
    rig = await Rig.open([]);
    rig.conversation.state.model = undefined;
    assert.equal(breakdown().window, undefined);
  });

  it('is sent to the page when it asks, and only then', async () => {
    rig = await Rig.open([{ text: 'ok', totalTokens: 3_000 }]);
    const page = rig.page();
    await rig.chat.submit('go');
    assert.deepEqual(
      page.got.filter(({ type }) => type === 'context'),
      [],
    );
    page.send({ type: 'loadContext' });
    const { key: conversation } = rig.conversation.state;
    assert.deepEqual(page.got.at(-1), { type: 'context', conversation, context: breakdown() });
    page.dispose();
  });

  it('compacts when the page asks, and says why when there is nothing to compact', async () => {
    rig = await Rig.open([]);
    const page = rig.page();
    page.send({ type: 'compactNow' });
    const notice = await until(() => rig.items('notice')[0], 'a notice');
    assert.match(notice.text, /could not be summarized: Nothing to compact/);
    page.dispose();
  });
});
