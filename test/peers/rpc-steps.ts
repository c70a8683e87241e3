import { readFileSync } from 'node:fs';
import { CliPlace, type Program } from '../modes/support/cli';
import { RpcHost, type Message } from '../modes/support/rpc';
import { ScriptedLlm } from '../support/scripted-llm';

/** An extension that uses what RPC mode can do of `ctx.ui`, and each kind of record that comes of a hook. */
const EXTENSION = `export default pi => {
  pi.registerCommand('ask', { description: 'asks', handler: async (args, ctx) => {
    const chosen = await ctx.ui.select('Which?', ['a', 'b'], { timeout: 20000 });
    const sure = await ctx.ui.confirm('Sure?', 'Really?');
    const name = await ctx.ui.input('Name?', 'somebody');
    const text = await ctx.ui.editor('Text?', 'prefilled');
    pi.appendEntry('answers', { chosen, sure, name, text });
  } });
  pi.registerCommand('show', { description: 'shows', handler: async (args, ctx) => {
    ctx.ui.notify('a word', 'warning');
    ctx.ui.setStatus('k', 'busy');
    ctx.ui.setStatus('k', undefined);
    ctx.ui.setWidget('w', ['one', 'two'], { placement: 'belowEditor' });
    ctx.ui.setTitle('the title');
    ctx.ui.setEditorText('draft');
    ctx.ui.pasteToEditor('more');
    const custom = await ctx.ui.custom(() => { throw new Error('never called'); });
    pi.appendEntry('seen', { custom: String(custom), text: ctx.ui.getEditorText(), expanded: ctx.ui.getToolsExpanded() });
  } });
  pi.registerCommand('fail', { description: 'fails', handler: async () => { throw new Error('on purpose'); } });
  pi.registerCommand('say', { description: 'says', handler: async () => {
    pi.sendMessage({ customType: 'said', content: 'a message', display: true });
  } });
  pi.on('input', event => event.text === 'mine' ? { action: 'handled' } : undefined);
};
`;

/** One step of a client, in both programs. */
type Step = (talk: Talk) => Promise<void>;

/** A client in front of one program, and what it got. */
export class Talk {
  private constructor(
    readonly place: CliPlace,
    readonly llm: ScriptedLlm,
    readonly host: RpcHost,
  ) {}

  static async open(program: Program): Promise<Talk> {
    const place = await CliPlace.make();
    const llm = await ScriptedLlm.start();
    const cost = { input: 1, output: 2, cacheRead: 0, cacheWrite: 0 };
    const model = { input: ['text'], cost };
    place.useLlm(llm, { compaction: { keepRecentTokens: 1 }, defaultThinkingLevel: 'low' }, [
      { id: 'one', ...model },
      { id: 'two', ...model },
      { id: 'dull', ...model, reasoning: false },
    ]);
    place.file('agent/extensions/shows.ts', EXTENSION);
    place.file('agent/prompts/review.md', '---\ndescription: Review it\n---\nReview $1.');
    return new Talk(place, llm, RpcHost.start(place, [], program));
  }

  /** Sends a command and waits for its answer, whichever it is. */
  async ask(type: string, members: object = {}): Promise<Message> {
    return this.host.ask(type, members);
  }

  /** Sends a prompt and waits until all is over. */
  async prompt(message: string): Promise<void> {
    await this.host.prompt(message);
  }

  /** Takes all steps and gives what came in each; a record of the next step is not waited for. */
  async takeAll(): Promise<ReadonlyMap<string, readonly Message[]>> {
    const seen = new Map<string, readonly Message[]>();
    for (const [name, step] of Object.entries(STEPS)) {
      const from = this.host.messages.length;
      await step(this);
      // An answer is the last record of what came before it.
      await this.ask('get_fork_messages');
      seen.set(name, this.host.messages.slice(from, -1));
    }
    return seen;
  }

  async close(): Promise<void> {
    await this.host.close();
    await this.place.remove();
    await this.llm.stop();
  }
}

