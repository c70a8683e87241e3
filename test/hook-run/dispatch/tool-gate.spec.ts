/* eslint-disable @typescript-eslint/no-unsafe-call, @typescript-eslint/no-unsafe-member-access, @typescript-eslint/no-unsafe-return, @typescript-eslint/no-unsafe-assignment, @typescript-eslint/only-throw-error -- hooks are foreign code: they take what they are handed, and throw what they like */
import assert from 'node:assert/strict';
import { Type } from '@sinclair/typebox';
import { defineTool, type AnyTool } from '../../../src/agent/tools/tool';
import { wrapToolsWithHooks } from '../../../src/hook-run/tool-call/wrap-tools';
import type { DialectId } from '../../../src/hook-contract/dialect-id';
import { DIALECTS, hook, hostWith, until, type Foreign, type InlineHook, type TestHost } from '../../support/hook-host';

/** A bash that only notes what it was asked to run; `fail` makes it throw. */
function fakeBash(ran: string[], fail?: string): AnyTool {
  return defineTool({
    name: 'bash',
    label: 'Bash',
    description: 'Runs a command',
    parameters: Type.Object({ command: Type.String() }),
    execute: (_id, params) => {
      ran.push(params.command);
      if (fail !== undefined) return Promise.reject(new Error(fail));
      return Promise.resolve({
        content: [{ type: 'text' as const, text: `ran ${params.command}` }],
        details: { kept: true },
      });
    },
  });
}

async function gated(hooks: readonly InlineHook[], fail?: string) {
  const host = await hostWith(hooks);
  const ran: string[] = [];
  const [tool] = wrapToolsWithHooks([fakeBash(ran, fail)], host.runner, host.conversation);
  const run = (command: string, signal?: AbortSignal) => tool!.execute('t1', { command }, signal);
  return { host, ran, run };
}

const onCall = (answer: (event: Foreign, ctx: Foreign) => unknown) => (pi: Foreign) => pi.on('tool_call', answer);
const onResult = (answer: (event: Foreign, ctx: Foreign) => unknown) => (pi: Foreign) => pi.on('tool_result', answer);

