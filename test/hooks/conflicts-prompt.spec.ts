/* eslint-disable @typescript-eslint/no-unsafe-call, @typescript-eslint/no-unsafe-member-access, @typescript-eslint/no-unsafe-return, @typescript-eslint/no-unsafe-assignment, @typescript-eslint/no-unsafe-argument -- hooks are foreign code: they take what they are handed, and throw what they like */
import assert from 'node:assert/strict';
import type { AgentMessage } from '../../src/agent/messages';
import type { DialectId } from '../../src/hooks/hook';
import { hook, hostWith, until, type Factory, type Foreign, type InlineHook } from '../support/hook-host';

const ALL: readonly DialectId[] = ['v1', 'v2', 'tree', 'omp', 'ext'];
const user = (content: string): AgentMessage => ({ role: 'user', content, timestamp: 1 });
const custom = (content: string): AgentMessage => ({
  role: 'custom',
  customType: 'note',
  content,
  display: true,
  timestamp: 1,
});
const onContext =
  (answer: (event: Foreign, ctx: Foreign) => unknown): Factory =>
  pi =>
    pi.on('context', answer);

async function context(hooks: readonly InlineHook[], messages: AgentMessage[], entryIds: (string | null)[] = []) {
  const host = await hostWith(hooks);
  for (const message of messages) host.conversation.session.add('message', { message });
  const ids = entryIds.length > 0 ? entryIds : messages.map((_, at) => `e${String(at + 1)}`);
  const result = await host.emit({ type: 'context', messages, entryIds: ids });
  return {
    host,
    messages: result.messages,
    texts: result.messages.map(message => ('content' in message ? message.content : '')),
  };
}

