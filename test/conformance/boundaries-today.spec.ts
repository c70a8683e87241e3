import assert from 'node:assert/strict';
import type { AgentMessage, Message } from '../../src/agent/messages';
import type { SessionEvent } from '../../src/session/ports/session-events';
import { Rig, until } from '../support/conversation-rig';
import type { Script } from '../support/scripted-stream';
import { call } from './support';

type Texts = readonly (readonly [role: string, text: string])[];

/** What files of today's pi make of messages, turns and requests (docs/dialects.md, Today's pi). */
describe("boundaries of today's pi", () => {
  let rig: Rig;
  let heard: SessionEvent[];
  let failures: string[];

  afterEach(() => rig.close());

  async function open(
    code: string,
    script: readonly Script[],
    from = '@earendil-works/pi-coding-agent',
  ): Promise<void> {
    const text = `import type { ExtensionAPI } from '${from}';
      export default (pi: ExtensionAPI) => { ${code} };`;
    rig = await Rig.open(script, { extensions: { 'today.ts': text } });
    heard = [];
    failures = [];
    rig.host.onError(({ message }) => failures.push(message));
    rig.conversation.onDidHappen(event => heard.push(event));
  }
  const notices = (): string[] => rig.items('notice').map(({ text }) => text);
  const errors = (): readonly string[] => failures;
  const sent = (request = -1): Texts =>
    rig.model.requests.at(request)!.messages.map(message => [message.role, textOf(message)] as const);
  const stored = (): Texts =>
    rig.conversation.store.getEntries().flatMap(entry => {
      const { message } = entry as { readonly message?: AgentMessage };
      return message === undefined || message.role === 'system' ? [] : [[message.role, textOf(message)] as const];
    });

  describe('message_end', () => {
    const SHOUT = `const loud = (message: any) => ({ ...message, content: message.content.map((part: any) =>
      part.type === 'text' ? { ...part, text: part.text.toUpperCase() } : part) });
      pi.on('message_end', ({ message }) => message.role === 'system' ? undefined : { message: loud(message) });
      pi.on('message_end', ({ message }: any) => message.role !== 'user' ? undefined :
        { message: { ...message, content: [{ type: 'text', text: message.content[0].text + '!' }] } });`;

    it('replaces what is stored, shown and sent, one handler after the other', async () => {
      await open(SHOUT, [call('bash', { command: 'echo quiet' }), { text: 'done' }]);
      await rig.chat.submit('go');
      assert.deepEqual(stored(), [
        ['user', 'GO!'],
        ['assistant', ''],
        ['toolResult', 'QUIET\n'],
        ['assistant', 'DONE'],
      ]);
      assert.deepEqual(sent(), [
        ['user', 'GO!'],
        ['assistant', ''],
        ['toolResult', 'QUIET\n'],
      ]);
      assert.deepEqual(
        rig.items('user').map(({ text }) => text),
        ['GO!'],
      );
      assert.deepEqual(
        rig
          .items('assistant')
          .at(-1)
          ?.blocks.map(({ text }) => text),
        ['DONE'],
      );
      const ended = heard.flatMap(event => (event.type === 'message_end' ? [textOf(event.message)] : []));
      assert.ok(ended.includes('DONE') && ended.includes('GO!'));
    });

    it('keeps a message of another role, of a throw and of no shape, and says who it was', async () => {
      await open(
        `pi.on('message_end', ({ message }) => ({ message: { ...message, role: 'custom' } as any }));
         pi.on('message_end', () => { throw new Error('cannot'); });
         pi.on('message_end', ({ message }) => message.role === 'assistant' ? { message: { role: 'assistant', content: 'text' } as any } : undefined);`,
        [{ text: 'done' }],
      );
      await rig.chat.submit('go');
      assert.deepEqual(stored(), [
        ['user', 'go'],
        ['assistant', 'done'],
      ]);
      const told = errors();
      assert.ok(told.includes('message_end handlers must return a message with the same role'));
      assert.ok(told.includes('cannot'));
      assert.ok(told.some(text => text.includes('"message" is not a complete message of the role "assistant"')));
    });

    it('may take a call out of an answer: it does not run, and its card says so', async () => {
      await open(
        `pi.on('message_end', ({ message }: any) => message.role !== 'assistant' ? undefined :
          { message: { ...message, content: [{ type: 'text', text: 'no tools today' }] } });`,
        [call('bash', { command: 'touch ran' })],
      );
      await rig.chat.submit('go');
      assert.deepEqual(stored(), [
        ['user', 'go'],
        ['assistant', 'no tools today'],
      ]);
      assert.deepEqual(
        rig.items('tool').map(({ state }) => state.type),
        ['skipped'],
      );
    });

    it('gives content to a message that was returned without any', async () => {
      await open(
        `pi.on('message_end', ({ message }: any) => message.role === 'user' ? { message: { role: 'user', content: null } } : undefined);`,
        [{ text: 'done' }],
      );
      await rig.chat.submit('go');
      assert.deepEqual(stored()[0], ['user', '']);
    });
  });

  describe('turn_end', () => {
    it('tells where the messages are stored, how the turn ended and what would be sent next', async () => {
      await open(
        `pi.on('turn_end', (event, ctx) => {
          const stored = ctx.sessionManager.getEntry(event.messageEntryId) as any;
          const { context } = event;
          ctx.ui.notify(JSON.stringify([stored.message.role, event.toolResultEntryIds.length, event.outcome, event.continue,
            event.entries, context.canContinue, context.llmMessages.map(m => m.role).join(), context.contextEntries.length > 3]));
        });`,
        [call('bash', { command: 'true' }), { text: 'done' }],
      );
      await rig.chat.submit('go');
      assert.deepEqual(
        notices().map(text => JSON.parse(text) as unknown),
        [
          ['assistant', 1, 'completed', false, [], true, 'system,user,assistant,toolResult', true],
          ['assistant', 0, 'completed', false, [], false, 'system,user,assistant,toolResult,assistant', true],
        ],
      );
    });

    it('adds entries of every kind, which handlers propose one after the other, and one request', async () => {
      await open(
        `let asked = false;
        pi.on('turn_end', event => asked ? undefined : { entries: [
          { type: 'custom', customType: 'state', data: { step: 1 } },
          { type: 'context_edit', targetId: event.messageEntryId, replacement: { content: 'shorter' } },
        ] });
        pi.on('turn_end', (event, ctx) => {
          if (asked) return;
          asked = true;
          ctx.ui.notify(event.context.llmMessages.map((m: any) => m.role + ':' + (m.content[0]?.text ?? '')).join(' '));
          return { entries: [...event.entries, { type: 'custom_message', customType: 'note', content: 'go on', display: true }], continue: true };
        });`,
        [{ text: 'a long answer' }, { text: 'more' }],
      );
      await rig.chat.submit('go');
      assert.deepEqual(notices(), ['system: user:go assistant:shorter']);
      assert.deepEqual(sent(), [
        ['user', 'go'],
        ['assistant', 'shorter'],
        ['user', 'go on'],
      ]);
      assert.equal(rig.model.requests.length, 2);
      const added = heard.flatMap(event => (event.type === 'entry_appended' ? [event.entry.type] : []));
      assert.deepEqual(added, ['custom', 'context_edit', 'custom_message']);
      assert.deepEqual(
        rig.items('custom').map(({ text }) => text),
        ['go on'],
      );
    });

    it('summarizes what came before', async () => {
      await open(
        `let done = false;
        pi.on('turn_end', event => {
          if (done) return;
          done = true;
          return { entries: [{ type: 'compaction', summary: 'all of it', firstKeptEntryId: event.messageEntryId }] };
        });`,
        [{ text: 'one' }, { text: 'two' }],
      );
      await rig.chat.submit('go');
      await rig.chat.submit('again');
      assert.deepEqual(
        rig.conversation.run.agent.messages.map(({ role }) => role),
        ['system', 'compactionSummary', 'assistant', 'user', 'assistant'],
      );
      assert.match(notices().join(), /summarized/);
      assert.equal(sent().length, 3);
      assert.ok(sent()[0]?.[1].includes('all of it'));
    });

    it('writes nothing of a proposal that is wrong anywhere, nor goes on by it', async () => {
      await open(
        `pi.on('turn_end', event => ({ continue: true, entries: [
          { type: 'custom', customType: 'fine' },
          { type: 'context_edit', targetId: event.messageEntryId, replacement: { content: 5 } as any },
        ] }));`,
        [{ text: 'done' }],
      );
      await rig.chat.submit('go');
      assert.deepEqual(errors(), [
        'Invalid boundary entries: Context edit replacement must be null or contain string/array content',
      ]);
      assert.equal(rig.model.requests.length, 1);
      assert.ok(!rig.conversation.store.getEntries().some(({ type }) => type === 'custom'));
    });

    it('takes a wrong proposal that a later handler mends', async () => {
      await open(
        `pi.on('turn_end', () => ({ entries: [{ type: 'nonsense' } as any] }));
         pi.on('turn_end', () => ({ entries: [{ type: 'custom', customType: 'mended' }] }));`,
        [{ text: 'done' }],
      );
      await rig.chat.submit('go');
      assert.equal(errors().length, 1);
      assert.equal(rig.conversation.store.getEntries().filter(({ type }) => type === 'custom').length, 1);
    });

    it('does not go on where nothing is left to answer, nor after an error', async () => {
      await open(`pi.on('turn_end', () => ({ continue: true }));`, [
        { text: 'done' },
        { stopReason: 'error', errorMessage: '400 no' },
      ]);
      await rig.chat.submit('go');
      assert.equal(rig.model.requests.length, 1);
      assert.deepEqual(errors(), ['turn_end requested continuation without runnable model context']);
      await rig.chat.submit('again');
      assert.equal(rig.model.requests.length, 2);
    });

    it('counts one request alone where tools cause it anyway', async () => {
      await open(
        `let first = true; pi.on('turn_end', () => { const go = first; first = false; return { continue: go }; });`,
        [call('bash', { command: 'true' }), { text: 'done' }],
      );
      await rig.chat.submit('go');
      assert.equal(rig.model.requests.length, 2);
    });

    it('is no matter of older files, which are told as before', async () => {
      await open(
        `pi.on('turn_end', (event: any, ctx) => { ctx.ui.notify(Object.keys(event).join()); return { continue: true, entries: [5] }; });`,
        [{ text: 'done' }],
        '@mariozechner/pi-coding-agent',
      );
      await rig.chat.submit('go');
      assert.deepEqual(notices(), ['type,turnIndex,message,toolResults']);
      assert.deepEqual([rig.model.requests.length, errors()], [1, []]);
    });
  });

  describe('agent_before_settle', () => {
    const ONCE = `let asked = 0;
      pi.on('agent_before_settle', (event, ctx) => {
        ctx.ui.notify([event.outcome, ctx.isIdle(), event.context.canContinue].join(' '));
        if (asked++ > 0) return;
        return { entries: [{ type: 'custom_message', customType: 'note', content: 'one more', display: false }], continue: true };
      });
      pi.on('agent_settled', (_event, ctx) => ctx.ui.notify('settled'));`;

    it('asks for one more request before all is over', async () => {
      await open(ONCE, [{ text: 'done' }, { text: 'really' }]);
      await rig.chat.submit('go');
      await until(() => (notices().includes('settled') ? true : undefined), 'the end');
      assert.deepEqual(notices(), ['completed false false', 'completed false false', 'settled']);
      assert.deepEqual(sent().at(-1), ['user', 'one more']);
    });

    it('comes after an error and not after a stop', async () => {
      await open(`pi.on('agent_before_settle', (event, ctx) => ctx.ui.notify(event.outcome));`, [
        { stopReason: 'error', errorMessage: '400 no' },
        'hang',
      ]);
      await rig.chat.submit('go');
      assert.deepEqual(
        rig.items('notice').flatMap(({ text, hook }) => (hook === undefined ? [] : [text])),
        ['error'],
      );
      const sending = rig.chat.submit('again');
      await until(() => (rig.model.requests.length > 1 ? true : undefined), 'the request');
      await rig.conversation.run.stop();
      await sending;
      assert.equal(notices().filter(text => text === 'error').length, 1);
    });

    it('keeps the entries and not the request when it is stopped meanwhile', async () => {
      await open(
        `pi.on('agent_before_settle', () => ({ entries: [{ type: 'custom', customType: 'kept' }, { type: 'custom_message', customType: 'note', content: 'one more', display: false }], continue: true }));
         pi.on('agent_before_settle', (_event, ctx) => { ctx.abort(); });`,
        [{ text: 'done' }],
      );
      await rig.chat.submit('go');
      assert.equal(rig.model.requests.length, 1);
      assert.ok(rig.conversation.store.getEntries().some(({ type }) => type === 'custom'));
    });
  });

  describe('context_with_system', () => {
    it('gets the conversation with prompt and tools, and what it returns is sent', async () => {
      await open(
        `pi.on('context', ({ messages }, ctx) => ctx.ui.notify(messages.map(m => m.role).join()));
         pi.on('context_with_system', ({ messages }: any, ctx) => {
           ctx.ui.notify(messages.map((m: any) => m.role).join());
           const [head, ...rest] = messages;
           return { messages: [{ ...head, sections: { ...head.sections, extra: 'be brief' },
             toolsAdded: head.toolsAdded.filter((tool: any) => tool.name === 'read') }, ...rest] };
         });`,
        [{ text: 'done' }],
      );
      await rig.chat.submit('go');
      assert.deepEqual(notices(), ['user', 'system,user']);
      const [request] = rig.model.requests;
      assert.equal(request?.systemPrompt, 'base prompt\n\nbe brief');
      assert.deepEqual(
        request.tools?.map(({ name }) => name),
        ['read'],
      );
    });

    it('changes nothing of prompt and tools when nobody changes them', async () => {
      await open(
        `pi.on('context', ({ messages }) => ({ messages: messages.slice(-1) }));
         pi.on('context_with_system', () => undefined);`,
        [{ text: 'done' }, { text: 'done' }],
      );
      await rig.chat.submit('go');
      await rig.chat.submit('again');
      assert.equal(rig.model.requests.at(-1)?.systemPrompt, 'base prompt');
      assert.ok((rig.model.requests.at(-1)?.tools?.length ?? 0) > 3);
      assert.deepEqual(sent(), [['user', 'again']]);
    });

    it('says who lost the leading system message, and sends what is left', async () => {
      await open(
        `pi.on('context_with_system', ({ messages }) => ({ messages: messages.filter(m => m.role !== 'system') }));`,
        [{ text: 'done' }],
      );
      await rig.chat.submit('go');
      assert.match(errors().join(), /lost the leading system message/);
      assert.deepEqual([rig.model.requests[0]?.systemPrompt, rig.model.requests[0]?.tools], ['', []]);
      assert.deepEqual(sent(), [['user', 'go']]);
    });
  });
});

function textOf(message: AgentMessage | Message): string {
  const content: unknown = 'content' in message ? message.content : '';
  if (typeof content === 'string') return content;
  return (content as readonly { readonly text?: string }[]).map(({ text = '' }) => text).join('');
}