describe('tool calls under hooks', () => {
  for (const dialect of DIALECTS) {
    it(`a throwing tool_call handler blocks with the thrown text (${dialect})`, async () => {
      const { host, ran, run } = await gated([
        hook(
          dialect,
          onCall(() => {
            throw new Error('x');
          }),
        ),
      ]);
      await assert.rejects(run('ls'), { message: 'x' });
      assert.deepEqual(ran, []);
      assert.equal(host.errors[0]?.event, 'tool_call');
    });
  }

  it('a thrown string is told as a failure of the hook, in the words of its dialect', async () => {
    const text = 'plain text';
    const thrower = onCall(() => {
      throw text;
    });
    await assert.rejects((await gated([hook('v1', thrower)])).run('ls'), {
      message: `Hook failed, blocking execution: ${text}`,
    });
    await assert.rejects((await gated([hook('ext', thrower)])).run('ls'), {
      message: `Extension failed, blocking execution: ${text}`,
    });
  });

  it('a rejecting handler blocks as a throwing one does', async () => {
    await assert.rejects(
      (
        await gated([
          hook(
            'omp',
            onCall(() => Promise.reject(new Error('later'))),
          ),
        ])
      ).run('ls'),
      { message: 'later' },
    );
  });

  it('a block without reason gets the default text of its dialect', async () => {
    const blocks = onCall(() => ({ block: true }));
    await assert.rejects((await gated([hook('tree', blocks)])).run('ls'), {
      message: 'Tool execution was blocked by a hook',
    });
    await assert.rejects((await gated([hook('ext', blocks)])).run('ls'), {
      message: 'Tool execution was blocked by an extension',
    });
  });

  it('the first block ends the dispatch, a refusal to block does not', async () => {
    const seen: string[] = [];
    const note = (name: string, answer: unknown) =>
      onCall(() => {
        seen.push(name);
        return answer;
      });
    const { run } = await gated([
      hook('v1', note('a', { block: false })),
      hook('ext', note('b', { block: true, reason: 'b says no' })),
      hook('v1', note('c', undefined)),
    ]);
    await assert.rejects(run('ls'), { message: 'b says no' });
    assert.deepEqual(seen, ['a', 'b']);
  });

  it('a blocked tool emits no tool_result', async () => {
    let results = 0;
    const { run } = await gated([
      hook('ext', pi => {
        onCall(() => ({ block: true }))(pi);
        onResult(() => {
          results++;
        })(pi);
      }),
    ]);
    await assert.rejects(run('ls'));
    assert.equal(results, 0);
  });

  for (const dialect of ['v1', 'tree', 'ext'] as const) {
    it(`C24 changing event.input in tool_call changes what runs (${dialect})`, async () => {
      const { ran, run } = await gated([
        hook(
          dialect,
          onCall(event => {
            event.input.command = 'echo safe';
          }),
        ),
      ]);
      await run('rm -rf /');
      assert.deepEqual(ran, ['echo safe']);
    });
  }

  it('C24 an omp hook cannot change the input', async () => {
    const { ran, run } = await gated([
      hook(
        'omp',
        onCall(event => {
          event.input.command = 'echo safe';
        }),
      ),
    ]);
    await run('ls');
    assert.deepEqual(ran, ['ls']);
  });

  describe('C38 edit', () => {
    const one = { path: 'f', edits: [{ oldText: 'a', newText: 'b' }] };
    const takesList = (dialect: DialectId): boolean => dialect === 'ext' || dialect === 'pi';
    const two = { path: 'f', edits: [...one.edits, { oldText: 'c', newText: 'd' }] };

    /** What the tool gets after the handler, or the text of the refusal. */
    async function edited(dialect: DialectId, input: object, onEvent: (event: Foreign) => unknown): Promise<unknown> {
      const host = await hostWith([hook(dialect, onCall(onEvent))]);
      let got: unknown;
      const execute = (_id: string, params: unknown) => {
        got = params;
        return Promise.resolve({ content: [], details: undefined });
      };
      const plain = { ...fakeBash([]), name: 'edit', execute };
      const [tool] = wrapToolsWithHooks([plain], host.runner, host.conversation);
      await tool!.execute('t1', structuredClone(input), undefined).catch((error: unknown) => (got = String(error)));
      return got;
    }

    for (const dialect of DIALECTS) {
      it(`is shown in the form of its dialect, and again in its result (${dialect})`, async () => {
        const shapes: unknown[] = [];
        const shape = ({ input }: Foreign): void => void shapes.push(JSON.parse(JSON.stringify(input)));
        const pair = { path: 'f', oldText: 'a', newText: 'b' };
        const joined = { oldText: 'a\nc', newText: 'b\nd' };
        const all = { ...two, ...(takesList(dialect) ? {} : joined) };
        const note = (pi: Foreign): void => {
          onCall(shape)(pi);
          onResult(shape)(pi);
        };
        const host = await hostWith([hook(dialect, note)]);
        const [tool] = wrapToolsWithHooks([{ ...fakeBash([]), name: 'edit' }], host.runner, host.conversation);
        await tool!.execute('t1', structuredClone(one), undefined);
        await tool!.execute('t2', structuredClone(two), undefined);
        const single = takesList(dialect) ? one : pair;
        assert.deepEqual(shapes, [single, single, all, all]);
      });

      it(`can be read by either name, several edits as all their texts (${dialect})`, async () => {
        const read: unknown[] = [];
        const note = ({ input }: Foreign): void => void read.push([input.oldText, input.newText]);
        await edited(dialect, one, note);
        await edited(dialect, two, note);
        assert.deepEqual(read, [
          ['a', 'b'],
          ['a\nc', 'b\nd'],
        ]);
      });
    }

    for (const dialect of ['v1', 'v2', 'tree', 'ext', 'pi'] as const) {
      it(`is changed in place (${dialect})`, async () => {
        const got = await edited(dialect, one, ({ input }) => {
          input.newText = 'B';
          input.path = 'g';
        });
        assert.deepEqual(got, { path: 'g', edits: [{ oldText: 'a', newText: 'B' }] });
        const several = await edited(dialect, two, ({ input }) => {
          input.edits[1].newText = 'D';
        });
        assert.deepEqual(several, { path: 'f', edits: [...one.edits, { oldText: 'c', newText: 'D' }] });
      });

      it(`is blocked when several edits are changed as one (${dialect})`, async () => {
        const got = await edited(dialect, two, ({ input }) => {
          input.newText = 'B';
        });
        assert.match(
          String(got),
          /this call makes several edits: change event\.input\.edits, not event\.input\.newText/,
        );
      });
    }

    it('of a tool that a hook registered is left as it is', async () => {
      const own = { path: 'f', oldText: 'a', newText: 'b' };
      for (const dialect of DIALECTS) assert.deepEqual(await edited(dialect, own, () => undefined), own);
    });
  });

  it('C17 a failing tool is told to all, with isError, the text and no details', async () => {
    const seen: unknown[] = [];
    const note = onResult(event => {
      seen.push([event.isError, event.content[0].text, event.details]);
    });
    const { run } = await gated(
      DIALECTS.map(dialect => hook(dialect, note)),
      'exit 1',
    );
    await assert.rejects(run('ls'), { message: 'exit 1' });
    assert.deepEqual(
      seen,
      DIALECTS.map(() => [true, 'exit 1', undefined]),
    );
  });

  it("C17 today's pi tells of a tool that threw with empty details", async () => {
    const seen: unknown[] = [];
    const note = onResult(event => void seen.push(event.details));
    const { run } = await gated([hook('pi', note), hook('ext', note)], 'exit 1');
    await assert.rejects(run('ls'));
    assert.deepEqual(seen, [{}, undefined]);
  });

  describe('data and usage of a result', () => {
    const usage = {
      input: 1,
      output: 2,
      cacheRead: 0,
      cacheWrite: 0,
      totalTokens: 3,
      cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0.5 },
    };

    /** The result of a tool that gives both, after a hook that answers so. */
    async function after(answer: object | undefined) {
      const seen: unknown[] = [];
      const note = onResult(event => {
        seen.push(event.structuredContent, event.usage);
        return answer;
      });
      const host = await hostWith([hook('pi', note)]);
      const content = [{ type: 'text' as const, text: 'two' }];
      const plain = {
        ...fakeBash([]),
        execute: () => Promise.resolve({ content, details: 1, structuredContent: { n: 2 }, usage }),
      };
      const [tool] = wrapToolsWithHooks([plain], host.runner, host.conversation);
      const { structuredContent, usage: used } = await tool!.execute('t1', { command: '' }, undefined);
      return { seen, structuredContent, used };
    }

    it('are seen by hooks and stay', async () => {
      const kept = await after(undefined);
      assert.deepEqual(kept, { seen: [{ n: 2 }, usage], structuredContent: { n: 2 }, used: usage });
    });

    it('lose the data when the content is replaced without it', async () => {
      const content = [{ type: 'text', text: 'other' }];
      assert.equal((await after({ content })).structuredContent, undefined);
      assert.deepEqual((await after({ content, structuredContent: [3] })).structuredContent, [3]);
    });

    it('take another usage, if it is one', async () => {
      const more = { ...usage, input: 9 };
      assert.deepEqual((await after({ usage: more })).used, more);
      assert.deepEqual((await after({ usage: { input: 9 } })).used, usage);
    });
  });

  for (const dialect of DIALECTS) {
    it(`{content} keeps the details, {} changes nothing, [] empties (${dialect})`, async () => {
      const only = await gated([
        hook(
          dialect,
          onResult(() => ({ content: [{ type: 'text', text: 'new' }] })),
        ),
      ]);
      assert.deepEqual(await only.run('ls'), {
        content: [{ type: 'text', text: 'new' }],
        details: { kept: true },
        isError: false,
      });
      const empty = await gated([
        hook(
          dialect,
          onResult(() => ({})),
        ),
      ]);
      assert.deepEqual((await empty.run('ls')).content, [{ type: 'text', text: 'ran ls' }]);
      const none = await gated([
        hook(
          dialect,
          onResult(() => ({ content: [] })),
        ),
      ]);
      assert.deepEqual((await none.run('ls')).content, []);
    });
  }

  it('C17 results chain across dialects: a redaction is not undone by a later hook', async () => {
    const { run } = await gated([
      hook(
        'ext',
        onResult(event => ({ content: [{ type: 'text', text: event.content[0].text.replace('secret', '[gone]') }] })),
      ),
      hook(
        'v1',
        onResult(event => ({ content: [...event.content, { type: 'text', text: 'v1 was here' }] })),
      ),
    ]);
    assert.deepEqual(
      (await run('secret')).content.map(part => 'text' in part && part.text),
      ['ran [gone]', 'v1 was here'],
    );
  });

  it('C17 what v1, v2, tree and omp return for a failed result is ignored, and recorded as that', async () => {
    for (const dialect of ['v1', 'v2', 'tree', 'omp'] as const) {
      const { host, run } = await gated(
        [
          hook(
            dialect,
            onResult(() => ({ content: [{ type: 'text', text: 'kinder' }] })),
          ),
        ],
        'boom',
      );
      await assert.rejects(run('ls'), { message: 'boom' });
      assert.deepEqual(host.outcomes(), ['1.ts tool_result: ignored']);
    }
  });

  it('C18 only ext flips isError, both ways', async () => {
    const flip = (isError: boolean) => onResult(() => ({ isError, content: [{ type: 'text', text: 'flipped' }] }));
    assert.equal((await (await gated([hook('ext', flip(true))])).run('ls')).isError, true);
    assert.equal((await (await gated([hook('ext', flip(false))], 'boom')).run('ls')).isError, false);
    for (const dialect of ['v1', 'v2', 'tree', 'omp'] as const) {
      assert.equal((await (await gated([hook(dialect, flip(true))])).run('ls')).isError, false);
      await assert.rejects((await gated([hook(dialect, flip(false))], 'boom')).run('ls'), { message: 'boom' });
    }
  });

  it('D22 an extension may change the text of a failed result', async () => {
    const { run } = await gated(
      [
        hook(
          'ext',
          onResult(() => ({ content: [{ type: 'text', text: 'kinder' }] })),
        ),
      ],
      'boom',
    );
    assert.deepEqual(await run('ls'), {
      content: [{ type: 'text', text: 'kinder' }],
      details: {},
      isError: true,
    });
  });

  it('an abort settles the call while a hook is asking, and closes the dialog', async () => {
    const { host, ran, run } = await gated([
      hook(
        'v1',
        onCall(async (_event, ctx) => {
          await ctx.ui.confirm('Really?', '');
        }),
      ),
    ]);
    const controller = new AbortController();
    const running = run('ls', controller.signal);
    await until(() => host.conversation.ui.open.length === 1, 'the dialog');
    controller.abort();
    await assert.rejects(running, { message: 'Operation aborted' });
    assert.deepEqual(ran, []);
    assert.equal(host.conversation.ui.open.length, 0);
  });

  it('a tool_result handler that never settles does not outlive an abort for long', async () => {
    const { run } = await gated([
      hook(
        'ext',
        onResult(() => new Promise(() => undefined)),
      ),
    ]);
    const controller = new AbortController();
    const running = run('ls', controller.signal);
    setTimeout(() => controller.abort(), 5);
    await assert.rejects(running, { message: 'Operation aborted' });
  });

  for (const [what, spoil] of [
    ['a circle', input => (input['self'] = input)],
    ['a number that JSON does not have', input => (input['size'] = 5n)],
    [
      'an object with a member that throws',
      input =>
        Object.defineProperty(input, 'size', {
          enumerable: true,
          get: () => {
            throw new Error('mine');
          },
        }),
    ],
  ] satisfies [string, (input: Record<string, unknown>) => unknown][]) {
    it(`an input that a handler makes ${what} blocks the call and names the hook`, async () => {
      const spoils = onCall(({ input }: { input: Record<string, unknown> }) => void spoil(input));
      const { host, ran, run } = await gated([
        hook('ext', spoils),
        hook(
          'ext',
          onCall(() => undefined),
        ),
      ]);
      await assert.rejects(run('ls'), /The handler changed the input to one that cannot be used: /);
      assert.deepEqual(ran, []);
      assert.deepEqual(
        host.errors.map(({ hookPath }) => hookPath),
        ['/hooks/1.ts'],
      );
      assert.deepEqual(
        host.records.map(({ outcome, input }) => [outcome.type, input]),
        [['threw', undefined]],
      );
    });
  }

  it('dialogs say which hook asks about which call', async () => {
    const { host, run } = await gated([
      hook(
        'v1',
        onCall(async (_event, ctx) => {
          if ((await ctx.ui.select('Allow?', ['Yes', 'No'])) !== 'Yes') {
            return { block: true, reason: 'Blocked by user' };
          }
          return undefined;
        }),
      ),
    ]);
    host.conversation.ui.answers.push('No');
    await assert.rejects(run('ls'), { message: 'Blocked by user' });
    assert.deepEqual(host.conversation.ui.origins, [
      { hookPath: '/hooks/1.ts', event: 'tool_call', toolCallId: 't1', toolName: 'bash', input: { command: 'ls' } },
    ]);
  });

  it('answers of the wrong shape are told with hook, event and field, and change nothing', async () => {
    const { host, run } = await gated([
      hook(
        'ext',
        onResult(() => ({ content: 'text' })),
      ),
    ]);
    assert.deepEqual((await run('ls')).content, [{ type: 'text', text: 'ran ls' }]);
    const [error] = host.errors;
    assert.equal(error?.hookPath, '/hooks/1.ts');
    assert.equal(error.event, 'tool_result');
    assert.match(error.message, /"content" must be an array of text and image parts, not a string/);
  });

  it('answers with throwing getters block before a tool, and are reported after it', async () => {
    const trap = {
      get block(): boolean {
        throw new Error('trap');
      },
      get content(): never {
        throw new Error('trap');
      },
    };
    await assert.rejects(
      (
        await gated([
          hook(
            'v1',
            onCall(() => trap),
          ),
        ])
      ).run('ls'),
      { message: 'trap' },
    );
    const after = await gated([
      hook(
        'v1',
        onResult(() => trap),
      ),
    ]);
    await after.run('ls');
    assert.equal(after.host.errors[0]?.message, 'trap');
  });

  it('records what each handler did', async () => {
    const { host, run } = await gated([
      hook(
        'v1',
        onCall(() => undefined),
      ),
      hook(
        'ext',
        onResult(() => ({ details: { more: 1 } })),
      ),
      hook(
        'v1',
        onCall(() => {
          throw new Error('no');
        }),
      ),
    ]);
    await assert.rejects(run('ls'));
    assert.deepEqual(host.outcomes(), ['1.ts tool_call: nothing', '3.ts tool_call: threw']);
    assert.equal(host.records[0]?.toolCallId, 't1');
  });
});

