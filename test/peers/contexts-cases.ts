import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { until, type CliPlace } from '../modes/support/cli';
import type { RpcHost } from '../modes/support/rpc';
import type { ScriptedLlm, ScriptedReply } from '../support/scripted-llm';

/** What happens in one program: a client of it, the model's server, and the place of both. */
export interface Stage {
  readonly host: RpcHost;
  readonly llm: ScriptedLlm;
  readonly place: CliPlace;
}

/** What an extension does in both programs. */
export interface Case {
  /** Body of its factory. */
  readonly code: string;
  /** What happens; /probe is called when this is absent. What it resolves with is compared, too. */
  readonly act?: (stage: Stage) => Promise<unknown>;
  readonly settings?: object;
  readonly files?: Readonly<Record<string, string>>;
}

/** Names as the code of an extension writes them. */
const list = (names: string): string => JSON.stringify(names.split(' '));

const call = (name: string, args: Record<string, unknown> = {}) => ({ toolCalls: [{ name, arguments: args }] });
const prompt =
  (...replies: readonly ScriptedReply[]) =>
  async ({ host, llm }: Stage): Promise<void> => {
    llm.reply(...replies);
    await host.prompt('go');
  };

const CTX = list(
  'ui mode hasUI cwd sessionManager modelRegistry model scopedModels thinkingLevel isIdle isProjectTrusted signal abort hasPendingMessages shutdown getContextUsage compact getSystemPrompt tools executeTool getSystemPromptOptions waitForIdle newSession fork navigateTree switchSession reload',
);
const UI = list(
  'select confirm input notify onTerminalInput setStatus setWorkingMessage setWorkingVisible setWorkingIndicator setHiddenThinkingLabel setWidget setFooter setHeader setTitle custom pasteToEditor setEditorText getEditorText editor addAutocompleteProvider setEditorComponent getEditorComponent theme getAllThemes getTheme setTheme getToolsExpanded setToolsExpanded',
);
const SESSION = list(
  'getCwd getSessionDir getSessionId getSessionFile getLeafId getLeafEntry getEntry getLabel getBranch buildContextEntries buildSessionProjection getHeader getEntries getTree getSessionName',
);
const REGISTRY = list(
  'refresh getError getAll getAvailable find findOfType hasConfiguredAuth getApiKeyAndHeaders getProviderAuthStatus getProvider stream streamSimple complete getModelsOfType getAvailableOfType getModelOfType classify generateImages getProviderDisplayName getProviderAuth getApiKeyForProvider isUsingOAuth registerProvider unregisterProvider registerVirtualModel unregisterVirtualModel getRegisteredProviderConfig getRegisteredNativeProvider getRegisteredProviderIds',
);

const EVENT_NAMES = list(
  'input before_agent_start agent_start turn_start context message_end tool_call turn_end agent_end agent_before_settle agent_settled',
);
const THEME = list(
  'fg bg bold italic underline inverse strikethrough style colors appearance name getFgAnsi getBgAnsi getColorMode getThinkingBorderColor getBashModeBorderColor',
);

