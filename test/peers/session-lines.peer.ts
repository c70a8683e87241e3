import assert from 'node:assert/strict';
import type { Program } from '../modes/support/cli';
import type { RpcHost } from '../modes/support/rpc';
import { describePeer, piToday, TODAY } from './peers';
import { Legs, type Line } from './session-legs';

/** Answers before compactions and moves as their instructions say, and notes in the session what it hears of their ends. */
const HOOKS = `import { Type } from 'typebox';
export default pi => {
  const cost = { input: 1, output: 2, cacheRead: 0, cacheWrite: 0, total: 3 };
  const usage = { input: 10, output: 20, cacheRead: 0, cacheWrite: 0, totalTokens: 30, cost };
  pi.on('session_before_compact', event => {
    const compaction = { summary: 'of the hook', firstKeptEntryId: null, tokensBefore: 5, usage };
    if (event.customInstructions === 'keep nothing') return { compaction };
    if (event.customInstructions === 'cancel') return { cancel: true };
  });
  pi.on('session_before_tree', event => {
    const { customInstructions } = event.preparation;
    if (customInstructions === 'of the hook') return { summary: { summary: 'of the hook', usage } };
  });
  for (const name of ['session_compact', 'session_compact_failed']) {
    pi.on(name, ({ reason, willRetry, fromExtension, aborted, errorMessage }) => {
      pi.appendEntry(name, { reason, willRetry, fromExtension, aborted, errorMessage });
    });
  }
  let watched = false;
  let sent = false;
  const tell = name => (event, ctx) => {
    if (watched) pi.appendEntry('idle', { at: name, idle: ctx.isIdle() });
  };
  for (const name of ['input', 'before_agent_start', 'agent_end', 'agent_settled']) pi.on(name, tell(name));
  pi.registerCommand('watch', { handler: async () => { watched = true; } });
  pi.on('before_agent_start', (event, ctx) => {
    if (event.prompt === 'stopped') ctx.abort();
    if (event.prompt !== 'joined') return;
    pi.sendMessage({ customType: 'n', content: 'joins at once', display: true }, { triggerTurn: true });
  });
  pi.on('agent_end', event => {
    if (sent || !event.messages.some(({ role, content }) => role === 'user' && content[0].text === 'more')) return;
    sent = true;
    pi.sendUserMessage('refused');
    pi.sendUserMessage('taken', { deliverAs: 'followUp' });
  });
  const reply = text => ({ content: [{ type: 'text', text }] });
  const tool = (name, execute, more = {}) =>
    pi.registerTool({ name, label: name, description: name, parameters: Type.Object({}), execute, ...more });
  tool('asleep', async () => reply('awake'), { defaultActive: false });
  tool('refuses', async () => ({ ...reply('no'), isError: true, details: { why: 1 }, structuredContent: { no: true } }));
  const data = ({ wall_time_seconds, ...rest } = {}) => ({ ...rest, took: typeof wall_time_seconds });
  tool('calls', async (id, params, signal, onUpdate, ctx) => {
    const fine = await ctx.executeTool('bash', { command: 'echo inside' });
    const poor = await ctx.executeTool('bash', { command: 'echo inside; exit 3' });
    const told = [fine, poor].map(({ result, isError }) => [data(result.structuredContent), isError]);
    return reply(JSON.stringify(told));
  });
  pi.on('tool_result', ({ toolName, structuredContent, isError, details }) => {
    const content = typeof structuredContent === 'object' ? data(structuredContent) : structuredContent;
    pi.appendEntry('result', { toolName, content, isError, details });
  });
  pi.registerCommand('move', { handler: async (args, ctx) => {
    const [id, ...rest] = args.split(' ');
    await ctx.navigateTree(id, { summarize: true, customInstructions: rest.join(' ') });
  } });
};
`;

interface Case {
  readonly settings?: object;
  readonly act: (host: RpcHost, legs: Legs) => Promise<void>;
}

const TOO_LONG = { message: 'prompt is too long: 213462 tokens > 200000 maximum' };

