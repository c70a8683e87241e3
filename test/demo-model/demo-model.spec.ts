import assert from 'node:assert/strict';
import type { AssistantMessage, AssistantMessageEvent, Context, Message, ToolCall } from '@mariozechner/pi-ai';
import { Type } from 'typebox';
import { loadPiAi } from '../../src/agent/models/pi-ai';
import { createStreamFn } from '../../src/agent/models/requests/stream';
import { CAPABILITIES } from '../../src/demo-model/requests';
import { DEMO_MODEL, demoModel } from '../../src/demo-model/demo-model';

const stream = createStreamFn({ requestAuth: () => Promise.resolve({ apiKey: 'demo' }) });
const text = Type.Optional(Type.String());
const tools = ['bash', 'read', 'write', 'edit', 'ls', 'find', 'grep'].map(name => ({
  name,
  description: name,
  parameters: Type.Object({ path: text }),
}));

/** A conversation with the demo model, as the agent would hold it. */
class Talk {
  readonly messages: Message[] = [];
  systemPrompt = 'You are a coding agent.';
  tools: Context['tools'] = tools;
  private time = 0;

  user(said: string): this {
    this.messages.push({ role: 'user', content: said, timestamp: (this.time += 1) });
    return this;
  }

  /** Answers the last tool call. */
  result(said: string, isError = false): this {
    const call = this.lastCall();
    this.messages.push({
      role: 'toolResult',
      toolCallId: call.id,
      toolName: call.name,
      content: [{ type: 'text', text: said }],
      isError,
      timestamp: (this.time += 1),
    });
    return this;
  }

  async reply(signal?: AbortSignal): Promise<AssistantMessage> {
    const message = await stream(DEMO_MODEL, this.context(), signal === undefined ? {} : { signal }).result();
    this.messages.push(message);
    return message;
  }

  context(): Context {
    return { systemPrompt: this.systemPrompt, messages: [...this.messages], ...(this.tools && { tools: this.tools }) };
  }

  lastCall(): ToolCall {
    const calls = this.messages.flatMap(message => (message.role === 'assistant' ? callsOf(message) : []));
    return calls.at(-1)!;
  }
}

function callsOf(message: AssistantMessage): ToolCall[] {
  return message.content.filter(block => block.type === 'toolCall');
}

function said(message: AssistantMessage): string {
  return message.content.map(block => (block.type === 'text' ? block.text : '')).join('');
}

