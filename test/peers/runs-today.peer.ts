import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { CliPlace, type Program } from '../modes/support/cli';
import { RpcHost, type Message } from '../modes/support/rpc';
import { ScriptedLlm } from '../support/scripted-llm';
import { describePeer, piToday, TODAY } from './peers';

/** Tools and commands for what RPC mode has no command of its own. */
const EXTENSION = `import { Type } from 'typebox';
export default pi => {
  const reply = value => ({ content: [{ type: 'text', text: typeof value === 'string' ? value : JSON.stringify(value) }], details: {} });
  const tool = (name, parameters, execute, more = {}) =>
    pi.registerTool({ name, label: name, description: name, parameters: Type.Object(parameters), execute, ...more });
  const optional = Type.Optional;
  tool('typed', { n: optional(Type.Number()), i: optional(Type.Integer()), b: optional(Type.Boolean()), s: optional(Type.String()),
    list: optional(Type.Array(Type.String())), one: optional(Type.Union([Type.Literal('a'), Type.Literal('b')])), o: optional(Type.Object({ x: Type.Number() })) },
    async (id, params) => reply(params));
  tool('strict', { n: Type.Number({ minimum: 3 }), s: Type.String({ minLength: 2 }) }, async (id, params) => reply(params));
  tool('ends', {}, async () => ({ ...reply('the end'), terminate: true }));
  tool('old_form', { to: Type.String() }, async (id, params) => reply(params), {
    prepareArguments: args => args.target === undefined ? args : { to: args.target } });
  const open = new Map();
  const opened = name => { if (!open.has(name)) open.set(name, Promise.withResolvers()); return open.get(name); };
  tool('waits', { for: Type.String() }, async (id, params) => { await opened(params.for).promise; return reply('waited for ' + params.for); });
  tool('opens', { what: Type.String() }, async (id, params) => { opened(params.what).resolve(); return reply('opened ' + params.what); });
  tool('alone', { n: Type.Number() }, async (id, params) => { await new Promise(done => setTimeout(done, 30)); return reply('alone ' + params.n); }, { executionMode: 'sequential' });
  tool('hears', {}, async (id, params, signal) => {
    await new Promise(done => { if (signal.aborted) done(); else signal.addEventListener('abort', done); });
    return reply('heard the abort');
  });
  const command = (name, run) => pi.registerCommand(name, { description: name, handler: async (args, ctx) => { await run(args, ctx); } });
  const message = text => ({ customType: 'note', content: text, display: true });
  command('plain', text => pi.sendMessage(message(text)));
  command('trigger', text => pi.sendMessage(message(text), { triggerTurn: true }));
  command('quiet', text => pi.sendMessage(message(text), { triggerTurn: false }));
  command('next', text => pi.sendMessage(message(text), { deliverAs: 'nextTurn' }));
  command('steers', text => pi.sendMessage(message(text), { deliverAs: 'steer' }));
  command('follows', text => pi.sendMessage(message(text), { deliverAs: 'followUp' }));
  command('user', text => pi.sendUserMessage(text));
  command('expands', text => pi.sendUserMessage(text, { expandPromptTemplates: true }));
  command('literally', text => pi.sendUserMessage(text, { deliverAs: 'followUp' }));
  command('tools', (names, ctx) => pi.setActiveTools(names.split(',')));
  let section;
  command('section', text => { section = text; });
  pi.on('before_agent_start', event => {
    pi.appendEntry('begins', { type: event.messageType, prompt: event.prompt, message: event.message?.content });
    if (section === 'forced') return { systemPrompt: 'nothing but this' };
    if (section !== undefined && section !== 'none') event.systemPromptOptions.sections.mood = section;
  });
  pi.on('user_bash', event => {
    pi.appendEntry('user_bash', { command: event.command, excluded: event.excludeFromContext });
    if (event.command === 'throw') throw new Error('no');
    if (event.command === 'both') return { operations: {}, result: {} };
    if (event.command === 'odd') return { result: 5 };
    if (event.command === 'answered') return { result: { output: 'made up', exitCode: 0, cancelled: false, truncated: false } };
  });
  let proposal;
  command('propose', text => { proposal = JSON.parse(text); });
  pi.on('turn_end', event => {
    const given = proposal;
    proposal = undefined;
    return given;
  });
};
`;