/** What is done, in each program in a session of its own. */
const CASES: Readonly<Record<string, Case>> = {
  'an answer fails for a passing reason': {
    act: async (host, { llm }) => {
      await host.prompt('one');
      llm.fail(500);
      await host.prompt('two');
    },
  },
  'an answer fails too often': {
    settings: { retry: { maxRetries: 1, baseDelayMs: 1 } },
    act: async (host, { llm }) => {
      llm.fail(500);
      llm.fail(500);
      await host.prompt('one');
      await host.prompt('two');
    },
  },
  'the wait for another try is cancelled': {
    settings: { retry: { baseDelayMs: 1_000_000, maxAgentDelayMs: 1_000_000 } },
    act: async (host, { llm }) => {
      llm.fail(500);
      await host.data('prompt', { message: 'one' });
      await host.event('auto_retry_start');
      await host.data('abort_retry');
      await host.event('agent_settled');
      await host.prompt('two');
    },
  },
  'an answer fails for good': {
    act: async (host, { llm }) => {
      llm.fail(429, { message: 'insufficient_quota: you exceeded your current quota' });
      await host.prompt('one');
      await host.prompt('two');
    },
  },
  'a server falls silent in the middle of an answer': {
    settings: { httpIdleTimeoutMs: 1000, retry: { baseDelayMs: 1 } },
    act: async (host, { llm }) => {
      llm.hold({ text: ['half', ' and half'] }, 3);
      await host.prompt('one');
    },
  },
  'a request fails for good while messages wait': {
    act: async (host, { llm, place }) => {
      llm.reply({
        text: 'wait',
        toolCalls: [{ name: 'bash', arguments: { command: 'until [ -e go ]; do sleep 0.05; done' } }],
      });
      llm.fail(400, { message: 'no' });
      await host.data('prompt', { message: 'one' });
      await host.event('tool_execution_start');
      await host.data('follow_up', { message: 'waits to the end' });
      place.file('work/go', '');
      await host.event('agent_settled');
      await host.prompt('two');
    },
  },
  'model and thinking level are chosen before the first prompt': {
    act: async host => {
      await host.data('set_thinking_level', { level: 'high' });
      await host.data('set_model', { provider: 'scripted', modelId: 'two' });
      await host.prompt('one');
    },
  },
  'a run grows too long between two of its turns': {
    settings: { compaction: { keepRecentTokens: 40, reserveTokens: 1000 } },
    act: async (host, { llm }) => {
      await host.prompt('one');
      await host.prompt(`two ${'x'.repeat(400)}`);
      const toolCalls = [{ name: 'bash', arguments: { command: 'echo found' } }];
      llm.reply({ text: 'a', toolCalls, usage: { input: 199_900, output: 7 } });
      await host.prompt('three');
      await host.prompt('four');
    },
  },
  'tools succeed, fail, and call others': {
    act: async (host, { llm, place }) => {
      place.file('work/a.txt', 'a line');
      const tool = (name: string, args = {}) => ({ name, arguments: args });
      const bash = (command: string, more = {}) => tool('bash', { command, ...more });
      for (const call of [
        ...[bash('echo fine'), bash('echo poor; exit 3'), bash('sleep 9', { timeout: 0.1 })],
        ...[tool('read', { path: 'a.txt' }), tool('read', { path: 'nothing' }), tool('read'), tool('unknown')],
        ...[tool('refuses'), tool('calls')],
      ]) {
        llm.reply({ toolCalls: [call] });
      }
      await host.prompt('one');
    },
  },
  'defaultTools turns on a tool that was registered inactive': {
    settings: { defaultTools: ['read', 'asleep'] },
    act: async (host, { llm }) => {
      llm.reply({ toolCalls: [{ name: 'asleep', arguments: {} }] });
      await host.prompt('one');
    },
  },
  'defaultTools takes away no tool of a hook': {
    settings: { defaultTools: ['-refuses', 'read', '+asleep'] },
    act: async (host, { llm }) => {
      llm.reply({
        toolCalls: [
          { name: 'asleep', arguments: {} },
          { name: 'refuses', arguments: {} },
        ],
      });
      await host.prompt('one');
    },
  },
  'a request does not fit': {
    act: async (host, { llm }) => {
      await host.prompt('one');
      await host.prompt('two');
      llm.fail(400, TOO_LONG);
      await host.prompt('three');
    },
  },
  'a request does not fit, and a summary does not help': {
    act: async (host, { llm }) => {
      await host.prompt('one');
      llm.fail(400, TOO_LONG);
      llm.reply({ text: 'so far' });
      llm.fail(400, TOO_LONG);
      await host.prompt('two');
      await host.prompt('three');
    },
  },
  'a request does not fit, and there is no summary': {
    act: async (host, { llm }) => {
      await host.prompt('one');
      llm.fail(400, TOO_LONG);
      llm.fail(400, { message: 'no' });
      await host.prompt('two');
    },
  },
  'an answer is cut short': {
    act: async (host, { llm }) => {
      await host.prompt('one');
      llm.reply({ text: 'it beg', stopReason: 'length' });
      await host.prompt('two');
    },
  },
  'an answer is cut short once more': {
    act: async (host, { llm }) => {
      await host.prompt('one');
      llm.reply({ text: 'it beg', stopReason: 'length' }, { text: 'so far' }, { text: 'it beg', stopReason: 'length' });
      await host.prompt('two');
    },
  },
  'a call is cut short': {
    act: async (host, { llm }) => {
      llm.reply({ text: 'so', toolCalls: [{ name: 'bash', arguments: { command: 'ls' } }], stopReason: 'length' });
      await host.prompt('one');
    },
  },
  'a hook makes a summary that keeps nothing': {
    act: async host => {
      await host.prompt('one');
      await host.prompt('two');
      await host.data('compact', { customInstructions: 'keep nothing' });
      await host.prompt('three');
      await host.prompt('four');
      await host.data('compact');
    },
  },
  'a hook cancels a compaction': {
    act: async host => {
      await host.prompt('one');
      await host.prompt('two');
      await host.ask('compact', { customInstructions: 'cancel' });
    },
  },
  'a summary fails, and fails at first only': {
    act: async (host, { llm }) => {
      await host.prompt('one');
      await host.prompt('two');
      llm.fail(400, { message: 'no' });
      await host.ask('compact');
      llm.fail(500);
      await host.data('compact');
    },
  },
  'branches are left, with summaries of the model and of a hook': {
    act: async (host, legs) => {
      await host.prompt('one');
      await host.prompt('two');
      await host.data('prompt', { message: `/move ${legs.lineOf('two').id} of the model` });
      await host.prompt('three');
      await host.data('prompt', { message: `/move ${legs.lineOf('one').id} of the hook` });
      await host.prompt('four');
    },
  },
  'the thinking level is another one before a branch': {
    act: async (host, legs) => {
      await host.prompt('one');
      await host.data('set_thinking_level', { level: 'high' });
      await host.prompt('two');
      await host.data('set_model', { provider: 'scripted', modelId: 'two' });
      await host.data('prompt', { message: `/go ${legs.lineOf('answer 1').id}` });
      await host.prompt('three');
    },
  },
  'hooks ask whether the agent is idle': {
    act: async host => {
      await host.prompt('one');
      await host.data('prompt', { message: '/watch' });
      await host.prompt('two');
    },
  },
  'a hook speaks while a run begins, and at its end': {
    act: async host => {
      await host.prompt('joined');
      await host.prompt('more');
    },
  },
  'a hook aborts while a run begins': {
    act: async host => {
      await host.prompt('stopped');
      await host.prompt('two');
    },
  },
  'messages of hooks and summaries of branches count in what is kept': {
    settings: { compaction: { keepRecentTokens: 40 } },
    act: async (host, legs) => {
      await host.prompt('one');
      await host.prompt('two');
      await host.data('prompt', { message: `/move ${legs.lineOf('two').id} of the hook` });
      await host.prompt(`three ${'x'.repeat(100)}`);
      await host.data('prompt', { message: `/note ${'y'.repeat(80)}` });
      await host.data('prompt', { message: `/note ${'z'.repeat(60)}` });
      await host.data('compact');
      await host.prompt('four');
    },
  },
};