describe('a guard that does not load', () => {
  async function missing(
    answer: boolean | undefined,
  ): Promise<{ host: TestHost; run: () => Promise<unknown>; ran: string[] }> {
    const { host, ran, run } = await gated([
      hook('v1', pi => {
        pi.on('tool_call', () => undefined);
        throw new Error('half saved');
      }),
    ]);
    if (answer !== undefined) host.conversation.ui.answers.push(answer);
    return { host, ran, run: () => run('ls') };
  }

  it('is told as failed, and makes tools ask; without a yes they do not run', async () => {
    const { host, ran, run } = await missing(false);
    assert.deepEqual(host.host.infos()[0]?.state, {
      type: 'failed',
      gatesTools: true,
      problems: [{ message: 'Failed to load hook: half saved', file: '/hooks/1.ts' }],
    });
    await assert.rejects(run(), { message: /Blocked: \/hooks\/1\.ts checks tool calls, but failed to load/ });
    assert.deepEqual(ran, []);
    assert.equal(host.conversation.ui.origins[0]?.toolName, 'bash');
    assert.deepEqual(host.conversation.ui.askers, [{ type: 'gate' }]);
  });

  it('lets the tool run after a yes', async () => {
    const { ran, run } = await missing(true);
    await run();
    assert.deepEqual(ran, ['ls']);
  });

  it('refuses where nobody can be asked, unless the setting says otherwise', async () => {
    const { host, ran, run } = await missing(undefined);
    host.conversation.hasUI = false;
    await assert.rejects(run(), /was not confirmed/);
    host.settings.confirmWithoutGates = false;
    await run();
    assert.deepEqual(ran, ['ls']);
  });
});