const PIXEL = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR42mNkYAAAAAYAAjCB0C8AAAAASUVORK5CYII=';

interface Case {
  readonly settings?: object;
  readonly act: (talk: Talk) => Promise<void>;
}

/** A client in front of one program, with a scripted provider behind it. */
class Talk {
  private constructor(
    readonly place: CliPlace,
    readonly llm: ScriptedLlm,
    readonly host: RpcHost,
  ) {}

  static async open(program: Program, settings: object = {}): Promise<Talk> {
    const place = await CliPlace.make();
    const llm = await ScriptedLlm.start();
    // Which tools there are when nothing is said differs on purpose (docs/settings.md).
    place.useLlm(llm, { defaultTools: ['read', 'bash', 'edit', 'write'], ...settings }, [
      { id: 'one', input: ['text', 'image'] },
      { id: 'two' },
    ]);
    place.file('agent/skills/a/SKILL.md', '---\ndescription: a skill\n---\nBody.');
    place.file('agent/extensions/runs.ts', EXTENSION);
    place.file('agent/prompts/review.md', '---\ndescription: Review it\n---\nReview $1.');
    let count = 0;
    llm.otherwise(() => ({ text: `answer ${(count += 1)}` }));
    return new Talk(place, llm, RpcHost.start(place, [], program));
  }

  /** Has the model call these tools in one answer. */
  calls(...calls: readonly (readonly [name: string, args?: object])[]): void {
    this.llm.reply({
      text: 'calling',
      toolCalls: calls.map(([name, args = {}]) => ({ name, arguments: { ...args } })),
    });
  }

  settings(): string {
    return readFileSync(join(this.place.agentDir, 'settings.json'), 'utf8');
  }

  command(message: string): Promise<unknown> {
    return this.host.ask('prompt', { message });
  }

  /** Begins a run whose first answer is held until `meanwhile` is through. */
  async during(meanwhile: () => Promise<unknown>): Promise<void> {
    const from = this.host.messages.length;
    const hold = this.llm.hold({ text: 'held' });
    await this.host.data('prompt', { message: 'go' });
    await hold.reached;
    await meanwhile();
    hold.release();
    await this.host.event('agent_settled', from);
  }

  async close(): Promise<void> {
    await this.host.close();
    await this.place.remove();
    await this.llm.stop();
  }
}

const steered = async ({ host }: Talk): Promise<void> => {
  for (const message of ['one', 'two']) await host.data('steer', { message });
  for (const message of ['three', 'four']) await host.data('follow_up', { message });
};
const typed = (...args: readonly object[]): Case => ({
  act: async talk => {
    for (const given of args) talk.calls(['typed', given]);
    await talk.host.prompt('go');
  },
});
const proposing = (...proposals: readonly object[]): Case => ({
  act: async talk => {
    for (const proposal of proposals) {
      await talk.command(`/propose ${JSON.stringify(proposal)}`);
      await talk.host.prompt('go');
    }
  },
});

const withImage = async ({ host }: Talk): Promise<void> => {
  const from = host.messages.length;
  await host.data('prompt', { message: 'look', images: [{ type: 'image', mimeType: 'image/png', data: PIXEL }] });
  await host.event('agent_settled', from);
};
const tooLong = async ({ host, llm }: Talk): Promise<void> => {
  await host.prompt('one');
  llm.reply({ text: 'a', usage: { input: 199_900, output: 7 } });
  await host.prompt('two');
  await host.prompt('three');
};