/** By what they are about. */
export const CASES: Readonly<Record<string, Case>> = {
  'members of a ctx of an event, of a tool and of a command': {
    code: `
      pi.on('turn_start', (event, ctx) => note('event', kinds(ctx, ${CTX})));
      tool('look', {}, async (id, params, signal, onUpdate, ctx) => { note('tool', kinds(ctx, ${CTX})); return { content: [], details: undefined }; });
      probe(async (args, ctx) => {
        note('command', kinds(ctx, ${CTX}));
        note('session', kinds(ctx.sessionManager, ${SESSION}));
        note('registry', kinds(ctx.modelRegistry, ${REGISTRY}));
        note('ui', kinds(ctx.ui, ${UI}));
        note('theme', kinds(ctx.ui.theme, ${THEME}));
        note('mode', ctx.mode, ctx.hasUI, ctx.thinkingLevel, ctx.model.id, ctx.isProjectTrusted(), ctx.cwd === process.cwd());
      });`,
    act: async stage => {
      await prompt(call('look'), { text: 'done' })(stage);
      await stage.host.ask('prompt', { message: '/probe' });
    },
  },
  'the members of ui where nothing can be drawn': {
    code: `probe(async (args, { ui }) => {
      const component = () => ({ render: () => [], invalidate() {} });
      note('custom', await fate(() => ui.custom(component)));
      note('input', typeof ui.onTerminalInput(() => undefined));
      for (const [name, ...given] of [['setWorkingMessage', 'x'], ['setWorkingVisible', false], ['setWorkingIndicator', { frames: ['a'] }],
        ['setHiddenThinkingLabel', 'x'], ['setFooter', component], ['setHeader', component], ['addAutocompleteProvider', current => current],
        ['setEditorComponent', component], ['setToolsExpanded', true], ['getEditorText'], ['getEditorComponent'], ['getToolsExpanded'],
        ['getAllThemes'], ['getTheme', 'dark'], ['setTheme', 'dark'], ['setWidget', 'a', ['x']], ['setWidget', 'b', component], ['setTitle', 't'],
        ['setStatus', 's', 'text'], ['setStatus', 's', undefined], ['setEditorText', 'a'], ['pasteToEditor', 'b'], ['notify', 'n'], ['notify', 'n', 'warning']])
        note(name, await fate(() => ui[name](...given)));
    });`,
    act: async ({ host }) => {
      await host.ask('prompt', { message: '/probe' });
      return host.messages.filter(({ type }) => type === 'extension_ui_request').map(({ method }) => method);
    },
  },
  dialogs: {
    code: `
      for (const name of ['ui_prompt_start', 'ui_prompt_end']) pi.on(name, event => note(event));
      probe(async (args, { ui }) => {
        note('select', await ui.select('Which?', ['a', 'b']));
        note('confirm', await ui.confirm('Sure?', 'Really'));
        note('input', await ui.input('Name?', 'hint'));
        note('editor', await ui.editor('Text?', 'before'));
        note('cancelled', await ui.select('Which?', ['a']), await ui.confirm('Sure?', 'x'), await ui.input('Name?'), await ui.editor('Text?'));
        note('over', await ui.select('Which?', ['a'], { timeout: 20 }), await ui.confirm('Sure?', 'x', { timeout: 20 }), await ui.input('Name?', '', { timeout: 20 }));
        note('stopped', await ui.select('Which?', ['a'], { signal: AbortSignal.abort() }), await ui.confirm('Sure?', 'x', { signal: AbortSignal.abort() }));
      });`,
    act: async ({ host }) => {
      const id = host.post('prompt', { message: '/probe' });
      const answers: Record<string, object> = {
        select: { value: 'b' },
        confirm: { confirmed: true },
        input: { value: 'n' },
        editor: { value: 't' },
      };
      let from = 0;
      for (const round of [true, false]) {
        for (const method of Object.keys(answers)) {
          const asked = await host.ui(method, from);
          from = host.messages.indexOf(asked) + 1;
          host.answer(asked, round ? answers[method]! : { cancelled: true });
        }
      }
      await host.next(m => m.type === 'response' && m['id'] === id, 'response');
    },
  },
  'models and their keys': {
    code: `probe(async (args, { modelRegistry: models, model }) => {
      const provider = models.getProvider('scripted');
      note('provider', provider.id, provider.name, provider.baseUrl, provider.getModels().map(({ id }) => id), models.getProvider('nobody'));
      note('auth', await fate(() => models.getProviderAuth('scripted')), await fate(() => models.getProviderAuth('nobody')));
      note('key', await models.getApiKeyAndHeaders(model), await models.getApiKeyForProvider('scripted'), await models.getApiKeyForProvider('nobody'));
      note('status', models.getProviderAuthStatus('scripted'), models.getProviderAuthStatus('nobody'), models.getProviderDisplayName('scripted'), models.getProviderDisplayName('anthropic'), models.getProviderDisplayName('nobody'));
      note('find', models.find('scripted', 'two')?.id, models.find('scripted', 'three'), models.findOfType('chat', 'scripted', 'two')?.id, models.findOfType('image', 'scripted', 'two'), models.getModelOfType('chat', 'scripted', 'one')?.id);
      note('types', models.getModelsOfType('chat', 'scripted').map(({ id }) => id), (await models.getAvailableOfType('chat', 'scripted')).map(({ id }) => id), models.getModelsOfType('classifier', 'scripted'));
      note('known', models.hasConfiguredAuth(model), models.isUsingOAuth(model), models.getError(), models.getAvailable().map(({ provider, id }) => provider + '/' + id), models.getAll().some(({ id }) => id === 'two'));
      const context = { systemPrompt: 'be brief', messages: [{ role: 'user', content: 'say x', timestamp: 1 }] };
      const done = await models.complete(model, context);
      note('complete', done.role, done.content.filter(({ type }) => type === 'text'), done.stopReason);
      const seen = []; for await (const event of models.streamSimple(model, context, {})) seen.push(event.type); note('stream', seen);
      const result = await models.refresh({ allowNetwork: false }); note('refresh', result.aborted, [...result.errors]);
    });`,
  },
  'a session that is read': {
    code: `
      const kind = entry => entry?.message?.role ?? entry?.type;
      probe(async (args, { sessionManager: session }) => {
        note('file', typeof session.getSessionFile(), session.getCwd() === process.cwd(), typeof session.getSessionDir(), session.getHeader().type, session.getHeader().version);
        note('entries', session.getEntries().map(kind), session.getBranch().map(kind), kind(session.getLeafEntry()), session.getLeafId() === session.getLeafEntry().id, session.getSessionName());
        note('tree', session.getTree().length, session.getTree()[0].children.length, session.getEntry('nope'), session.getLabel('nope'));
        note('context', session.buildContextEntries().map(kind));
        const p = session.buildSessionProjection(); note('projection', Object.keys(p).sort(), p.messages.map(({ role }) => role), p.model, p.thinkingLevel);
        pi.setSessionName('  a   name  '); note(session.getSessionName(), pi.getSessionName()); 
        const leaf = session.getBranch().find(entry => entry.message?.role === 'user').id; pi.setLabel(leaf, 'mark'); note(session.getLabel(leaf)); pi.setLabel(leaf, undefined); note(session.getLabel(leaf));
        pi.appendEntry('mine', { a: 1 }); note(session.getLeafEntry().type, session.getLeafEntry().customType, session.getLeafEntry().data);
      });
      pi.on('session_info_changed', event => note(event));`,
    act: async stage => {
      await prompt(call('bash', { command: 'true' }), { text: 'done' })(stage);
      await stage.host.ask('prompt', { message: '/probe' });
    },
  },
  busy: {
    code: `
      for (const name of ${EVENT_NAMES})
        pi.on(name, (event, ctx) => note(name, event.message?.role, ctx.isIdle(), ['input', 'before_agent_start', 'agent_before_settle'].includes(name) ? 'any' : ctx.signal?.aborted, ctx.hasPendingMessages()));
      probe(async (args, ctx) => note('command', ctx.isIdle(), ctx.signal === undefined));`,
    act: async stage => {
      await prompt(call('bash', { command: 'true' }), { text: 'done' })(stage);
      await stage.host.ask('prompt', { message: '/probe' });
    },
  },
  'an abort by a handler': {
    code: `
      for (const name of ['agent_end', 'agent_before_settle', 'agent_settled', 'turn_end'])
        pi.on(name, (event, ctx) => note(name, event.aborted, event.outcome, event.messages?.map(m => [m.role, m.stopReason]), ctx.signal?.aborted));
      pi.on('tool_call', (event, ctx) => { ctx.abort(); note(ctx.signal.aborted); });`,
    act: prompt(call('bash', { command: 'echo hi' }), { text: 'done' }),
  },
  'an abort before the run': {
    code: `
      let once = true;
      pi.on('before_agent_start', (event, ctx) => { if (once) { once = false; ctx.abort(); note('aborted'); } });
      for (const name of ['agent_start', 'agent_end', 'agent_settled', 'message_end'])
        pi.on(name, (event, ctx) => note(name, event.aborted, event.message?.role, event.message?.stopReason));`,
    act: prompt({ text: 'done' }),
  },
  'messages sent while a run starts': {
    code: `
      pi.on('before_agent_start', (event, ctx) => {
        note(event.messageType, ctx.isIdle());
        pi.sendMessage({ customType: 'x', content: 'joined', display: true }, { triggerTurn: true });
      });
      pi.on('context', event => note(event.messages.map(m => [m.role, m.content])));`,
    act: prompt({ text: 'done' }),
  },
  'texts sent while a run starts': {
    code: `
      let once = true;
      pi.on('before_agent_start', (event, ctx) => { if (once) { once = false; pi.sendUserMessage('plain'); pi.sendUserMessage('later', { deliverAs: 'followUp' }); pi.sendUserMessage('soon', { deliverAs: 'steer' }); } });
      pi.on('context', event => note(event.messages.map(m => [m.role, m.role === 'user' ? m.content : 0])));`,
    act: prompt({ text: 'one' }, { text: 'two' }, { text: 'three' }),
  },
  'messages of each delivery while the model answers': {
    code: `
      let once = true;
      pi.on('turn_start', () => { if (!once) return; once = false;
        pi.sendMessage({ customType: 's', content: 'steer', display: true });
        pi.sendMessage({ customType: 'f', content: 'follow', display: true }, { deliverAs: 'followUp' });
        pi.sendMessage({ customType: 'n', content: 'next', display: true }, { deliverAs: 'nextTurn' });
        pi.sendMessage({ customType: 'q', content: 'quiet', display: true }, { triggerTurn: false });
      });
      pi.on('context', event => note(event.messages.map(m => [m.role, m.customType])));
      pi.on('before_agent_start', event => note(event.messageType, event.prompt, event.message?.customType));`,
    act: async stage => {
      await prompt(call('bash', { command: 'true' }), { text: 'a' }, { text: 'b' }, { text: 'c' })(stage);
      await stage.host.prompt('second');
    },
  },
  'an idle message that starts a run': {
    code: `
      probe(async () => { pi.sendMessage({ customType: 'n', content: 'next', display: false }, { deliverAs: 'nextTurn' });
        pi.sendMessage({ customType: 'q', content: 'quiet', display: true });
        pi.sendMessage({ customType: 't', content: [{ type: 'text', text: 'trigger' }], display: true, details: { a: 1 } }, { triggerTurn: true }); });
      pi.on('before_agent_start', event => note('start', event.messageType, 'prompt' in event, event.message?.customType, Object.keys(event).sort()));
      pi.on('message_end', ({ message }) => note(message.role, message.customType, message.display, message.details));
      pi.on('context', event => note(event.messages.map(m => [m.role, m.customType])));`,
    act: async ({ host }) => {
      const from = host.messages.length;
      await host.ask('prompt', { message: '/probe' });
      await host.event('agent_settled', from);
    },
  },
  'prompt options': {
    code: `
      const told = ({ date, ...o }) => Object.entries(o).map(([k, v]) => [k, v === null ? 'null' : Array.isArray(v) ? 'list' : typeof v]).sort();
      pi.on('before_agent_start', (event, ctx) => { note(told(event.systemPromptOptions), event.systemPrompt === ctx.getSystemPrompt());
        event.systemPromptOptions.sections.mood = 'calm'; note(event.systemPrompt.includes('<mood>'), ctx.getSystemPrompt().includes('<mood>')); });
      pi.on('before_agent_start', event => { note(event.systemPrompt.includes('<mood>')); });
      probe(async (args, ctx) => note(told(ctx.getSystemPromptOptions())));`,
    act: async stage => {
      await prompt({ text: 'done' })(stage);
      await stage.host.ask('prompt', { message: '/probe' });
    },
  },
  'a prompt replaced': {
    code: `
      pi.on('before_agent_start', event => ({ systemPrompt: 'all new', message: { customType: 'a', content: 'first', display: true } }));
      pi.on('before_agent_start', event => { note(event.systemPrompt, event.systemPromptOptions.forceSystemPrompt); return { message: { customType: 'b', content: 'second', display: false } }; });
      pi.on('context', event => note(event.messages.map(m => [m.role, m.customType])));
      pi.on('context_with_system', event => note(event.messages[0].role, JSON.stringify(event.messages[0]).includes('all new')));`,
    act: prompt({ text: 'done' }),
  },
  'tool definitions: arguments': {
    code: `
      tool('typed', { parameters: { type: 'object', properties: { n: { type: 'number' }, b: { type: 'boolean' }, l: { type: 'array', items: { type: 'string' } }, s: { type: 'string' } }, required: ['n'] } },
        async (id, params) => { note('ran', params); return { content: [], details: undefined }; });
      tool('prepared', { parameters: { type: 'object', properties: { n: { type: 'number' } }, required: ['n'] }, prepareArguments: args => ({ n: args.old ?? 0 }) },
        async (id, params) => { note('ran', params); return { content: [], details: undefined }; });
      pi.on('tool_call', event => note('call', event.toolName, event.input));
      pi.on('tool_execution_end', event => note('end', event.toolName, event.isError, event.result.content?.[0]?.text, event.result.details));`,
    act: prompt(
      call('typed', { n: '3', b: 'true', l: 'one', s: null }),
      call('typed', { n: 'x' }),
      call('typed', {}),
      call('nobody', { a: 1 }),
      call('prepared', { old: 4 }),
      call('typed', { n: 1, extra: 2 }),
      { text: 'done' },
    ),
  },
  'tool definitions: results': {
    code: `
      const usage = { input: 1, output: 2, cacheRead: 0, cacheWrite: 0, totalTokens: 3, cost: { input: 0.5, output: 0.25, cacheRead: 0, cacheWrite: 0, total: 0.75 } };
      tool('failing', {}, async () => ({ content: [{ type: 'text', text: 'no' }], details: { a: 1 }, isError: true }));
      tool('throwing', {}, async () => { throw new Error('broken'); });
      tool('data', { outputSchema: { type: 'object' } }, async () => ({ content: [{ type: 'text', text: 'd' }], details: undefined, structuredContent: { x: 1 }, usage }));
      tool('updating', {}, async (id, params, signal, onUpdate) => { onUpdate({ content: [{ type: 'text', text: 'half' }], details: { part: 1 } }); return { content: [{ type: 'text', text: 'whole' }], details: undefined }; });
      tool('bare', {}, async () => ({ content: [{ type: 'text', text: 'bare' }] }));
      pi.on('tool_result', event => note('result', event.toolName, event.isError, event.content, event.details, event.structuredContent, event.usage));
      pi.on('tool_execution_update', event => note('update', event.partialResult));
      pi.on('tool_execution_end', event => note('end', event.toolName, event.isError, typeof event.durationMs, event.result.content, event.result.details, event.result.structuredContent, event.result.usage));
      pi.on('message_end', ({ message }) => message.role === 'toolResult' && note('stored', message.isError, message.details, typeof message.durationMs, message.usage, message.structuredContent));`,
    act: prompt(call('failing'), call('throwing'), call('data'), call('updating'), call('bare'), { text: 'done' }),
  },
  'results changed by handlers': {
    code: `
      tool('data', { outputSchema: { type: 'object' } }, async () => ({ content: [{ type: 'text', text: 'd' }], details: { d: 1 }, structuredContent: { x: 1 } }));
      let round = 0;
      const answers = [{ content: [{ type: 'text', text: 'other' }] }, { content: [{ type: 'text', text: 'other' }], structuredContent: { y: 2 } }, { details: { e: 2 } }, { isError: true }, { usage: { input: 1, output: 2, cacheRead: 0, cacheWrite: 0, totalTokens: 3, cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 } } }];
      pi.on('tool_result', event => answers[round++]);
      pi.on('tool_result', event => { note(event.content[0].text, event.structuredContent, event.details, event.isError, event.usage?.input); if (round === 3) throw new Error('oops'); });
      pi.on('message_end', ({ message }) => message.role === 'toolResult' && note('stored', message.content[0].text, message.structuredContent, message.details, message.isError, message.usage?.input));`,
    act: prompt(call('data'), call('data'), call('data'), call('data'), call('data'), { text: 'done' }),
  },
  blocks: {
    code: `
      let n = 0;
      pi.on('tool_call', event => { n++; if (n === 1) return { block: true }; if (n === 2) return { block: true, reason: 'because' }; if (n === 3) throw new Error('gate broke'); if (n === 4) { event.input.command = 'echo changed'; } if (n === 5) return { block: true, reason: 'end', terminate: true }; });
      pi.on('tool_call', event => note('second', n, event.input.command));
      pi.on('tool_result', event => note('result', event.isError, event.content[0].text));
      pi.on('tool_execution_end', event => note('end', event.isError, event.result.content[0].text, event.result.details));
      pi.on('turn_end', event => note('turn'));`,
    act: prompt(...[1, 2, 3, 4, 5].map(() => call('bash', { command: 'echo hi' })), { text: 'done' }),
  },
  'tool order, exposure and activity': {
    code: `
      tool('hidden-one', { exposure: 'hidden' }); tool('asleep', { defaultActive: false }); tool('model-only-one', { exposure: 'model-only' }); tool('codemode-one', { exposure: 'codemode' });
      tool('seq', { executionMode: 'sequential' }, async (id) => { note('seq start'); await new Promise(r => setTimeout(r, 30)); note('seq end'); return { content: [], details: undefined }; });
      tool('par', {}, async (id) => { note('par start'); await new Promise(r => setTimeout(r, 30)); note('par end'); return { content: [], details: undefined }; });
      probe(async () => {
        const mine = names => names.filter(name => !['read', 'bash', 'edit', 'write', 'grep', 'find', 'ls', 'powershell'].includes(name));
        note(mine(pi.getActiveTools())); pi.setActiveTools(['read', 'hidden-one', 'asleep', 'nobody', 'codemode-one']); note(pi.getActiveTools());
        tool('late', {}); note(pi.getActiveTools()); tool('late', { exposure: 'hidden' }); note(pi.getActiveTools());
        note(pi.getAllTools().filter(({ name }) => name === 'read' || name === 'late').map(({ parameters, description, promptGuidelines, sourceInfo, ...rest }) => [rest, sourceInfo.path, sourceInfo.source, sourceInfo.scope, sourceInfo.origin]));
      });`,
    act: async stage => {
      await stage.host.ask('prompt', { message: '/probe' });
      stage.llm.reply(
        {
          toolCalls: [
            { name: 'par', arguments: {} },
            { name: 'seq', arguments: {} },
          ],
        },
        { text: 'done' },
      );
      await stage.host.prompt('go');
    },
  },
  'a shell command of the person': {
    code: `
      let n = 0;
      pi.on('user_bash', event => { n++; note(event); if (n === 2) throw new Error('guard broke'); if (n === 3) return { result: { output: 'made up', exitCode: 7, cancelled: false, truncated: false } }; if (n === 4) return {}; if (n === 5) return { result: { output: 'x', exitCode: 0, cancelled: false, truncated: false }, operations: {} };
        if (n === 6) return { operations: { exec: async (command, cwd, { onData }) => { onData(Buffer.from('from elsewhere')); return { exitCode: 3 }; } } }; });
      pi.on('user_bash', () => { note('second', n); });`,
    act: async ({ host }) => {
      const all: unknown[] = [];
      for (let n = 0; n < 6; n++) {
        const told = await host.ask('bash', { command: `echo ${n}`, excludeFromContext: n === 1 });
        const { output, exitCode } = (told['data'] ?? {}) as { readonly output?: string; readonly exitCode?: number };
        all.push([told['success'], output, exitCode, told['error']]);
      }
      return all;
    },
  },
  input: {
    code: `
      pi.on('input', event => { note(event); if (event.text === 'swallow') return { action: 'handled' }; if (event.text === 'change') return { action: 'transform', text: 'changed' }; });
      pi.on('input', event => { note('second', event.text); });
      pi.on('before_agent_start', event => note('prompt', event.prompt));`,
    act: async ({ host }) => {
      const swallowed = await host.ask('prompt', { message: 'swallow' });
      await host.prompt('change');
      await host.prompt('keep');
      return swallowed['data'];
    },
  },
  'providers: headers, payload, response, stream events': {
    code: `
      pi.on('before_provider_headers', event => { note('headers', typeof event.headers, Object.keys(event)); event.headers['x-mine'] = 'yes'; event.headers['anthropic-beta'] = null; return { headers: {} }; });
      pi.on('before_provider_request', event => { note('payload', event.payload.model, Object.keys(event)); return { ...event.payload, max_tokens: 77 }; });
      pi.on('before_provider_request', event => { note('second', event.payload.max_tokens); });
      pi.on('after_provider_response', event => note('response', event.status, typeof event.headers, Object.keys(event)));
      pi.on('provider_stream_event', event => note('stream', event.provider, event.api, event.model, event.data.type));`,
    act: async stage => {
      await prompt({ text: 'done' })(stage);
      const { headers, body } = stage.llm.requests.at(-1)!;
      return [headers['x-mine'], headers['anthropic-beta'], body['max_tokens']];
    },
  },
  contexts: {
    code: `
      pi.on('context', event => { note('context', event.messages.map(({ role }) => role)); event.messages.push({ role: 'user', content: 'added', timestamp: 1 }); });
      pi.on('context', event => { note('second', event.messages.map(({ role }) => role)); return { messages: event.messages.slice(-1) }; });
      pi.on('context', () => { throw new Error('bad context'); });
      pi.on('context_with_system', event => { note('whole', event.messages.map(({ role }) => role)); return { messages: [...event.messages, { role: 'user', content: 'last', timestamp: 2 }] }; });`,
    act: async stage => {
      await prompt({ text: 'done' })(stage);
      return stage.llm.requests.at(-1)!.body['messages'];
    },
  },
  'model and thinking': {
    code: `
      pi.on('model_select', event => note('model', event.source, event.previousModel?.id, event.model.id));
      pi.on('thinking_level_select', event => note('level', event.previousLevel, event.level));
      probe(async (args, ctx) => {
        note(await pi.setModel(ctx.modelRegistry.find('scripted', 'two')), ctx.model.id);
        pi.setThinkingLevel('high'); note(pi.getThinkingLevel(), ctx.thinkingLevel); pi.setThinkingLevel('max'); note(pi.getThinkingLevel());
        pi.setThinkingLevel('max'); note('again');
        note(await fate(() => pi.setModel({ ...ctx.model, provider: 'nobody' })));
        note(pi.getSettings().defaultModel, pi.getSettings().defaultThinkingLevel, ctx.scopedModels);
      });`,
    act: async stage => {
      await stage.host.ask('prompt', { message: '/probe' });
      return readFileSync(join(stage.place.agentDir, 'settings.json'), 'utf8').replace(
        stage.llm.model('anthropic-messages').baseUrl,
        '',
      );
    },
  },
  'scoped models': {
    code: `probe(async (args, ctx) => note(ctx.scopedModels.map(({ model, thinkingLevel }) => [model.id, thinkingLevel])));`,
    settings: { enabledModels: ['scripted/two:high', 'scripted/one'] },
  },
  shutdown: {
    code: `pi.on('session_shutdown', event => note(event)); probe(async (args, ctx) => { ctx.shutdown(); note('asked'); });`,
    act: async ({ host }) => {
      await host.ask('prompt', { message: '/probe' });
      const { code } = await host.ended;
      return code;
    },
  },
  'compaction of ctx': {
    code: `
      for (const name of ['session_before_compact', 'session_compact', 'session_compact_failed']) pi.on(name, event => note(name, event.reason, event.willRetry, event.fromExtension, event.aborted, event.customInstructions, event.errorMessage));
      let n = 0;
      pi.on('session_before_compact', event => { n++; if (n === 1) return { cancel: true }; if (n === 2) return { compaction: { summary: 'mine', firstKeptEntryId: event.preparation.firstKeptEntryId, tokensBefore: event.preparation.tokensBefore, details: { d: 1 } } }; });
      const once = (ctx, instructions) => new Promise(resolve => ctx.compact({ customInstructions: instructions, onComplete: r => { note('done', r.firstKeptEntryId !== undefined, typeof r.tokensBefore, typeof r.estimatedTokensAfter, r.summary); resolve(0); }, onError: e => { note('error', e.message); resolve(0); } }));
      probe(async (args, ctx) => { note(ctx.getContextUsage() && Object.keys(ctx.getContextUsage()).sort()); await once(ctx, 'short'); await once(ctx); note('usage', ctx.getContextUsage()?.tokens); await once(ctx, 'again'); });`,
    settings: { compaction: { keepRecentTokens: 1 } },
    act: async stage => {
      await prompt({ text: 'x'.repeat(4000) })(stage);
      await prompt({ text: 'y'.repeat(4000) })(stage);
      await stage.host.ask('prompt', { message: '/probe' });
    },
  },
  'names of commands': {
    code: `
      probe(async () => note(pi.getCommands().filter(({ source, sourceInfo }) => source === 'extension' && sourceInfo.source !== 'builtin').map(({ name, description, source, sourceInfo }) => [name, description, source, Object.keys(sourceInfo).sort(), sourceInfo.source, sourceInfo.scope, sourceInfo.origin])));
      pi.registerCommand('other', { description: 'Another', handler: async (args) => { note('args', args); } });
      pi.registerCommand('broken', { handler: async () => { throw new Error('bad'); } });`,
    act: async ({ host }) => {
      await host.ask('prompt', { message: '/probe' });
      await host.ask('prompt', { message: '/other  a  b ' });
      await host.ask('prompt', { message: '/broken' });
    },
  },
  'handlers that throw': {
    code: `
      for (const name of ${EVENT_NAMES.replace('"tool_call",', '')}) pi.on(name, () => { throw new Error('in ' + name); });
      pi.on('agent_settled', () => note('settled'));`,
    act: prompt(call('bash', { command: 'true' }), { text: 'done' }),
  },
  'a text that needs a delivery': {
    code: `
      pi.on('turn_start', () => { pi.sendUserMessage('plain'); });
      pi.registerCommand('cmd', { handler: async args => note('cmd', args) });
      let once = true;
      pi.on('agent_settled', (event, ctx) => { note('settled', ctx.isIdle()); if (once) { once = false; pi.sendUserMessage('/cmd x', { expandPromptTemplates: true }); pi.sendUserMessage('/cmd y'); } });
      pi.on('input', event => note('input', event.text, event.source));`,
    act: async stage => {
      await prompt({ text: 'a' })(stage);
      await stage.host.next(
        m => m.type === 'agent_settled' && stage.host.messages.filter(x => x.type === 'agent_settled').length === 2,
        'two',
      );
    },
  },
  'a provider that is registered': {
    code: `
      process.env.MINE_KEY = 'the-key'; process.env.MINE_HEADER = 'the-header';
      const cost = { input: 1, output: 2, cacheRead: 0, cacheWrite: 0 };
      const model = (id, more) => ({ id, name: id.toUpperCase(), reasoning: false, input: ['text'], cost, contextWindow: 1000, maxTokens: 100, ...more });
      pi.registerProvider('mine', { name: 'Mine', baseUrl: process.env.LLM, apiKey: '$MINE_KEY', api: 'anthropic-messages', authHeader: true,
        headers: { 'x-a': '\${MINE_HEADER}', 'x-b': '$$literal', 'x-c': 'MINE_KEY' }, models: [model('m'), model('deep', { reasoning: true, thinkingLevelMap: { low: null, max: 'max' }, samplingParams: { temperature: 0.5 } }),
        { id: 'pic', type: 'image', name: 'Pic', input: ['text'], output: ['image'], cost, api: 'openrouter-images' }, { id: 'cls', type: 'classifier', name: 'Cls', input: ['text'], cost, contextWindow: 100, api: 'typesafe-classify' }] });
      const told = m => m && [m.provider, m.id, m.name, m.api, m.type, m.reasoning, m.contextWindow, m.thinkingLevelMap, m.samplingParams];
      probe(async (args, { modelRegistry: models }) => {
        note(['m', 'deep', 'pic'].map(id => told(models.find('mine', id))), models.getProviderDisplayName('mine'), models.getProviderAuthStatus('mine'));
        note(told(models.findOfType('image', 'mine', 'pic')), told(models.findOfType('classifier', 'mine', 'cls')), models.getAll().filter(({ provider }) => provider === 'mine').map(({ id }) => id));
        note(await models.getApiKeyAndHeaders(models.find('mine', 'm')));
        note(models.getRegisteredProviderIds().includes('mine'), models.getRegisteredProviderConfig('mine').name, models.getRegisteredNativeProvider('mine'));
        note(await pi.setModel(models.find('mine', 'deep'))); pi.setThinkingLevel('low'); note(pi.getThinkingLevel()); pi.setThinkingLevel('max'); note(pi.getThinkingLevel());
        note((await fate(() => pi.registerProvider('bad', { models: [model('x')] })))?.slice(0, 6), (await fate(() => pi.registerProvider('bad', { baseUrl: 'http://x', models: [model('x')] })))?.slice(0, 6));
      });
      pi.registerCommand('change', { handler: async (args, { modelRegistry: models }) => {
        pi.registerProvider('mine', { headers: { 'x-d': 'new' } }); pi.registerProvider('scripted', { headers: { 'x-e': 'added' } });
        note(models.find('mine', 'm')?.id, models.find('scripted', 'one')?.id);
        pi.registerProvider('mine', { baseUrl: process.env.LLM, apiKey: 'k', api: 'anthropic-messages', models: [model('only')] }); note(models.find('mine', 'm')?.id, models.find('mine', 'only')?.id);
        pi.unregisterProvider('mine'); note(models.find('mine', 'only')?.id); pi.unregisterProvider('nobody');
        pi.registerProvider('anthropic', { baseUrl: 'http://127.0.0.1:9' }); note(models.getAll().filter(m => m.provider === 'anthropic').every(m => m.baseUrl === 'http://127.0.0.1:9'));
        pi.unregisterProvider('anthropic'); note(models.getAll().filter(m => m.provider === 'anthropic').some(m => m.baseUrl === 'http://127.0.0.1:9'));
        await pi.setModel(models.find('scripted', 'one'));
      } });`,
    act: async ({ host, llm }) => {
      const sent: unknown[] = [];
      await host.ask('prompt', { message: '/probe' });
      await host.prompt('one');
      await host.ask('prompt', { message: '/change' });
      await host.prompt('two');
      for (const { headers, body } of llm.requests) {
        sent.push([
          body['model'],
          headers['authorization'],
          headers['x-api-key'],
          headers['x-a'],
          headers['x-b'],
          headers['x-c'],
          headers['x-d'],
          headers['x-e'],
          body['temperature'],
        ]);
      }
      return sent;
    },
  },
  'a whole provider, given to the registry of models': {
    code: `
      const whole = { id: 'whole', name: 'Whole', auth: { apiKey: { name: 'Key', resolve: async () => ({ auth: { apiKey: 'k' } }) } },
        getModels: () => [{ id: 'w', name: 'W', api: 'own', provider: 'whole', baseUrl: 'http://x', reasoning: false, input: ['text'], cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 }, contextWindow: 10, maxTokens: 5 }],
        stream: () => { throw new Error('unused'); }, streamSimple: () => { throw new Error('unused'); } };
      probe(async (args, { modelRegistry: models }) => {
        models.registerProvider(whole);
        note(models.find('whole', 'w')?.name, models.getRegisteredNativeProvider('whole') === whole, models.getRegisteredProviderIds().includes('whole'));
        models.unregisterProvider('whole');
        note(models.find('whole', 'w') === undefined, models.getRegisteredProviderIds().includes('whole'));
      });`,
  },
  'a provider with a stream of its own': {
    code: `
      const cost = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 };
      pi.registerProvider('own', { baseUrl: 'http://x', apiKey: 'k', api: 'own-api', models: [{ id: 'o', name: 'O', reasoning: true, input: ['text'], cost, contextWindow: 1000, maxTokens: 100 }],
        streamSimple(model, context, options) {
          note(Object.keys(context).sort(), context.messages.map(({ role }) => role), getCurrentSystemPrompt(context.messages).length > 10, getCurrentTools(context.messages).map(({ name }) => name).slice(0, 2), Object.keys(collapseSystemMessages(context)).sort());
          note(['onPayload', 'onResponse', 'onProviderStreamEvent', 'apiKey', 'reasoning', 'sessionId', 'signal'].map(name => [name, typeof options[name]]), options.apiKey, options.reasoning);
          const stream = createAssistantMessageEventStream();
          (async () => {
            const payload = await options.onPayload({ raw: 1 }, model); note('payload', payload);
            await options.onResponse({ status: 201, headers: { a: 'b' } }, model);
            await options.onProviderStreamEvent?.({ piece: 1 }, model);
            const message = { role: 'assistant', content: [{ type: 'text', text: 'mine' }], api: model.api, provider: model.provider, model: model.id, usage: { input: 1, output: 1, cacheRead: 0, cacheWrite: 0, totalTokens: 2, cost: { ...cost, total: 0 } }, stopReason: 'stop', timestamp: 1 };
            stream.push({ type: 'start', partial: message }); stream.push({ type: 'done', reason: 'stop', message }); stream.end(message);
          })();
          return stream;
        } });
      pi.on('before_provider_request', event => ({ ...event.payload, more: 2 }));
      pi.on('before_provider_headers', event => note('headers', event.headers));
      pi.on('after_provider_response', event => note('response', event.status, event.headers));
      pi.on('provider_stream_event', event => note('piece', event.provider, event.api, event.model, event.data));
      pi.on('message_end', event => event.message.role === 'assistant' && note('answer', event.message.content));
      probe(async (args, { modelRegistry }) => { note(await pi.setModel(modelRegistry.find('own', 'o'))); });`,
    act: async ({ host }) => {
      await host.ask('prompt', { message: '/probe' });
      await host.prompt('go');
    },
  },
  'a provider that looks for its models': {
    code: `
      const cost = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 };
      const model = id => ({ id, name: id, reasoning: false, input: ['text'], cost, contextWindow: 1000, maxTokens: 100 });
      let n = 0, fails = false; const seen = [];
      pi.registerProvider('found', { baseUrl: 'http://x', apiKey: 'k', api: 'anthropic-messages', models: [model('first')], refreshModels: async context => { n++; seen.push([['baseUrl', 'credential', 'force', 'publish', 'signal', 'stored'].filter(name => name in context && (name !== 'credential' || context.allowNetwork)), context.force]); if (fails) throw new Error('no net'); return [model('found')]; } });
      probe(async (args, { modelRegistry: models }) => {
        const ids = () => models.getAll().filter(({ provider }) => provider === 'found').map(({ id }) => id);
        const r = await models.refresh({ force: true }); note(seen.at(-1)[0].filter(name => name !== 'credential' && name !== 'stored'), ids(), r.aborted, [...r.errors.keys()]);
        fails = true; const r2 = await models.refresh(); note([...r2.errors].map(([k, e]) => [k, /no net/.test(e.message)]));
      });`,
  },
  'the tree': {
    code: `
      for (const name of ['session_before_tree', 'session_tree']) pi.on(name, (event, ctx) => note(name, event.preparation && [event.preparation.entriesToSummarize.length, event.preparation.userWantsSummary, event.preparation.customInstructions, event.preparation.replaceInstructions, event.preparation.label, event.preparation.targetId === target, event.preparation.oldLeafId === old], event.signal instanceof AbortSignal, event.summaryEntry && [event.summaryEntry.summary.split('\\n').at(-1), event.summaryEntry.fromHook, event.summaryEntry.details, event.summaryEntry.usage?.input], event.fromExtension, event.newLeafId === ctx.sessionManager.getLeafId(), event.oldLeafId === old));
      let target, old, n = 0;
      pi.on('session_before_tree', event => { n++; if (n === 1) return { cancel: true }; if (n === 2) return { summary: { summary: 'made by a handler', details: { d: 1 }, usage: { input: 5, output: 1, cacheRead: 0, cacheWrite: 0, totalTokens: 6, cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 } } }, label: 'lab' }; if (n === 3) return { customInstructions: 'other words', replaceInstructions: true }; });
      probe(async (args, ctx) => {
        const s = ctx.sessionManager;
        for (const round of [1, 2, 3, 4]) {
          const users = s.getEntries().filter(entry => entry.message?.role === 'user');
          target = users[round % 2].id; old = s.getLeafId();
          note(await fate(() => ctx.navigateTree(target, { summarize: round > 1, customInstructions: 'mine' })), s.getLeafEntry().type, s.getLabel(s.getLeafId()));
        }
      });`,
    act: async stage => {
      for (const t of ['a', 'b', 'c']) await stage.host.prompt(t);
      const from = stage.llm.requests.length;
      await stage.host.ask('prompt', { message: '/probe' });
      return stage.llm.requests
        .slice(from)
        .map(({ body }) => [JSON.stringify(body).includes('other words'), JSON.stringify(body).includes('mine')]);
    },
  },
  'a reload that a tool asks for': {
    code: `
      let wanted = false;
      tool('again', {}, async () => { wanted = true; return { content: [{ type: 'text', text: 'soon' }], details: undefined, terminate: true }; });
      pi.registerCommand('renew', { handler: async (args, ctx) => { note('renew'); await ctx.reload(); } });
      pi.on('agent_settled', () => { note('settled'); if (wanted) { wanted = false; pi.sendUserMessage('/renew', { expandPromptTemplates: true }); } });
      for (const name of ['session_shutdown', 'session_start', 'resources_discover']) pi.on(name, event => note(name, event.reason));
      note('factory');`,
    act: async stage => {
      await prompt(call('again'))(stage);
      const notes = join(stage.place.root, 'notes.jsonl');
      await until(() => readFileSync(notes, 'utf8').includes('["resources_discover","reload"]'), 'the reload');
      return stage.llm.requests.length;
    },
  },
  'what commands and tools find in the environment': {
    code: `
      const own = createBashTool(process.cwd(), { exposeSessionEnvironment: true, spawnHook: c => { note('hook', Object.keys(c).sort(), c.env.PI_MODEL, typeof c.env.PI_SESSION_ID); return { ...c, env: { ...c.env, MINE: 'yes' } }; } });
      pi.registerTool({ ...own, name: 'own', label: 'own' });
      pi.on('tool_result', event => note(event.toolName, event.content[0].text.replace(/=.*(-|[/]).*/g, '=x')));`,
    act: prompt(
      call('bash', {
        command: "env | grep -E '^(PI_(SESSION|PROVIDER|MODEL|REASONING|CODING_AGENT=)|AI_AGENT)' | sort",
      }),
      call('own', { command: "env | grep -E '^(PI_(SESSION|PROVIDER|MODEL|REASONING)|MINE)' | sort" }),
      { text: 'done' },
    ),
  },
  'boundaries that are wrong': {
    code: `
      pi.on('agent_settled', (event, ctx) => note(ctx.sessionManager.getEntries().map(({ type }) => type)));
      let n = 0;
      const bad = [{ entries: [{ type: 'context_edit', targetId: 'nope', replacement: null }] }, { entries: [{ type: 'context_edit', targetId: 'X', replacement: { content: 5 } }] }];
      pi.on('turn_end', event => { const b = bad[n++]; if (b?.entries?.[0]?.targetId === 'X') b.entries[0].targetId = event.messageEntryId; return b; });
      pi.on('message_end', event => event.message.role === 'assistant' && n === 2 ? { message: { ...event.message, role: 'user' } } : undefined);`,
    act: async stage => {
      for (const t of ['a', 'b', 'c']) await stage.host.prompt(t);
    },
  },
  'a growing answer': {
    code: `
      pi.on('message_update', event => note(event.assistantMessageEvent.type, event.message.content.map(({ type }) => type), event.assistantMessageEvent.partial !== undefined));
      pi.on('message_start', event => note('start', event.message.role, event.message.stopReason));`,
    act: async stage => {
      await prompt({ text: 'x' })(stage);
    },
  },
  'MCP servers': {
    code: `
      pi.on('mcp_servers_change', event => note('change', event.servers.map(({ name }) => name)));
      pi.registerMcpServer('early', { command: 'node', args: ['-e', ''], enabled: false });
      probe(async () => {
        note(pi.getMcpServers().map(({ name, config }) => [name, config.command]));
        pi.registerMcpServer('late', { url: 'http://127.0.0.1:9/mcp', enabled: false }); note(pi.getMcpServers().map(({ name }) => name));
        for (const [name, config] of [['bad name', { url: 'http://x' }], ['none', {}]]) note((await fate(() => pi.registerMcpServer(name, config)))?.slice(0, 6));
        pi.unregisterMcpServer('early'); pi.unregisterMcpServer('nobody'); note(pi.getMcpServers().map(({ name }) => name));
      });`,
  },
  trust: {
    code: `
      pi.on('project_trust', (event, ctx) => { note(event, ['select', 'confirm', 'input', 'notify'].map(name => typeof ctx.ui[name]), ctx.mode, ctx.hasUI, ctx.cwd === process.cwd()); return { trusted: 'undecided' }; });
      pi.on('project_trust', () => ({ trusted: 'yes' }));
      pi.on('project_trust', () => { note('not asked'); return { trusted: 'no' }; });
      probe(async (args, ctx) => note(ctx.isProjectTrusted(), pi.getCommands().filter(({ name }) => name === 'theirs').length));`,
    files: { 'work/.pi/prompts/theirs.md': 'Theirs', 'work/.pi/settings.json': '{}' },
  },
  'the bus, and models one after the other': {
    code: `
      const off = pi.events.on('x', data => note('bus', data)); pi.events.emit('x', { a: 1 }); off(); pi.events.emit('x', 2);
      pi.on('model_select', event => note(event.source, event.model.id, event.previousModel?.id));
      pi.on('thinking_level_select', event => note('level', event.level));
      `,
    act: async ({ host }) => {
      await host.ask('cycle_model');
      await host.ask('cycle_thinking_level');
      await host.ask('set_model', { provider: 'scripted', modelId: 'one' });
    },
  },
  'templates and skills of a text': {
    code: `
      pi.on('input', event => note(event.text));
      pi.on('before_agent_start', event => note(event.prompt.replace(/location="[^"]*"|References are relative to .*/g, 'x'), event.images));
      pi.on('resources_discover', event => { note(event); return { skillPaths: [process.cwd() + '/more-skills'], promptPaths: [process.cwd() + '/more/extra.md'], themePaths: [] }; });
      probe(async () => note(pi.getCommands().filter(({ source }) => source !== 'extension').map(({ name, description, source }) => [name, description, source])));`,
    files: {
      'agent/prompts/review.md': '---\ndescription: Review it\nargument-hint: "<what>"\n---\nReview $1 and ${2:-all}.',
      'work/more/extra.md': 'Extra $@',
      'work/more-skills/tidy/SKILL.md': '---\nname: tidy\ndescription: Tidies up\n---\nTidy.',
    },
    act: async ({ host }) => {
      await host.ask('prompt', { message: '/probe' });
      for (const t of ['/review "a b"', '/extra x y', '/skill:tidy now', '/nothing']) await host.prompt(t);
    },
  },
  'edit, as the model, hooks and callers of its factory use it': {
    code: `
      const own = createEditTool(process.cwd());
      const run = async args => { const told = await fate(() => own.execute('id', args)); return typeof told === 'string' ? told : [told.content, told.details.diff]; };
      pi.on('tool_call', event => note(event.input));
      pi.on('tool_result', event => note(event.isError, event.content[0].text, event.details?.diff, event.details?.firstChangedLine));
      probe(async () => {
        note(await run({ path: 'a.txt', edits: [{ oldText: 'own', newText: 'mine' }] }), await run({ path: 'missing.txt', edits: [{ oldText: 'a', newText: 'b' }] }), await run({ path: 'a.txt', edits: [{ oldText: 'nowhere', newText: 'b' }] }), await run({ path: 'a.txt', edits: [{ oldText: 'two', newText: 'b' }] }));
        note(pi.getAllTools().find(({ name }) => name === 'edit').parameters.required, Object.keys(pi.getAllTools().find(({ name }) => name === 'edit').parameters.properties));
      });`,
    files: { 'work/a.txt': 'one\ntwo\ntwo\nown\n' },
    act: async stage => {
      const edits = (...pairs: readonly (readonly [string, string])[]) => ({
        path: 'a.txt',
        edits: pairs.map(([oldText, newText]) => ({ oldText, newText })),
      });
      await prompt(
        call('edit', edits(['one', 'eins'], ['own', 'eigen'])),
        call('edit', edits(['gone', 'x'])),
        call('edit', { path: 'no.txt', edits: [{ oldText: 'a', newText: 'b' }] }),
        { text: 'done' },
      )(stage);
      stage.place.file('work/a.txt', 'one\ntwo\ntwo\nown\n');
      await stage.host.ask('prompt', { message: '/probe' });
    },
  },
  'a start that fails': {
    code: `
      pi.on('session_start', () => { throw new Error('bad start'); });
      pi.on('session_start', event => note(event.reason));
      pi.on('resources_discover', () => { throw new Error('bad resources'); });`,
  },
  'values of the package': {
    code: `probe(async () => {
      note(parseFrontmatter('---\\r\\na: 1\\r\\nb: [x]\\r\\n---\\r\\nbody\\r\\nend'), await fate(() => parseFrontmatter('---\\na: [\\n---\\nb')) instanceof Object, stripFrontmatter('---\\na: 1\\n---\\nbody'), parseFrontmatter('none'));
      note(formatSize(1), formatSize(2048), formatSize(5e6), DEFAULT_MAX_BYTES, DEFAULT_MAX_LINES, VERSION, CONFIG_DIR_NAME);
      note(truncateHead('a\\nb\\nc', { maxLines: 2 }), truncateTail('a\\nb\\nc', { maxLines: 2 }), truncateLine('abcdef', 3));
      note(['a.ts', 'b.py', 'c.unknown', 'Dockerfile', 'd.json'].map(getLanguageFromPath));
      note(generateDiffString('a\\nb\\nc', 'a\\nB\\nc'), formatReadLineRange({ offset: 3, limit: 4 }), formatReadLineRange({}));
      note(estimateTokens({ role: 'user', content: 'x'.repeat(40), timestamp: 1 }), calculateContextTokens({ input: 1, output: 2, cacheRead: 3, cacheWrite: 4, totalTokens: 0 }), shouldCompact(90, 100, { enabled: true, reserveTokens: 20, keepRecentTokens: 1 }), DEFAULT_COMPACTION_SETTINGS);
      note(isToolCallEventType('powershell', { toolName: 'powershell' }), isPowerShellToolResult({ toolName: 'powershell' }), isPowerShellToolResult({ toolName: 'bash' }), isBashToolResult({ toolName: 'bash' }));
      note(convertToLlm([{ role: 'custom', customType: 'x', content: 'hi', display: true, timestamp: 1 }, { role: 'user', content: 'u', timestamp: 2 }, { role: 'bashExecution', command: 'ls', output: 'o', exitCode: 0, cancelled: false, truncated: false, timestamp: 3 }]));
      note(serializeConversation([{ role: 'user', content: 'u', timestamp: 2 }, { role: 'assistant', content: [{ type: 'text', text: 'a' }], timestamp: 3 }]));
      note(['Read', 'Bash', 'Edit', 'Write', 'Grep', 'Find', 'Ls'].map(name => { const made = sdk['create' + name + 'ToolDefinition'](process.cwd()); return [made.name, typeof made.promptSnippet, Array.isArray(made.promptGuidelines), typeof made.execute]; }), createCodingTools(process.cwd()).map(({ name }) => name), createReadOnlyTools(process.cwd()).map(({ name }) => name));
      const bus = createEventBus(); bus.on('a', data => note('bus', data)); bus.emit('a', 1);
    });`,
  },
  'moves that a handler cancels': {
    code: `
      for (const name of ['session_before_switch', 'session_before_fork']) pi.on(name, event => { note(name, event.reason, event.position, typeof event.targetSessionFile, typeof event.entryId); return { cancel: true }; });
      for (const name of ['session_shutdown', 'session_start']) pi.on(name, event => note(name, event.reason));
      probe(async (args, ctx) => {
        const user = ctx.sessionManager.getEntries().find(entry => entry.message?.role === 'user').id;
        const file = ctx.sessionManager.getSessionFile(), other = file.replace('.jsonl', '-other.jsonl'); copyFileSync(file, other);
        note(await ctx.newSession(), await ctx.fork(user), await ctx.fork(user, { position: 'at' }), await ctx.switchSession(other));
        await ctx.waitForIdle(); note(ctx.isIdle());
      });`,
    act: async ({ host }) => {
      await host.prompt('go');
      await host.ask('prompt', { message: '/probe' });
      return (await host.ask('new_session'))['data'];
    },
  },
  'a prompt with an image': {
    code: `pi.on('before_agent_start', event => note(event.messageType, event.prompt, event.images?.length ?? 0)); pi.on('input', event => { note(event.images?.length); return { action: 'transform', text: 'other', images: [] }; });`,
    act: async ({ host }) => {
      const from = host.messages.length;
      const data = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==';
      await host.data('prompt', { message: 'look', images: [{ type: 'image', data, mimeType: 'image/png' }] });
      await host.event('agent_settled', from);
    },
  },
  'what a theme draws': {
    code: `probe(async (args, { ui: { theme } }) => {
      const plain = text => text.replace(/\\x1b\\[[\\d;]*m/g, '');
      note(plain(theme.style('x', { fg: 'accent', bg: 'selectedBg', bold: true, italic: true })), plain(theme.fg('error', 'y')), plain(theme.bold('z')));
      note(await fate(() => theme.fg('nothing', 'x')) === 'x', ['dark', 'light'].includes(theme.appearance), theme.colors.accent.kind !== undefined);
    });`,
  },
  exec: {
    code: `probe(async () => {
      note(await pi.exec('sh', ['-c', 'echo out; echo err >&2; exit 3']));
      note(await pi.exec('sh', ['-c', 'pwd'], { cwd: '/' }));
      const { stdout, ...rest } = await pi.exec('sh', ['-c', 'sleep 20'], { timeout: 50 }); note(rest.killed, rest.truncated);
      note(await pi.exec('no-such-program', []));
      for (const maxBuffer of [-1, 1.5, NaN, 1e12]) note(await fate(() => pi.exec('sh', ['-c', 'true'], { maxBuffer })));
      const stopped = await pi.exec('sh', ['-c', 'sleep 20'], { signal: AbortSignal.timeout(50) }); note(stopped.killed);
    });`,
  },
};