describePeer('both write the same lines when', TODAY, folder => {
  const sides: readonly Program[] = [piToday(folder), {}];

  for (const [title, { settings, act }] of Object.entries(CASES)) {
    it(title, async function () {
      this.timeout(240_000);
      const seen: unknown[] = [];
      for (const program of sides) {
        const legs = await Legs.open(settings);
        try {
          legs.place.file('agent/extensions/hooks.ts', HOOKS);
          let told: readonly unknown[] = [];
          await legs.leg(program, async host => {
            await act(host, legs);
            told = host.messages.flatMap(toldOf);
          });
          const thinking = legs.llm.requests.map(({ body }) => body['thinking']);
          const all = JSON.stringify({ lines: skeleton(legs.lines()), told, thinking }, withoutOurWords);
          seen.push(JSON.parse(all.replaceAll(legs.place.root, '<root>')));
        } finally {
          await legs.close();
        }
      }
      assert.deepEqual(seen[1], seen[0]);
    });
  }

  it('every line has the same members', async function () {
    this.timeout(120_000);
    const seen: unknown[] = [];
    for (const program of sides) {
      const legs = await Legs.open();
      try {
        legs.place.file('agent/extensions/hooks.ts', HOOKS);
        let told: unknown;
        await legs.leg(program, async host => {
          await host.data('set_thinking_level', { level: 'max' });
          legs.llm.reply({ thinking: 'hm', text: 'so', toolCalls: [{ name: 'calls', arguments: {} }] });
          await host.prompt('one');
          await host.data('set_session_name', { name: 'a name' });
          await host.prompt('two');
          await host.data('prompt', { message: '/note noted' });
          await host.data('prompt', { message: '/keep kept' });
          await host.data('prompt', { message: `/mark ${legs.lineOf('one').id} a-label` });
          const compacted = membersOf(await host.data('compact'));
          await host.data('prompt', { message: `/move ${legs.lineOf('two').id} of the model` });
          await host.prompt('three');
          const { entries } = await host.data<{ readonly entries: readonly Line[] }>('get_entries');
          told = { compacted, entries: entries.map(({ type }) => type) };
        });
        const [header = ''] = legs.text().split('\n');
        seen.push([told, membersOf(JSON.parse(header)), ...legs.lines().map(membersOf)]);
      } finally {
        await legs.close();
      }
    }
    assert.deepEqual(seen[1], seen[0]);
  });

  it('answers cost what the tier of their input says', async () => {
    const seen: unknown[] = [];
    for (const program of sides) {
      const legs = await Legs.open();
      try {
        const rates = { input: 1, output: 2, cacheRead: 0.1, cacheWrite: 1.25 };
        const tiers = [{ inputTokensAbove: 1000, input: 10, output: 20, cacheRead: 1, cacheWrite: 12.5 }];
        legs.place.useLlm(legs.llm, {}, [{ id: 'one', cost: { ...rates, tiers } }]);
        for (const input of [500, 5000]) {
          legs.llm.reply({ text: 'so', usage: { input, output: 7, cacheRead: 3, cacheWrite: 2 } });
        }
        await legs.leg(program, async host => {
          await host.prompt('one');
          await host.prompt('two');
        });
        const costs = legs
          .lines()
          .flatMap(({ message }) => (message as { usage?: { cost: object } } | undefined)?.usage?.cost ?? []);
        seen.push(costs.map(cost => ({ ...cost, totalFromProvider: undefined })));
      } finally {
        await legs.close();
      }
    }
    assert.deepEqual(seen[1], seen[0]);
    const [low, high] = seen[0] as readonly { readonly output: number }[];
    assert.equal(Math.round(high!.output / low!.output), 10);
  });

  it('sessions and entries get their ids', async function () {
    this.timeout(120_000);
    for (const program of sides) {
      const legs = await Legs.open();
      try {
        await legs.leg(program, host => host.prompt('one'));
        const [header] = legs.text().split('\n');
        const { id } = JSON.parse(header!) as { readonly id: string };
        assert.match(id, /^[\da-f]{8}-[\da-f]{4}-7[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/);
        for (const line of legs.lines()) assert.match(line.id, /^[\da-f]{8}$/);
      } finally {
        await legs.close();
      }
    }
  });
});

/** Without our words for a call of a cut answer, and for what failed in front of what the provider said. */
function withoutOurWords(_key: string, value: unknown): unknown {
  if (typeof value !== 'string') return value;
  return /was not (run|executed): /.test(value) ? 'cut off' : value.replace(/Provider "[^\n]*\n/, '');
}

/** Lines without times, sizes and texts of the programs; ids by the place of what they name. */
function skeleton(lines: readonly Line[]): readonly unknown[] {
  const places = new Map(lines.map(({ id }, index) => [id, index]));
  const place = (id: unknown): unknown => (typeof id === 'string' ? (places.get(id) ?? id) : id);
  return lines.map(({ type, parentId, message, usage, ...rest }) => ({
    type,
    parent: place(parentId),
    ...Object.fromEntries(PLACES.filter(name => name in rest).map(name => [name, place(rest[name])])),
    ...Object.fromEntries(PLAIN.filter(name => rest[name] !== undefined).map(name => [name, rest[name]])),
    ...(usage === undefined ? {} : { usage: 'told' }),
    ...(message === undefined ? {} : said(message)),
  }));
}

const PLACES = ['targetId', 'firstKeptEntryId', 'fromId'];
const PLAIN = [
  'fromHook',
  'replacement',
  'thinkingLevel',
  'provider',
  'modelId',
  'customType',
  'content',
  'data',
  'label',
];

function said(message: NonNullable<Line['message']>): object {
  const { role, content, stopReason, isError, thinkingLevel, details, durationMs, nestedCalls, toolsAdded } =
    message as typeof message & Readonly<Record<string, unknown>>;
  // The set that tools begin with is another one.
  const mentions = JSON.stringify(toolsAdded ?? []).match(/"name":"(asleep|refuses)"/g) ?? undefined;
  if (role === 'system') return { role, mentions };
  const calls = (nestedCalls as { readonly calls: readonly object[] } | undefined)?.calls;
  const nested = calls?.map(call => ({ ...call, durationMs: 'durationMs' in call }));
  const took = typeof durationMs;
  if (role === 'toolResult') return { role, content, isError, details, took, nested };
  // pi times an answer that was aborted before its request only when both of its clocks read the same millisecond.
  const isUnsent = stopReason === 'aborted' && (content as readonly unknown[]).length === 0;
  return { role, content, stopReason, thinkingLevel, took: isUnsent ? 'unsent' : took };
}

/** What programs hear of tries and compactions. */
function toldOf(message: Readonly<Record<string, unknown>>): readonly unknown[] {
  const { type, reason, source, aborted, willRetry, attempt, success, entry } = message;
  const edit = type === 'entry_appended' && (entry as Line).type === 'context_edit';
  if (!edit && !/retry|compaction|agent_(end|settled)/.test(String(type))) return [];
  return [{ type, reason, source, aborted, willRetry, attempt, success }];
}

/**
 * Names of members and kinds of values, sorted; of a list those of each element. What a hook or a tool gave is left out, and
 * what only pi's engine knows (docs/sessions.md).
 */
function membersOf(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(membersOf);
  if (typeof value !== 'object' || value === null) return value === null ? 'null' : typeof value;
  return Object.entries(value)
    .filter(([name]) => name !== 'totalFromProvider')
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, member]) => (FOREIGN.includes(name) ? name : [name, membersOf(member)]));
}

const FOREIGN = ['arguments', 'details', 'data', 'sections', 'toolsAdded', 'structuredContent'];