describe('conflicts over messages and prompts', () => {
  describe('C15 context', () => {
    it('gives v2 files wrapped messages with the index of their entry, and takes them back', async () => {
      let got: Foreign;
      const { texts } = await context(
        [
          hook(
            'v2',
            onContext(event => {
              got = event;
              return { messages: [...event.messages.slice(1), { message: user('made up'), entryIndex: null }] };
            }),
          ),
        ],
        [user('a'), user('b'), user('hook made')],
        ['e1', 'e2', null],
      );
      assert.deepEqual(
        got.messages.map((one: Foreign) => [one.message.content, one.entryIndex]),
        [
          ['a', 1],
          ['b', 2],
          ['hook made', null],
        ],
      );
      assert.equal(got.entries[0].type, 'session');
      assert.deepEqual(texts, ['b', 'hook made', 'made up']);
    });

    it('serves hooks of either shape without knowing their dialect', async () => {
      const byMessage: InlineHook = {
        dialect: 'tree',
        factory: onContext(event => ({
          messages: event.messages.filter(
            ({ message, entryIndex }: Foreign) => message.role === 'user' && entryIndex > 1,
          ),
        })),
        text: 'event.messages.filter(({ message, entryIndex }) => entryIndex > 1)',
      };
      const byRole = hook(
        'tree',
        onContext(event => ({ messages: event.messages.filter((one: Foreign) => one.role === 'user') })),
      );
      const { texts } = await context([byMessage, byRole], [user('a'), user('b')]);
      assert.deepEqual(texts, ['b']);
    });

    it('hands on what the hook before made, also when it changed the array in place', async () => {
      const { texts } = await context(
        [
          hook(
            'ext',
            onContext(event => {
              event.messages.push(user('pushed'));
            }),
          ),
          hook(
            'v2',
            onContext(event => {
              event.messages.push({ message: user('wrapped'), entryIndex: null });
            }),
          ),
          hook(
            'omp',
            onContext(event => ({ messages: event.messages.slice(1) })),
          ),
        ],
        [user('a'), user('b')],
      );
      assert.deepEqual(texts, ['b', 'pushed', 'wrapped']);
    });
  });

  for (const dialect of ALL) {
    it(`#38 nothing a ${dialect} hook does to context messages reaches the session`, async () => {
      const original: AgentMessage[] = [
        { role: 'user', content: [{ type: 'text', text: 'a' }], timestamp: 1 },
        {
          role: 'assistant',
          content: [{ type: 'toolCall', id: 't', name: 'bash', arguments: { command: 'ls', deep: { er: [1] } } }],
          api: 'x',
          provider: 'x',
          model: 'x',
          usage: {
            input: 1,
            output: 1,
            cacheRead: 0,
            cacheWrite: 0,
            totalTokens: 2,
            cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 },
          },
          stopReason: 'toolUse',
          timestamp: 2,
        } as AgentMessage,
        {
          role: 'toolResult',
          toolCallId: 't',
          toolName: 'bash',
          content: [],
          details: { truncation: { lines: 1 } },
          isError: false,
          timestamp: 3,
        },
        custom('c'),
      ];
      const before = JSON.stringify(original);
      await context(
        [
          hook(
            dialect,
            onContext(event => {
              for (const given of event.messages) {
                const message = given.role === undefined ? given.message : given;
                if (Array.isArray(message.content)) {
                  for (const part of message.content) {
                    part.text = 'changed';
                    if (part.arguments) {
                      part.arguments.command = 'rm';
                      part.arguments.deep.er.push(2);
                    }
                  }
                  message.content.push({});
                }
                if (message.usage) message.usage.cost.total = 9;
                if (message.details) message.details.truncation.lines = 9;
                message.role = 'user';
              }
              event.messages.length = 0;
            }),
          ),
        ],
        original,
      );
      assert.equal(JSON.stringify(original), before);
    });
  }

  it('#38 messages that no hook reads are passed through as they are', async () => {
    const original = [user('a')];
    const { messages } = await context(
      [
        hook(
          'ext',
          onContext(() => undefined),
        ),
      ],
      original,
    );
    assert.equal(messages, original);
  });

  it('copies are plain: they can be cloned, spread and written', async () => {
    let clone: Foreign;
    await context(
      [
        hook(
          'ext',
          onContext(event => {
            clone = structuredClone(event.messages);
            assert.ok(Array.isArray(event.messages));
            assert.equal(
              JSON.stringify({ ...event }),
              JSON.stringify({ type: 'context', messages: event.messages, entries: event.entries }),
            );
          }),
        ),
      ],
      [user('a')],
    );
    assert.deepEqual(clone, [user('a')]);
  });

  it('#37 no message at all is an answer', async () => {
    assert.deepEqual(
      (
        await context(
          [
            hook(
              'omp',
              onContext(() => ({ messages: [] })),
            ),
          ],
          [user('a')],
        )
      ).texts,
      [],
    );
  });

  it('a list that holds no messages is a problem, and the messages stay', async () => {
    const { host, texts } = await context(
      [
        hook(
          'ext',
          onContext(() => ({ messages: ['text'] })),
        ),
      ],
      [user('a')],
    );
    assert.deepEqual(texts, ['a']);
    assert.match(host.errors[0]?.message ?? '', /"messages" must hold messages/);
  });

  it('a late context handler cannot change the messages of those after it', async () => {
    const host = await hostWith([
      hook('tree', pi =>
        pi.on('context', async (event: Foreign) => {
          const { messages } = event;
          await new Promise(resolve => setTimeout(resolve, 120));
          messages[0].content = 'too late';
        }),
      ),
    ]);
    host.settings.hookTimeout = 20;
    const result = await host.emit({ type: 'context', messages: [user('a')], entryIds: ['e1'] });
    await new Promise(resolve => setTimeout(resolve, 150));
    assert.deepEqual(result.messages, [user('a')]);
    assert.match(host.errors[0]?.message ?? '', /^Hook timed out after 20ms$/);
  });

  it('C20 tree files see hookMessage where all others see custom, and either is taken back', async () => {
    const roles: string[] = [];
    const note = (name: string): Factory =>
      onContext(event => {
        roles.push(`${name} ${String(event.messages[0].role)}`);
      });
    const { messages } = await context(
      [
        hook('ext', note('ext')),
        hook('tree', note('tree')),
        hook('omp', note('omp')),
        hook(
          'tree',
          onContext(event => ({
            messages: [
              ...event.messages,
              { role: 'hookMessage', customType: 'x', content: 'mine', display: true, timestamp: 2 },
            ],
          })),
        ),
        hook(
          'omp',
          onContext(event => ({
            messages: [
              ...event.messages,
              { role: 'hookMessage', customType: 'x', content: 'also', display: true, timestamp: 2 },
            ],
          })),
        ),
      ],
      [custom('c')],
    );
    assert.deepEqual(roles, ['ext custom', 'tree hookMessage', 'omp custom']);
    assert.deepEqual(
      messages.map(message => message.role),
      ['custom', 'custom', 'custom'],
    );
  });

  it('C20 agent_end and turn_end name the role alike', async () => {
    const roles: string[] = [];
    const note = (pi: Foreign): void => {
      pi.on('agent_end', (event: Foreign) => {
        roles.push(event.messages[0].role);
      });
    };
    const host = await hostWith([hook('tree', note), hook('ext', note)]);
    await host.emit({ type: 'agent_end', messages: [custom('c')] });
    assert.deepEqual(roles, ['hookMessage', 'custom']);
  });

  describe('C16 before_agent_start', () => {
    const inject =
      (content: string, more: object = {}): Factory =>
      pi =>
        pi.on('before_agent_start', () => ({ message: { customType: 'x', content, display: true }, ...more }));
    const start = { type: 'before_agent_start', prompt: 'do', systemPrompt: 'base' } as const;

    it('takes all messages of extensions, and the first of all others together', async () => {
      const host = await hostWith([
        hook('tree', inject('tree 1')),
        hook('ext', inject('ext 1')),
        hook('omp', inject('omp 1')),
        hook('ext', inject('ext 2')),
      ]);
      const { messages } = await host.emit(start);
      assert.deepEqual(
        messages.map(message => message.content),
        ['tree 1', 'ext 1', 'ext 2'],
      );
    });

    it('#40 chains the system prompt; an empty one counts as not set; H31 may append', async () => {
      const prompts: string[] = [];
      const chain =
        (answer: (prompt: string) => object): Factory =>
        pi =>
          pi.on('before_agent_start', (event: Foreign) => {
            prompts.push(event.systemPrompt);
            return answer(event.systemPrompt);
          });
      const host = await hostWith([
        hook(
          'ext',
          chain(prompt => ({ systemPrompt: `${prompt}+1` })),
        ),
        hook(
          'ext',
          chain(() => ({ systemPrompt: '' })),
        ),
        hook(
          'omp',
          chain(() => ({ systemPromptAppend: '2' })),
        ),
        hook(
          'v1',
          chain(() => ({})),
        ),
      ]);
      assert.equal((await host.emit(start)).systemPrompt, 'base+1\n\n2');
      assert.deepEqual(prompts, ['base', 'base+1', 'base+1', 'base+1\n\n2']);
    });

    it('D9 tells the prompt, the images and the user message', async () => {
      let got: Foreign;
      const host = await hostWith([
        hook('tree', pi =>
          pi.on('before_agent_start', (event: Foreign) => {
            got = event;
          }),
        ),
      ]);
      await host.emit({ ...start, images: [{ type: 'image', data: 'd', mimeType: 'image/png' }] });
      assert.equal(got.prompt, 'do');
      assert.deepEqual(got.userMessage.content, [
        { type: 'text', text: 'do' },
        { type: 'image', data: 'd', mimeType: 'image/png' },
      ]);
    });

    it('a message without type or content is a problem that names the field', async () => {
      const host = await hostWith([
        hook('ext', pi => pi.on('before_agent_start', () => ({ message: { content: 5 } }))),
      ]);
      assert.deepEqual((await host.emit(start)).messages, []);
      assert.match(host.errors[0]?.message ?? '', /"message": "customType" must be a string/);
    });
  });

  describe('C31 input', () => {
    const onInput =
      (answer: unknown): Factory =>
      pi =>
        pi.on('input', () => answer);
    const input = {
      type: 'input',
      text: 'hi',
      images: [{ type: 'image', data: 'd', mimeType: 'image/png' }],
      source: 'interactive',
    } as const;

    it('#41 takes both shapes of a transform; images stay when left out; later hooks see the text', async () => {
      const seen: string[] = [];
      const host = await hostWith([
        hook('ext', onInput({ action: 'transform', text: 'one' })),
        hook('ext', pi =>
          pi.on('input', (event: Foreign) => {
            seen.push(event.text);
            throw new Error('broken');
          }),
        ),
        hook('omp', onInput({ text: 'two' })),
        hook('ext', onInput({ action: 'continue', text: 'not this' })),
      ]);
      assert.deepEqual(await host.emit(input), { action: 'continue', text: 'two', images: input.images });
      assert.deepEqual(seen, ['one']);
      assert.equal(host.errors.length, 1);
    });
    it('takes both shapes of handled, which ends the dispatch', async () => {
      for (const answer of [{ action: 'handled' }, { handled: true }]) {
        let after = 0;
        const host = await hostWith([
          hook('ext', onInput(answer), '/hooks/h.ts'),
          hook('ext', pi => pi.on('input', () => after++)),
        ]);
        assert.deepEqual(await host.emit(input), { action: 'handled', by: '/hooks/h.ts' });
        assert.equal(after, 0);
      }
    });
  });

  it('before_provider_request: what is returned replaces the payload and chains; numbers by accident do not', async () => {
    const host = await hostWith([
      hook('ext', pi => pi.on('before_provider_request', (event: Foreign) => ({ ...event.payload, a: 1 }))),
      hook('ext', pi => pi.on('before_provider_request', () => 7)),
      hook('ext', pi => pi.on('before_provider_request', (event: Foreign) => ({ ...event.payload, b: 2 }))),
    ]);
    assert.deepEqual(await host.emit({ type: 'before_provider_request', payload: { model: 'm' } }), {
      payload: { model: 'm', a: 1, b: 2 },
    });
    assert.deepEqual(host.outcomes(), [
      '1.ts before_provider_request: returned',
      '2.ts before_provider_request: ignored',
      '3.ts before_provider_request: returned',
    ]);
  });

  it('D23 user_bash: the first answer wins, exec and execute alike', async () => {
    const bash = { type: 'user_bash', command: 'ls', excludeFromContext: false, cwd: '/work' } as const;
    const result = await hostWith([
      hook('ext', pi =>
        pi.on('user_bash', () => ({ result: { output: 'o', exitCode: 0, cancelled: false, truncated: false } })),
      ),
      hook('ext', pi => pi.on('user_bash', () => ({ result: { output: 'late' } }))),
    ]);
    assert.equal((await result.emit(bash))?.result?.output, 'o');
    for (const name of ['exec', 'execute']) {
      const host = await hostWith([
        hook('ext', pi =>
          pi.on('user_bash', () => ({
            operations: { [name]: (command: string) => ({ exitCode: 3, output: `did ${command}` }) },
          })),
        ),
      ]);
      const printed: string[] = [];
      const answer = await host.emit(bash);
      assert.deepEqual(
        await answer?.operations?.exec('ls', '/work', { onData: data => printed.push(data.toString()) }),
        { exitCode: 3 },
      );
      assert.deepEqual(printed, ['did ls']);
    }
  });

  it('resources_discover collects all paths, relative ones beside the hook', async () => {
    const host = await hostWith([
      hook(
        'ext',
        pi => pi.on('resources_discover', () => ({ skillPaths: ['skills'], promptPaths: ['/p.md'] })),
        '/hooks/a/index.ts',
      ),
      hook('ext', pi => pi.on('resources_discover', () => ({ skillPaths: ['/s'], themePaths: 'x' }))),
    ]);
    assert.deepEqual(await host.emit({ type: 'resources_discover', cwd: '/work', reason: 'startup' }), {
      skillPaths: ['/hooks/a/skills', '/s'],
      promptPaths: ['/p.md'],
      themePaths: [],
    });
    assert.match(host.errors[0]?.message ?? '', /"themePaths" must be an array of strings/);
  });

  describe('C19 timeouts', () => {
    const hang =
      (event: string): Factory =>
      pi =>
        pi.on(event, () => new Promise(() => undefined));
    const turn = { type: 'turn_start', turnIndex: 0, timestamp: 1 } as const;

    it('#11 hold for v1, v2 and tree: the late handler is named, and the next one runs', async () => {
      for (const dialect of ['v1', 'v2', 'tree'] as const) {
        let next = 0;
        const host = await hostWith([
          hook(dialect, hang('turn_start'), '/hooks/slow.ts'),
          hook('ext', pi => pi.on('turn_start', () => next++)),
        ]);
        host.settings.hookTimeout = 20;
        await host.emit(turn);
        assert.deepEqual(
          [host.errors[0]?.hookPath, host.errors[0]?.event, host.errors[0]?.message, next],
          ['/hooks/slow.ts', 'turn_start', 'Hook timed out after 20ms', 1],
        );
        assert.equal(host.outcomes()[0], 'slow.ts turn_start: late');
      }
    });

    it('do not hold for omp and ext, nor for tool_call', async () => {
      for (const [dialect, event] of [
        ['omp', turn],
        ['ext', turn],
        ['v1', { type: 'tool_call', toolCallId: 't', toolName: 'x', input: {} }],
      ] as const) {
        const waits: Factory = pi => pi.on(event.type, () => new Promise(resolve => setTimeout(resolve, 80)));
        const host = await hostWith([hook(dialect, waits)]);
        host.settings.hookTimeout = 15;
        await host.emit(event);
        assert.deepEqual(host.errors, []);
      }
    });

    it('do not hold for a tree compaction, but for a v1 one', async () => {
      const compact = {
        type: 'session_before_compact',
        preparation: { fileOps: { read: [], written: [], edited: [] } } as never,
        branchEntries: [],
        previousCompactions: [],
        model: {} as never,
        signal: new AbortController().signal,
      } as const;
      for (const [dialect, late] of [
        ['tree', 0],
        ['v1', 1],
      ] as const) {
        const waits: Factory = pi =>
          pi.on('session_before_compact', () => new Promise(resolve => setTimeout(resolve, 80)));
        const host = await hostWith([hook(dialect, waits)]);
        host.settings.hookTimeout = 15;
        await host.emit(compact);
        assert.equal(host.errors.length, late, dialect);
      }
    });

    it('stand still while the handler asks the user', async () => {
      const host = await hostWith([
        hook('v1', pi =>
          pi.on('turn_start', async (_event: Foreign, ctx: Foreign) => {
            await ctx.ui.confirm('Really?', '');
          }),
        ),
      ]);
      host.settings.hookTimeout = 30;
      const running = host.emit(turn);
      await until(() => host.conversation.ui.open.length === 1, 'the dialog');
      await new Promise(resolve => setTimeout(resolve, 120));
      host.conversation.ui.open[0]?.answer(true);
      await running;
      assert.deepEqual(host.errors, []);
      assert.equal(host.outcomes()[0], '1.ts turn_start: nothing');
      assert.ok((host.records[0]?.askedMs ?? 0) >= 100);
    });
  });

  it('C26 handlers run in order of loading, then of registration', async () => {
    const log: string[] = [];
    const two =
      (name: string): Factory =>
      pi => {
        pi.on('agent_start', () => log.push(`${name}1`));
        pi.on('agent_start', async () => {
          await Promise.resolve();
          log.push(`${name}2`);
        });
      };
    const host = await hostWith([hook('v1', two('a')), hook('ext', two('b')), hook('tree', two('c'))]);
    await host.emit({ type: 'agent_start' });
    assert.deepEqual(log, ['a1', 'a2', 'b1', 'b2', 'c1', 'c2']);
  });
});