const CASES: Readonly<Record<string, Case>> = {
  'messages wait, each for its turn': { act: talk => talk.during(() => steered(talk)) },
  'messages wait, all at once by the settings': {
    settings: { steeringMode: 'all', followUpMode: 'all' },
    act: talk => talk.during(() => steered(talk)),
  },
  'messages wait, by the older setting': {
    settings: { queueMode: 'all' },
    act: talk => talk.during(() => steered(talk)),
  },
  'messages wait, all at once when told so': {
    act: async talk => {
      await talk.host.data('set_steering_mode', { mode: 'all' });
      await talk.host.data('set_follow_up_mode', { mode: 'all' });
      await talk.during(() => steered(talk));
    },
  },
  'a message steers while calls of one answer run': {
    act: async talk => {
      const from = talk.host.messages.length;
      talk.calls(
        ['bash', { command: 'until [ -e go ]; do sleep 0.05; done; echo first' }],
        ['bash', { command: 'echo second' }],
      );
      await talk.host.data('prompt', { message: 'go' });
      await talk.host.event('tool_execution_end', from);
      await talk.host.data('steer', { message: 'rather this' });
      talk.place.file('work/go', '');
      await talk.host.event('agent_settled', from);
    },
  },
  'an abort ends a tool': {
    act: async talk => {
      const from = talk.host.messages.length;
      talk.calls(['hears'], ['hears']);
      await talk.host.data('prompt', { message: 'go' });
      await talk.host.event('tool_execution_start', from);
      await talk.host.data('abort');
      await talk.host.event('agent_settled', from);
      await talk.host.prompt('and on');
    },
  },
  'an abort while messages wait': {
    act: async talk => {
      const from = talk.host.messages.length;
      talk.calls(['hears']);
      await talk.host.data('prompt', { message: 'go' });
      await talk.host.event('tool_execution_start', from);
      await talk.host.data('steer', { message: 'steers' });
      await talk.host.data('follow_up', { message: 'follows' });
      await talk.host.data('abort');
      await talk.host.event('agent_settled', from);
      await talk.host.prompt('and on');
    },
  },
  'messages come while nothing runs': {
    act: async talk => {
      await talk.host.data('steer', { message: 'early' });
      await talk.host.data('follow_up', { message: 'earlier' });
      await talk.host.prompt('go');
    },
  },
  'calls of one answer run side by side': {
    act: async talk => {
      talk.calls(['waits', { for: 'a' }], ['opens', { what: 'a' }]);
      await talk.host.prompt('go');
    },
  },
  'a tool that runs alone holds up the others': {
    act: async talk => {
      talk.calls(['alone', { n: 1 }], ['typed', { n: 2 }], ['alone', { n: 3 }]);
      await talk.host.prompt('go');
    },
  },
  'a tool ends the run': {
    act: async talk => {
      talk.calls(['ends']);
      await talk.host.prompt('go');
      talk.calls(['ends'], ['typed', {}]);
      await talk.host.prompt('go');
      talk.calls(['ends'], ['ends']);
      await talk.host.prompt('go');
    },
  },
  'arguments of an older form': {
    act: async talk => {
      talk.calls(['old_form', { target: 'x' }], ['old_form', { to: 'y' }], ['old_form', {}]);
      await talk.host.prompt('go');
    },
  },
  'arguments: numbers as texts': typed(
    { n: '5', i: '6' },
    { n: 'five' },
    { i: '6.5' },
    { n: '' },
    { i: 6.5 },
    { n: true },
  ),
  'arguments: truth as text': typed({ b: 'true' }, { b: 'false' }, { b: 'yes' }, { b: 1 }, { b: 0 }),
  'arguments: texts as something else': typed({ s: 5 }, { s: true }, { s: null }, { s: ['x'] }, { s: { x: 1 } }),
  'arguments: lists': typed(
    { list: 'one' },
    { list: '["a","b"]' },
    { list: [1, 'b'] },
    { list: null },
    { list: { 0: 'a' } },
  ),
  'arguments: one of several': typed({ one: 'a' }, { one: 'c' }, { one: null }),
  'arguments: objects': typed({ o: { x: '3' } }, { o: '{"x":3}' }, { o: {} }, { o: { x: 1, more: 2 } }, { unknown: 1 }),
  'arguments: limits': {
    act: async talk => {
      talk.calls(
        ['strict', { n: 2, s: 'ab' }],
        ['strict', { n: 3, s: 'a' }],
        ['strict', {}],
        ['strict', { n: 4, s: 'ab' }],
      );
      await talk.host.prompt('go');
    },
  },
  'messages of a hook, idle': {
    act: async talk => {
      await talk.command('/plain one');
      await talk.command('/quiet two');
      await talk.command('/next three');
      await talk.command('/steers four');
      await talk.command('/follows five');
      await talk.host.prompt('go');
      await talk.host.prompt('and on');
    },
  },
  'a message of a hook begins a run': {
    act: async talk => {
      await talk.command('/next first');
      const from = talk.host.messages.length;
      await talk.command('/trigger runs');
      await talk.host.event('agent_settled', from);
    },
  },
  ...Object.fromEntries(
    ['plain', 'quiet', 'next', 'steers', 'follows', 'trigger', 'literally'].map(name => [
      `a message of a hook, while the model answers: /${name}`,
      {
        act: async (talk: Talk) => {
          await talk.during(() => talk.command(`/${name} said meanwhile`));
          await talk.host.prompt('and on');
        },
      },
    ]),
  ),
  'a text of a hook, as it is and expanded': {
    act: async talk => {
      for (const text of ['/user /review this', '/expands /review this', '/expands plain words']) {
        const from = talk.host.messages.length;
        await talk.command(text);
        await talk.host.event('agent_settled', from);
      }
      await talk.command('/expands /plain from a command');
      await talk.host.prompt('go');
    },
  },
  'tools and sections of the prompt change': {
    act: async talk => {
      await talk.command('/tools read,bash');
      await talk.host.prompt('go');
      await talk.command('/tools read,typed');
      await talk.command('/section calm');
      await talk.host.prompt('go');
      await talk.command('/section wild');
      await talk.host.prompt('go');
      await talk.command('/section none');
      await talk.host.prompt('go');
      await talk.command('/section forced');
      await talk.host.prompt('go');
    },
  },
  'commands of a person are guarded': {
    act: async talk => {
      for (const command of ['echo fine', 'throw', 'both', 'odd', 'answered']) await talk.host.ask('bash', { command });
      await talk.host.ask('bash', { command: 'echo hidden', excludeFromContext: true });
      await talk.host.prompt('go');
    },
  },
  'a hook goes on after a turn': proposing({ continue: true }, { continue: false }),
  'a hook adds entries after a turn': proposing(
    { entries: [{ type: 'custom', customType: 'c', data: 1 }] },
    { entries: [{ type: 'custom_message', customType: 'c', content: 'added', display: true }] },
    { entries: [{ type: 'custom_message', customType: 'c', content: 'added and on', display: false }], continue: true },
  ),
  'a hook proposes what cannot be after a turn': proposing(
    { entries: [{ type: 'context_edit', targetId: 'nobody', replacement: null }] },
    { entries: [{ type: 'context_edit', targetId: 'nobody', replacement: 5 }] },
  ),
  'what a shell command finds': {
    act: async talk => {
      const names = 'AI_AGENT PI_CODING_AGENT PI_SESSION_ID PI_SESSION_FILE PI_PROVIDER PI_MODEL PI_REASONING_LEVEL';
      const command = `for n in ${names}; do eval "echo $n=\\$$n"; done | sed 's|/.*/||; s|[0-9a-f]\\{8\\}-[0-9a-f-]*|UUID|; s|[0-9-]*T[0-9-]*Z|TIME|'`;
      talk.calls(['bash', { command }]);
      await talk.host.prompt('go');
      await talk.host.ask('bash', { command });
    },
  },
  'a prefix of shell commands': {
    settings: { shellCommandPrefix: 'greeting=hi' },
    act: async talk => {
      talk.calls(['bash', { command: 'echo $greeting' }]);
      await talk.host.prompt('go');
      await talk.host.ask('bash', { command: 'echo $greeting' });
    },
  },
  'another shell': {
    settings: { shellPath: '/bin/sh' },
    act: async talk => {
      talk.calls(['bash', { command: 'echo $0' }]);
      await talk.host.prompt('go');
      await talk.host.ask('bash', { command: 'echo $0' });
    },
  },
  'skills are no commands': {
    settings: { enableSkillCommands: false },
    act: async talk => {
      await talk.host.data('get_commands');
    },
  },
  'images are blocked': { settings: { images: { blockImages: true, autoResize: false } }, act: withImage },
  'images are sent': { settings: { images: { autoResize: false } }, act: withImage },
  'failed requests are not tried again': {
    settings: { retry: { enabled: false } },
    act: async talk => {
      talk.llm.fail(500);
      await talk.host.prompt('go');
    },
  },
  'failed requests are tried again by the client of the provider': {
    settings: { retry: { enabled: false, provider: { maxRetries: 1 } } },
    act: async talk => {
      talk.llm.fail(500);
      await talk.host.prompt('go');
    },
  },
  'a context that is too long is not shrunk': { settings: { compaction: { enabled: false } }, act: tooLong },
  'a context that is too long for one model': {
    settings: { compaction: { keepRecentTokens: 1, modelOverrides: { 'scripted/one': { reserveTokens: 150_000 } } } },
    act: async talk => {
      await talk.host.prompt('one');
      talk.llm.reply({ text: 'a', usage: { input: 60_000, output: 7 } });
      await talk.host.prompt('two');
      await talk.host.prompt('three');
    },
  },
  'models and levels are chosen': {
    act: async talk => {
      await talk.host.prompt('go');
      await talk.host.data('set_model', { provider: 'scripted', modelId: 'two' });
      await talk.host.data('set_thinking_level', { level: 'high' });
      await talk.host.data('cycle_model');
      await talk.host.data('cycle_thinking_level');
    },
  },
  'modes and switches are set': {
    settings: { compaction: { keepRecentTokens: 7 } },
    act: async talk => {
      await talk.host.data('set_steering_mode', { mode: 'all' });
      await talk.host.data('set_follow_up_mode', { mode: 'all' });
      await talk.host.data('set_auto_compaction', { enabled: false });
      await talk.host.data('set_auto_retry', { enabled: false });
      await talk.host.prompt('go');
    },
  },
};