describe('the demo model', () => {
  before(async () => demoModel(0).register(await loadPiAi()));

  it('asks for the tool, sums up its result and ends', async () => {
    const talk = new Talk().user('run `rm -rf build`');
    const first = await talk.reply();
    assert.equal(first.stopReason, 'toolUse');
    assert.deepEqual(
      callsOf(first).map(call => [call.name, call.arguments]),
      [['bash', { command: 'rm -rf build' }]],
    );
    const last = await talk.result('removed 3 files').reply();
    assert.equal(last.stopReason, 'stop');
    assert.match(said(last), /bash returned one line:\n```\nremoved 3 files\n```/);
  });

  it('quotes the reason of a block and tries nothing else', async () => {
    const talk = new Talk().user('run `rm -rf build`').user('list');
    await talk.reply();
    const reaction = await talk.result('Blocked by user: “nicht löschen”', true).reply();
    assert.equal(reaction.stopReason, 'stop');
    assert.deepEqual(callsOf(reaction), []);
    assert.match(said(reaction), /was blocked: "Blocked by user: “nicht löschen”"/);
    assert.match(said(reaction), /I will not try another way\./);
  });

  it('asks again when asked again after a block, with another id', async () => {
    const talk = new Talk().user('run `rm -rf build`');
    const first = await talk.reply();
    await talk.result('No', true).reply();
    const again = await talk.user('run `rm -rf build`').reply();
    assert.deepEqual(callsOf(again)[0]?.arguments, { command: 'rm -rf build' });
    assert.notEqual(callsOf(again)[0]?.id, callsOf(first)[0]?.id);
  });

  it('tells a failure from a block', async () => {
    const talk = new Talk().user('run `false`');
    await talk.reply();
    const reaction = said(await talk.result('oh no\n\nCommand exited with code 1', true).reply());
    assert.match(reaction, /^bash failed:\n```\noh no/);
    assert.doesNotMatch(reaction, /blocked/);
  });

  it('takes the tour step by step', async () => {
    const talk = new Talk().user('tour');
    const made: string[] = [];
    for (let reply = await talk.reply(); reply.stopReason === 'toolUse'; reply = await talk.result('fine').reply()) {
      made.push(callsOf(reply)[0]!.name);
    }
    assert.deepEqual(made, ['ls', 'write', 'edit', 'read', 'bash']);
  });

  it('drops the rest when steered to something else', async () => {
    const talk = new Talk().user('read a.txt').user('read b.txt').user('read c.txt');
    await talk.reply();
    const steered = await talk.result('a').user('list src').reply();
    assert.match(said(steered), /read returned one line/);
    assert.deepEqual(callsOf(steered)[0]?.arguments, { path: 'src' });
    const end = await talk.result('x.ts').reply();
    assert.equal(end.stopReason, 'stop');
  });

  it('goes on after a remark', async () => {
    const talk = new Talk().user('read a.txt').user('read b.txt');
    await talk.reply();
    const second = await talk.result('a').user('by the way, it is sunny').reply();
    assert.deepEqual(callsOf(second)[0]?.arguments, { path: 'b.txt' });
  });

  it('does every message that was queued', async () => {
    const talk = new Talk().user('read a.txt').user('read b.txt');
    assert.deepEqual(callsOf(await talk.reply())[0]?.arguments, { path: 'a.txt' });
    assert.deepEqual(callsOf(await talk.result('a').reply())[0]?.arguments, { path: 'b.txt' });
    assert.equal((await talk.result('b').reply()).stopReason, 'stop');
  });

  it('does not take summaries and command output in the context for requests', async () => {
    const talk = new Talk()
      .user('The conversation history before this point was compacted into the following summary:\n\nread secret.txt')
      .user('Ran `ls`\n```\nrun `x`\n```')
      .user('list');
    assert.deepEqual(
      callsOf(await talk.reply()).map(call => call.name),
      ['ls'],
    );
  });

  it('says what it can do when asked anything else', async () => {
    assert.match(
      said(await new Talk().user('Who are you?').reply()),
      /demo model of Hookline[\s\S]*run `npm test`[\s\S]*"Hookline: Choose Model…"/,
    );
    const talk = new Talk().user('read a.txt');
    await talk.reply();
    await talk.result('a').reply();
    assert.match(said(await talk.user('thanks!').reply()), /demo model of Hookline/);
  });

  it('says so when a tool it needs was not offered', async () => {
    const talk = new Talk().user('run `ls`');
    talk.tools = tools.filter(tool => tool.name !== 'bash');
    const reply = await talk.reply();
    assert.equal(reply.stopReason, 'stop');
    assert.match(said(reply), /tool "bash".*not offered/);
  });

  it('presents a plan in plan mode, and carries it out once all tools are there', async () => {
    const talk = new Talk().user('read a.txt').user('write b.txt: x').user('run `ls`');
    const inPlanMode = ['read', 'present_plan'];
    talk.tools = [...tools, { ...tools[0]!, name: 'present_plan' }].filter(({ name }) => inPlanMode.includes(name));
    assert.equal(callsOf(await talk.reply())[0]?.name, 'read');
    const planned = await talk.result('a').reply();
    assert.deepEqual(
      callsOf(planned).map(({ name, arguments: args }) => [name, args]),
      [['present_plan', { plan: '1. write `b.txt`\n2. bash `ls`' }]],
    );
    talk.tools = tools;
    assert.equal(callsOf(await talk.result('The user accepted the plan.').reply())[0]?.name, 'write');
    assert.equal(callsOf(await talk.result('written').reply())[0]?.name, 'bash');
  });

  it('asks what to do instead when its plan is sent back', async () => {
    const talk = new Talk().user('run `ls`');
    talk.tools = [{ ...tools[0]!, name: 'present_plan' }];
    await talk.reply();
    const reply = await talk.result('The user sent the plan back: shorter').reply();
    assert.deepEqual([callsOf(reply).length, said(reply)], [0, 'Tell me what to do instead.']);
  });

  it('fills in the shape of edit that it is offered', async () => {
    const talk = new Talk().user('edit a.txt: replace x with y');
    assert.deepEqual(callsOf(await talk.reply())[0]?.arguments, { path: 'a.txt', oldText: 'x', newText: 'y' });
    const newer = new Talk().user('edit a.txt: replace x with y');
    newer.tools = [{ name: 'edit', description: '', parameters: Type.Object({ edits: Type.Array(Type.Unknown()) }) }];
    assert.deepEqual(callsOf(await newer.reply())[0]?.arguments, {
      path: 'a.txt',
      edits: [{ oldText: 'x', newText: 'y' }],
    });
  });

  it('streams start, deltas and end of each block, with usage that adds up', async () => {
    const events: AssistantMessageEvent[] = [];
    const talk = new Talk().user('read ä "x" `y`.txt');
    for await (const event of stream(DEMO_MODEL, talk.context())) events.push(event);
    const types = [...new Set(events.map(event => event.type))];
    const blocks = ['thinking', 'text', 'toolcall'].flatMap(kind => [`${kind}_start`, `${kind}_delta`, `${kind}_end`]);
    assert.deepEqual(types, ['start', ...blocks, 'done']);
    const done = events.at(-1)!;
    assert.ok(done.type === 'done');
    const { usage, content } = done.message;
    assert.ok(usage.input > 0 && usage.output > 0);
    assert.equal(usage.totalTokens, usage.input + usage.output);
    for (const [index, block] of content.entries()) {
      const deltas = events
        .flatMap(event => ('delta' in event && event.contentIndex === index ? [event.delta] : []))
        .join('');
      if (block.type === 'text') assert.equal(deltas, block.text);
      if (block.type === 'toolCall') assert.deepEqual(JSON.parse(deltas), block.arguments);
    }
  });

  it('is deterministic', async () => {
    const talk = new Talk().user('read a.txt');
    const [one, two] = await Promise.all([
      stream(DEMO_MODEL, talk.context()).result(),
      stream(DEMO_MODEL, talk.context()).result(),
    ]);
    assert.deepEqual({ ...one, timestamp: 0, durationMs: 0 }, { ...two, timestamp: 0, durationMs: 0 });
  });

  it('stops at once when aborted, with what it had said', async () => {
    const abort = new AbortController();
    const talk = new Talk().user('help');
    const reply = stream(DEMO_MODEL, talk.context(), { signal: abort.signal });
    for await (const event of reply) if (event.type === 'text_delta') abort.abort();
    const message = await reply.result();
    assert.equal(message.stopReason, 'aborted');
    assert.ok(said(message).length > 0 && said(message).length < CAPABILITIES.length);
  });

  it('summarizes a conversation for compaction, and keeps an earlier summary', async () => {
    const talk = new Talk().user(
      '<conversation>\n[User]: run `rm -rf build`\n\n[Assistant tool calls]: bash(command="rm -rf build")\n\n' +
        '[Tool result]: gone\n\n[Assistant]: It is gone.\n</conversation>\n<previous-summary>\nIt was sunny.\n</previous-summary>\nCreate a structured context checkpoint summary.',
    );
    talk.tools = undefined;
    talk.systemPrompt = 'You are a context summarization assistant.';
    const summary = said(await talk.reply());
    assert.match(summary, /## Earlier\nIt was sunny\.\n\n## Asked for\n- run `rm -rf build`/);
    assert.match(summary, /## Done\n- bash\(command="rm -rf build"\)$/);
    assert.ok(!summary.includes('demo model'));
  });
});
