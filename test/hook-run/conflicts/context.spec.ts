/* eslint-disable @typescript-eslint/no-unsafe-call, @typescript-eslint/no-unsafe-member-access, @typescript-eslint/no-unsafe-return, @typescript-eslint/no-unsafe-assignment, @typescript-eslint/no-unsafe-argument -- hooks are foreign code: they take what they are handed, and throw what they like */
import assert from 'node:assert/strict';
import type { AgentMessage } from '../../../src/agent/messages';
import { DIALECTS, hook, hostWith, type Factory, type Foreign, type InlineHook } from '../../support/hook-host';
import { user } from './support';

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

    it('hands on what the hook before made, and keeps the index of each entry', async () => {
      let indexes: Foreign;
      const { texts } = await context(
        [
          hook(
            'omp',
            onContext(event => ({ messages: event.messages.slice(1) })),
          ),
          hook(
            'pi',
            onContext(event => void event.messages.push(user('pushed'))),
          ),
          hook(
            'v2',
            onContext(event => {
              indexes = event.messages.map(({ entryIndex }: Foreign) => entryIndex);
            }),
          ),
        ],
        [user('a'), user('b')],
      );
      assert.deepEqual(texts, ['b', 'pushed']);
      assert.deepEqual(indexes, [2, null]);
    });
  });

  describe('C43 changes of context messages in place', () => {
    /** Each changes the list that it gets, or a message in it. */
    const CHANGES: Readonly<Record<string, (messages: Foreign[]) => void>> = {
      'adds a message': messages => void messages.push(messages[0]),
      'removes a message': messages => void messages.shift(),
      'empties the list': messages => void messages.splice(0),
      'turns the list round': messages => void messages.reverse(),
      'changes a text': ([first]) => {
        (first.message ?? first).content = 'changed';
      },
      'changes a part': messages => {
        const last = messages.at(-1);
        (last.message ?? last).content[0].text = 'changed';
      },
    };
    const original = (): AgentMessage[] => [
      user('a'),
      { role: 'user', content: [{ type: 'text', text: 'b' }], timestamp: 1 },
    ];

    for (const [what, change] of Object.entries(CHANGES)) {
      for (const dialect of [...DIALECTS, 'pi'] as const) {
        const counts = dialect === 'pi';
        it(`a ${dialect} file that ${what} and returns nothing ${counts ? 'changes' : 'does not change'} the request`, async () => {
          const seen: string[] = [];
          const look = hook(
            'ext',
            onContext(event => void seen.push(JSON.stringify(event.messages))),
          );
          const { messages } = await context(
            [
              hook(
                dialect,
                onContext(async event => {
                  change(event.messages);
                  await Promise.resolve();
                }),
              ),
              look,
            ],
            original(),
          );
          const expected = original();
          if (counts) change(expected);
          assert.deepEqual(messages, expected);
          assert.deepEqual(seen, [JSON.stringify(expected)]);
        });

        it(`a ${dialect} file that ${what} and returns the list changes the request`, async () => {
          const { messages } = await context(
            [
              hook(
                dialect,
                onContext(event => {
                  change(event.messages);
                  return { messages: event.messages };
                }),
              ),
            ],
            original(),
          );
          const expected = original();
          change(expected);
          assert.deepEqual(messages, expected);
        });
      }
    }

    it('count less than what a file of pi returns', async () => {
      const { texts } = await context(
        [
          hook(
            'pi',
            onContext(event => {
              event.messages.length = 0;
              return { messages: [user('returned')] };
            }),
          ),
        ],
        [user('a')],
      );
      assert.deepEqual(texts, ['returned']);
    });
  });

  for (const dialect of DIALECTS) {
    it(`nothing a ${dialect} hook does to context messages reaches the session`, async () => {
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
        },
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

  it('messages that no hook reads are passed through as they are', async () => {
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

  it('no message at all is an answer', async () =>
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
    ));

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
});