describePeer('runs go as in pi:', TODAY, folder => {
  const sides: readonly Program[] = [piToday(folder), {}];
  for (const [title, { settings, act }] of Object.entries(CASES)) {
    it(title, async () => {
      const [pi, ours] = await Promise.all(
        sides.map(async program => {
          const talk = await Talk.open(program, settings);
          try {
            await act(talk);
            await talk.host.ask('get_state');
            const sent = talk.llm.requests.map(({ body }) => wordsOf(body));
            const { data } = await talk.host.ask('get_messages');
            const told = talk.host.messages.flatMap(record => toldOf(record, talk.place.root));
            const messages = rolesOf(data);
            await talk.host.close();
            return {
              told,
              sent,
              lines: linesOf(talk.place),
              messages,
              settings: JSON.parse(talk.settings()) as unknown,
            };
          } finally {
            await talk.close();
          }
        }),
      );
      assert.deepEqual(ours, pi);
    });
  }
});

type Json = Readonly<Record<string, unknown>>;

function words(content: unknown): unknown {
  if (!Array.isArray(content)) return content;
  return (content as readonly Json[]).map(part => part['text'] ?? part['content'] ?? part['name'] ?? part['type']);
}

function rolesOf(data: unknown): unknown {
  return (data as { readonly messages: readonly Json[] }).messages.map(({ role }) => role);
}