/** What a client does, step by step. */
export const STEPS: Readonly<Record<string, Step>> = {
  'state and lists': async talk => {
    for (const type of ['get_state', 'get_commands', 'get_available_models', 'get_available_thinking_levels']) {
      await talk.ask(type);
    }
  },
  'an empty session': async talk => {
    for (const type of ['get_messages', 'get_session_stats', 'get_last_assistant_text', 'get_fork_messages']) {
      await talk.ask(type);
    }
    for (const type of ['get_entries', 'get_tree', 'clone', 'export_html', 'clear_queue', 'abort', 'compact']) {
      await talk.ask(type);
    }
  },
  'a plain prompt': async talk => {
    talk.llm.reply({ text: ['first', ' answer'] });
    await talk.prompt('the first');
    for (const type of ['get_messages', 'get_session_stats', 'get_last_assistant_text']) await talk.ask(type);
  },
  'a tool': async talk => {
    talk.llm.reply({ text: 'let me see', toolCalls: [{ name: 'bash', arguments: { command: 'echo hi' } }] });
    talk.llm.reply({ text: 'done' });
    await talk.prompt('run it');
  },
  'a template': async talk => {
    talk.llm.reply({ text: 'reviewed' });
    await talk.prompt('/review this');
  },
  questions: async talk => {
    const from = talk.host.messages.length;
    const asked = talk.ask('prompt', { message: '/ask' });
    talk.host.answer(await talk.host.ui('select', from), { value: 'b' });
    talk.host.answer(await talk.host.ui('confirm', from), { confirmed: true });
    talk.host.answer(await talk.host.ui('input', from), { value: 'me' });
    talk.host.answer(await talk.host.ui('editor', from), { cancelled: true });
    await asked;
  },
  'what is shown': async talk => {
    await talk.ask('prompt', { message: '/show' });
  },
  'a command that fails': async talk => {
    await talk.ask('prompt', { message: '/fail' });
  },
  'a message of a hook': async talk => {
    await talk.ask('prompt', { message: '/say' });
  },
  'what a handler takes': async talk => {
    await talk.ask('prompt', { message: 'mine' });
    await talk.ask('steer', { message: 'mine' });
    await talk.ask('follow_up', { message: 'mine' });
    await talk.ask('steer', { message: '/ask' });
  },
  'the queue': async talk => {
    const from = talk.host.messages.length;
    const hold = talk.llm.hold({ text: 'while you wait' });
    await talk.ask('prompt', { message: 'go' });
    await hold.reached;
    const isAnswer = ({ type, message }: Message): boolean =>
      type === 'message_start' && (message as { readonly role: string }).role === 'assistant';
    await talk.host.next(isAnswer, 'the beginning of the answer', from);
    await talk.ask('prompt', { message: 'refused' });
    await talk.ask('prompt', { message: 'this way', streamingBehavior: 'steer' });
    await talk.ask('follow_up', { message: 'and then' });
    await talk.ask('clear_queue');
    await talk.ask('steer', { message: 'rather this' });
    await talk.ask('get_state');
    talk.llm.reply({ text: 'steered' });
    hold.release();
    await talk.host.event('agent_settled', from);
  },
  'an abort': async talk => {
    const from = talk.host.messages.length;
    const hold = talk.llm.hold({ text: ['half', ' of it'] }, 0);
    await talk.ask('prompt', { message: 'go' });
    await hold.reached;
    await talk.ask('abort');
    await talk.host.event('agent_settled', from);
  },
  'another try': async talk => {
    talk.llm.fail(500);
    talk.llm.reply({ text: 'at last' });
    await talk.prompt('again');
  },
  'a failure': async talk => {
    talk.llm.fail(400, { message: 'no such thing' });
    await talk.prompt('fail');
    await talk.ask('get_last_assistant_text');
  },
  'models and levels': async talk => {
    await talk.ask('set_model', { provider: 'scripted', modelId: 'two' });
    await talk.ask('set_model', { provider: 'scripted', modelId: 'none' });
    await talk.ask('set_thinking_level', { level: 'high' });
    await talk.ask('cycle_thinking_level');
    await talk.ask('set_model', { provider: 'scripted', modelId: 'dull' });
    await talk.ask('cycle_thinking_level');
    await talk.ask('get_available_thinking_levels');
    await talk.ask('cycle_model');
    await talk.ask('get_state');
  },
  modes: async talk => {
    await talk.ask('set_steering_mode', { mode: 'all' });
    await talk.ask('set_follow_up_mode', { mode: 'all' });
    await talk.ask('set_auto_compaction', { enabled: false });
    await talk.ask('set_auto_retry', { enabled: false });
    await talk.ask('abort_retry');
    await talk.ask('abort_bash');
    await talk.ask('get_state');
  },
  bash: async talk => {
    await talk.ask('bash', { command: 'echo one; exit 3' });
    await talk.ask('bash', { command: 'echo secret', excludeFromContext: true });
  },
  names: async talk => {
    await talk.ask('set_session_name', { name: '  ' });
    await talk.ask('set_session_name', { name: ' trials ' });
  },
  entries: async talk => {
    const { data } = (await talk.ask('get_entries')) as unknown as { data: { entries: readonly { id: string }[] } };
    await talk.ask('get_entries', { since: data.entries.at(-3)?.id });
    await talk.ask('get_entries', { since: 'nope' });
    await talk.ask('get_tree');
  },
  'a compaction': async talk => {
    talk.llm.reply({ text: 'SUMMARY' });
    await talk.ask('compact', { customInstructions: 'mind the details' });
    await talk.ask('get_messages');
  },
  'wrong commands': async talk => {
    talk.host.raw('this is no JSON\n');
    await talk.ask('fly');
  },
  sessions: async talk => {
    const { data } = (await talk.ask('get_state')) as unknown as { data: { sessionFile: string } };
    talk.llm.reply({ text: 'one more' });
    await talk.prompt('before a fork');
    const points = (await talk.ask('get_fork_messages')) as unknown as {
      data: { messages: readonly { entryId: string }[] };
    };
    await talk.ask('fork', { entryId: points.data.messages.at(-1)?.entryId });
    await talk.ask('fork', { entryId: 'nope' });
    await talk.ask('clone');
    await talk.ask('new_session');
    await talk.ask('get_state');
    await talk.ask('switch_session', { sessionPath: data.sessionFile });
    await talk.ask('get_state');
    await talk.ask('export_html', { outputPath: 'out.html' });
    readFileSync(`${talk.place.cwd}/out.html`, 'utf8');
  },
};