/** The conversation that a request sends. */
function wordsOf({ messages }: Json): unknown {
  return (messages as readonly Json[]).map(({ role, content }) => {
    const text = JSON.stringify(words(content));
    // Each program asks for a summary in its own words.
    return `${String(role)} ${text.includes('<conversation>') || text.includes('# Conversation') ? 'a summary' : text}`;
  });
}

/** Told in pieces that hang on the clock, or told by the session's lines; and questions, of which there are none. */
const LEFT_OUT = new Set([
  ...['message_update', 'tool_execution_update', 'bash_execution_update', 'entry_appended', 'extension_ui_request'],
]);
/** Members that differ from run to run, or are told in other words. Ours names the file where pi says `<boundary>`. */
const HIDDEN = new Set([
  ...['type', 'message', 'messages', 'result', 'data', 'id', 'timestamp', 'toolCallId', 'args', 'toolResults'],
  ...['durationMs', 'extensionPath'],
]);

function plain(members: Json, hidden: ReadonlySet<string>): Json {
  const shown = Object.entries(members).filter(([name]) => !hidden.has(name));
  return Object.fromEntries(shown.toSorted(([one], [other]) => (one < other ? -1 : 1)));
}

/** What a client is told, a record as a line. */
function toldOf(record: Message, root: string): readonly string[] {
  const { type, message, messages, toolResults, result } = record;
  if (LEFT_OUT.has(type)) return [];
  const told = {
    type,
    message: message === undefined ? undefined : saidIn(type, message as Json),
    messages: (messages as readonly Json[] | undefined)?.map(({ role }) => role),
    results: (toolResults as readonly Json[] | undefined)?.length,
    result: result === undefined ? undefined : words((result as Json)['content']),
    data: dataOf(record),
    ...plain(record, HIDDEN),
  };
  const text = JSON.stringify(told).replaceAll(root, '<root>');
  return [text.replaceAll(/\/tmp\/[^"\\ ]+\.log/g, '<log>')];
}

function saidIn(type: string, { role, content, stopReason }: Json): unknown {
  // What there is of an answer when its beginning is told depends on the network.
  return type === 'message_start' && role === 'assistant' ? [role] : [role, words(content), stopReason];
}

/** What differs from run to run, is told in another form, or only we have. */
const OWN = new Set(['sessionFile', 'sessionId', 'messageCount', 'model', 'commands', 'approvalMode']);

function dataOf({ command, data }: Json): unknown {
  if (data === undefined || data === null || command === 'get_messages') return undefined;
  const { commands, model, provider, id } = data as Json;
  if (command === 'set_model') return [provider, id];
  if (commands !== undefined) return (commands as readonly Json[]).map(({ name }) => name).filter(isOurs);
  return { ...plain(data as Json, OWN), model: (model as Json | undefined)?.['id'] };
}

/** A skill; pi also tells commands of its own. */
function isOurs(name: unknown): boolean {
  return String(name).startsWith('skill:');
}

/** Lines of the session without ids and times. */
function linesOf(place: CliPlace): readonly string[] {
  return place.entries().map(({ type, message, customType, data, content, provider, modelId, thinkingLevel }) => {
    const said = message as Json | undefined;
    const text = said?.['role'] === 'system' ? changesIn(said) : words(said?.['content']);
    return JSON.stringify([type, said?.['role'], text, customType, data, content, provider, modelId, thinkingLevel]);
  });
}

/** What a system message changes: the section of the extension, and tools; the texts of the programs differ. */
function changesIn({ sections, toolsAdded, toolsRemoved }: Json): unknown {
  const names = (list: unknown): unknown => (list as readonly Json[] | undefined)?.map(({ name }) => name);
  return [(sections as Json | undefined)?.['mood'], names(toolsAdded), names(toolsRemoved)];
}
