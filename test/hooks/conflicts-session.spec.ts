/* eslint-disable @typescript-eslint/no-unsafe-call, @typescript-eslint/no-unsafe-member-access, @typescript-eslint/no-unsafe-return, @typescript-eslint/no-unsafe-assignment, @typescript-eslint/no-unsafe-argument -- hooks are foreign code: they take what they are handed, and throw what they like */
import assert from 'node:assert/strict';
import type { CompactionPreparation, HookEvent } from '../../src/hooks/events';
import type { DialectId } from '../../src/hooks/hook';
import { FAKE_MODEL } from '../support/fake-conversation';
import { hook, hostWith, type Factory, type Foreign, type InlineHook, type TestHost } from '../support/hook-host';

const ALL: readonly DialectId[] = ['v1', 'v2', 'tree', 'omp', 'ext'];
const SPLIT_NAMES = [
  'session_start',
  'session_before_switch',
  'session_switch',
  'session_before_new',
  'session_new',
  'session_before_branch',
  'session_branch',
  'session_before_fork',
  'session_fork',
  'session_before_compact',
  'session_compact',
  'session_before_tree',
  'session_tree',
  'session_shutdown',
  'branch',
];

/** Notes every named event as `name` or `session:reason`. */
const noting =
  (log: string[], names: readonly string[], who = ''): Factory =>
  pi => {
    for (const name of names) {
      pi.on(name, (event: Foreign) => {
        log.push(`${who}${name === 'session' ? `session:${String(event.reason)}` : String(event.type)}`);
      });
    }
  };

async function seen(
  hooks: readonly InlineHook[],
  log: string[],
  ...events: readonly HookEvent[]
): Promise<readonly string[]> {
  const host = await hostWith(hooks);
  for (const event of events) await host.emit(event);
  return log;
}

const NEW = { type: 'session_before_switch', reason: 'new' } as const;
const IS_NEW = { type: 'session_switch', reason: 'new', previousSessionFile: '/sessions/old.jsonl' } as const;
const START = { type: 'session_start', reason: 'startup' } as const;

function preparation(more: Partial<CompactionPreparation> = {}): CompactionPreparation {
  return {
    cutPoint: { firstKeptEntryIndex: 1, turnStartIndex: -1, isSplitTurn: false },
    firstKeptEntryId: 'e2',
    messagesToSummarize: [{ role: 'user', content: 'one', timestamp: 1 }],
    messagesToKeep: [{ role: 'user', content: 'two', timestamp: 2 }],
    turnPrefixMessages: [],
    isSplitTurn: false,
    tokensBefore: 100,
    fileOps: { read: new Set(), written: new Set(), edited: new Set() },
    settings: { enabled: true, reserveTokens: 1, keepRecentTokens: 1 },
    boundaryStart: 0,
    ...more,
  };
}

function beforeCompact(): Extract<HookEvent, { type: 'session_before_compact' }> {
  return {
    type: 'session_before_compact',
    preparation: preparation(),
    branchEntries: [],
    previousCompactions: [],
    model: FAKE_MODEL,
    signal: new AbortController().signal,
  };
}

async function withSession(hooks: readonly InlineHook[]): Promise<TestHost> {
  const host = await hostWith(hooks);
  host.conversation.session.user('one');
  host.conversation.session.user('two');
  return host;
}

describe('conflicts over sessions', () => {
  it('C1 a step goes to the family of names a file registered, in every dialect, and to both when it asked for both', async () => {
    for (const dialect of ALL) {
      const log: string[] = [];
      await seen(
        [
          hook(dialect, noting(log, ['session'])),
          hook(dialect, noting(log, SPLIT_NAMES)),
          hook(dialect, noting(log, ['session_start', 'session'])),
        ],
        log,
        START,
      );
      assert.deepEqual(log, ['session:start', 'session_start', 'session_start', 'session:start'], dialect);
    }
  });

  it('C1 all dialects together: no step is doubled, none lost', async () => {
    const log: string[] = [];
    const steps: readonly HookEvent[] = [
      START,
      { type: 'session_before_switch', reason: 'resume', targetSessionFile: '/t' },
      { type: 'session_switch', reason: 'resume', previousSessionFile: '/o' },
      { type: 'session_before_branch', entryId: 'e1' },
      { type: 'session_branch', entryId: 'e1', previousSessionFile: '/o' },
      { type: 'session_shutdown', reason: 'quit' },
    ];
    await seen(
      [
        hook('v1', noting(log, ['session'], 'v1 ')),
        hook(
          'tree',
          noting(
            log,
            [
              'session_start',
              'session_before_switch',
              'session_switch',
              'session_before_branch',
              'session_branch',
              'session_shutdown',
            ],
            'tree ',
          ),
        ),
        hook(
          'ext',
          noting(
            log,
            [
              'session_start',
              'session_before_switch',
              'session_switch',
              'session_before_fork',
              'session_fork',
              'session_shutdown',
            ],
            'ext ',
          ),
        ),
      ],
      log,
      ...steps,
    );
    assert.deepEqual(log, [
      'v1 session:start',
      'tree session_start',
      'ext session_start',
      'v1 session:before_switch',
      'tree session_before_switch',
      'ext session_before_switch',
      'v1 session:switch',
      'tree session_switch',
      'ext session_switch',
      'v1 session:before_branch',
      'tree session_before_branch',
      'ext session_before_fork',
      'v1 session:branch',
      'tree session_branch',
      'ext session_fork',
      'v1 session:shutdown',
      'tree session_shutdown',
      'ext session_shutdown',
    ]);
  });

  it('C2 a new session is called clear or new by what the text says, else by the dialect', async () => {
    const reasons = async (dialect: DialectId, text: string): Promise<readonly string[]> => {
      const log: string[] = [];
      return await seen([{ dialect, factory: noting(log, ['session']), text }], log, NEW, IS_NEW);
    };
    assert.deepEqual(await reasons('v1', ''), ['session:before_clear', 'session:clear']);
    assert.deepEqual(await reasons('tree', ''), ['session:before_new', 'session:new']);
    assert.deepEqual(await reasons('v1', 'if (event.reason === "before_new") {}'), [
      'session:before_new',
      'session:new',
    ]);
    assert.deepEqual(await reasons('tree', 'if (event.reason === "before_clear") {}'), [
      'session:before_clear',
      'session:clear',
    ]);
    assert.deepEqual(await reasons('v1', '"before_clear"; "before_new"'), ['session:before_clear', 'session:clear']);
    assert.deepEqual(await reasons('tree', '// "before_clear" only in a comment'), [
      'session:before_new',
      'session:new',
    ]);
  });

  it('C3 files that know *_new get that for a new session, all others the switch', async () => {
    const log: string[] = [];
    await seen(
      [
        hook(
          'tree',
          noting(log, ['session_before_new', 'session_new', 'session_before_switch', 'session_switch'], 'a '),
        ),
        hook('tree', noting(log, ['session_new', 'session_before_switch'], 'b ')),
        hook('omp', noting(log, ['session_before_switch', 'session_switch'], 'c ')),
      ],
      log,
      NEW,
      IS_NEW,
      { type: 'session_switch', reason: 'resume', previousSessionFile: undefined },
    );
    assert.deepEqual(log, [
      'a session_before_new',
      'c session_before_switch',
      'a session_new',
      'b session_new',
      'c session_switch',
      'a session_switch',
      'c session_switch',
    ]);
  });

  it('C4 a file with both spellings gets the fork one only', async () => {
    const log: string[] = [];
    await seen(
      [
        hook('ext', noting(log, ['session_before_branch', 'session_before_fork', 'session_branch', 'session_fork'])),
        hook('omp', noting(log, ['session_before_branch', 'session_branch'])),
      ],
      log,
      { type: 'session_before_branch', entryId: 'e1' },
      { type: 'session_branch', entryId: 'e1', previousSessionFile: undefined },
    );
    assert.deepEqual(log, ['session_before_fork', 'session_before_branch', 'session_fork', 'session_branch']);
  });

  it('C5 every branch event names the entry in all three ways, also after the branch', async () => {
    const got: Foreign[] = [];
    const names = ['session', 'session_before_branch', 'session_branch', 'session_before_fork', 'session_fork'];
    const host = await withSession(
      names.map(name =>
        hook('tree', pi =>
          pi.on(name, (event: Foreign) => {
            got.push([event.targetTurnIndex, event.entryIndex, event.entryId]);
          }),
        ),
      ),
    );
    await host.emit({ type: 'session_before_branch', entryId: 'e2' });
    host.conversation.session.entries.pop();
    await host.emit({ type: 'session_branch', entryId: 'e2', previousSessionFile: '/o' });
    assert.equal(got.length, 6);
    assert.deepEqual(new Set(got.map(String)), new Set(['2,1,e2']));
  });

  it('C6 the V1 view has the header first, and compactions with an index', async () => {
    let entries: Foreign;
    let managed: Foreign;
    const host = await withSession([
      hook('v1', pi =>
        pi.on('session', (event: Foreign, ctx: Foreign) => {
          entries = event.entries;
          managed = ctx.sessionManager.getEntries();
        }),
      ),
    ]);
    host.conversation.session.add('compaction', { summary: 's', firstKeptEntryId: 'e2', tokensBefore: 9 });
    host.conversation.session.add('compaction', { summary: 'all', firstKeptEntryId: 'nowhere', tokensBefore: 9 });
    await host.emit(START);
    assert.deepEqual(
      entries.map((entry: Foreign) => entry.type),
      ['session', 'message', 'message', 'compaction', 'compaction'],
    );
    assert.deepEqual(
      entries.map((entry: Foreign) => entry.id),
      ['session-1', 'e1', 'e2', 'e3', 'e4'],
    );
    assert.equal(entries[3].firstKeptEntryIndex, 2);
    assert.equal(entries[4].firstKeptEntryIndex, 4);
    assert.equal(managed.length, 4);
    assert.equal(managed[2].firstKeptEntryIndex, undefined);
  });

  it('C6 what a hook changes in its view does not reach the session', async () => {
    const host = await withSession([
      hook('v1', pi =>
        pi.on('session', (event: Foreign) => {
          event.entries[1].message.content = 'changed';
          event.entries.length = 0;
        }),
      ),
    ]);
    await host.emit(START);
    assert.equal((host.conversation.session.entries[0] as Foreign).message.content, 'one');
  });

  describe('C7 a custom summary', () => {
    const answered = async (dialect: DialectId, name: string, answer: unknown): Promise<Foreign> => {
      const host = await withSession([hook(dialect, pi => pi.on(name, () => answer))]);
      return { ...(await host.emit(beforeCompact())), errors: host.errors };
    };
    const entry = (index: unknown) => ({
      compactionEntry: {
        type: 'compaction',
        timestamp: 'now',
        summary: 'mine',
        firstKeptEntryIndex: index,
        tokensBefore: 7,
      },
    });

    it('is taken under either key from any dialect', async () => {
      for (const dialect of ALL) {
        const byId = await answered(dialect, 'session_before_compact', {
          compaction: { summary: 'mine', firstKeptEntryId: 'e2', tokensBefore: 7, details: { a: 1 } },
        });
        assert.deepEqual(byId.compaction, {
          summary: 'mine',
          firstKeptEntryId: 'e2',
          tokensBefore: 7,
          details: { a: 1 },
        });
        assert.deepEqual((await answered(dialect, 'session', entry(2))).compaction, {
          summary: 'mine',
          firstKeptEntryId: 'e2',
          tokensBefore: 7,
        });
      }
    });
    it('maps the header to the first entry, and what lies behind the end to keeping nothing', async () => {
      assert.equal((await answered('v1', 'session', entry(0))).compaction.firstKeptEntryId, 'e1');
      assert.equal((await answered('v1', 'session', entry(3))).compaction.firstKeptEntryId, '');
      assert.equal((await answered('v1', 'session', entry(99))).compaction.firstKeptEntryId, '');
    });
    it('with a useless index or summary is a problem, and the default summary is made', async () => {
      const wrong = await answered('v1', 'session', entry('two'));
      assert.equal(wrong.compaction, undefined);
      assert.match(wrong.errors[0].message, /"compactionEntry" must name the first kept entry/);
      assert.match(
        (await answered('omp', 'session_before_compact', { compaction: { firstKeptEntryId: 'e1' } })).errors[0].message,
        /"compaction.summary" must be a string/,
      );
    });
    it('#16 an empty object, or a throw, means the default', async () => {
      assert.equal((await answered('v1', 'session', {})).compaction, undefined);
      const host = await withSession([
        hook('tree', pi =>
          pi.on('session_before_compact', () => {
            throw new Error('no');
          }),
        ),
      ]);
      assert.deepEqual(await host.emit(beforeCompact()), { cancelled: false });
    });
  });

  it('C8 before a compaction every shape of the plan is there, counted as each shape counts', async () => {
    for (const [name, type] of [
      ['session', 'session'],
      ['session_before_compact', 'session_before_compact'],
    ] as const) {
      let got: Foreign;
      const host = await withSession([
        hook('tree', pi =>
          pi.on(name, (event: Foreign) => {
            got = event;
          }),
        ),
      ]);
      await host.emit(beforeCompact());
      assert.equal(got.type, type);
      assert.equal(got.cutPoint.firstKeptEntryIndex, 2);
      assert.equal(got.preparation.firstKeptEntryId, 'e2');
      assert.equal(got.messagesToSummarize[0].content, 'one');
      assert.equal(got.preparation.messagesToKeep[0].content, 'two');
      assert.equal(got.tokensBefore, 100);
      assert.equal(got.preparation.isSplitTurn, false);
      assert.equal(await got.resolveApiKey(got.model), 'key');
      assert.equal(got.signal.aborted, false);
      assert.deepEqual(got.previousCompactions, []);
      assert.deepEqual(got.branchEntries, []);
      assert.equal(got.entries.length, 3);
    }
  });

  it('C9 #13 after a compaction both flags, the tokens and the new entry are told', async () => {
    const got: Foreign[] = [];
    const host = await withSession([
      hook('v1', pi =>
        pi.on('session', (event: Foreign) => {
          got.push(event);
        }),
      ),
      hook('ext', pi =>
        pi.on('session_compact', (event: Foreign) => {
          got.push(event);
        }),
      ),
    ]);
    const id = host.conversation.session.add('compaction', {
      summary: 's',
      firstKeptEntryId: 'e2',
      tokensBefore: 9,
      fromHook: true,
    });
    const compactionEntry = host.conversation.session.entries.at(-1)!;
    await host.emit({ type: 'session_compact', compactionEntry, tokensBefore: 9, fromHook: true });
    for (const event of got) {
      assert.equal(event.compactionEntry.id, id);
      assert.equal(event.compactionEntry.firstKeptEntryIndex, 2);
      assert.deepEqual([event.tokensBefore, event.fromHook, event.fromExtension], [9, true, true]);
    }
    assert.equal(got[0].reason, 'compact');
    assert.equal(got[0].entries.at(-1).id, id);
  });

  it('C22 files are null in the session event, and undefined in the split ones', async () => {
    const got: Foreign[] = [];
    const host = await hostWith([
      hook('tree', pi => {
        pi.on('session', (event: Foreign) => {
          got.push(event);
        });
        pi.on('session_switch', (event: Foreign) => {
          got.push(event);
        });
      }),
    ]);
    host.conversation.sessionFile = undefined;
    await host.emit({ type: 'session_switch', reason: 'resume', previousSessionFile: undefined });
    assert.deepEqual([got[0].sessionFile, got[0].previousSessionFile], [null, null]);
    assert.equal(got[1].previousSessionFile, undefined);
  });

  it('C25 session.compacting goes to handlers of that very name, and the latest answer counts', async () => {
    const got: Foreign[] = [];
    const host = await hostWith([
      hook('omp', pi =>
        pi.on('session.compacting', (event: Foreign) => {
          got.push(event);
          return { context: ['a'], prompt: 'p' };
        }),
      ),
      hook('omp', pi => pi.on('session.compacting', () => ({ context: ['b'], preserveData: { k: 1 } }))),
      hook('v1', pi =>
        pi.on('session', () => {
          got.push('session');
        }),
      ),
    ]);
    const result = await host.emit({ type: 'session_compacting', sessionId: 's', messages: [] });
    assert.deepEqual(result, { context: ['b'], preserveData: { k: 1 } });
    assert.deepEqual(
      got.map(event => event.type),
      ['session.compacting'],
    );
    assert.equal(host.runner.hasHandlers('session_compacting'), true);
  });

  it('C32 session_start after a switch goes to extensions only', async () => {
    const log: string[] = [];
    await seen(
      ALL.map(dialect => hook(dialect, noting(log, ['session_start', 'session'], `${dialect} `))),
      log,
      { type: 'session_start', reason: 'switch' },
      { type: 'session_start', reason: 'fork' },
      { type: 'session_start', reason: 'new' },
    );
    assert.deepEqual(log, ['ext session_start', 'ext session_start', 'ext session_start']);
  });

  it('C33 events of one dialect reach a file of any other that asks by name', async () => {
    const log: string[] = [];
    await seen(
      [hook('v1', noting(log, ['model_select', 'todo_reminder', 'input', 'auto_retry_end']))],
      log,
      { type: 'model_select', model: FAKE_MODEL, previousModel: undefined, source: 'set' },
      { type: 'todo_reminder', todos: [], attempt: 1, maxAttempts: 3 },
      { type: 'input', text: 'x', source: 'interactive' },
      { type: 'auto_retry_end', success: true, attempt: 1 },
    );
    assert.deepEqual(log, ['model_select', 'todo_reminder', 'input', 'auto_retry_end']);
  });

  it('C34 H18: branch is asked before, tool_result has a text, session_switch names the new file', async () => {
    const got: Foreign = {};
    const host = await withSession([
      hook('v1', pi => {
        pi.on('branch', (event: Foreign) => {
          got.branch = event;
          return { skipConversationRestore: true };
        });
        pi.on('tool_result', (event: Foreign) => {
          got.text = event.result;
          return { result: 'shorter' };
        });
        pi.on('session_switch', (event: Foreign) => {
          got.file = event.newSessionFile;
        });
      }),
    ]);
    assert.deepEqual(await host.emit({ type: 'session_before_branch', entryId: 'e2' }), {
      cancelled: false,
      skipConversationRestore: true,
    });
    const result = await host.emit({
      type: 'tool_result',
      toolCallId: 't',
      toolName: 'bash',
      input: {},
      content: [{ type: 'text', text: 'long' }],
      details: 1,
      isError: false,
    });
    await host.emit({ type: 'session_switch', reason: 'resume', previousSessionFile: '/o' });
    assert.equal(got.branch.targetTurnIndex, 2);
    assert.equal(got.branch.entries.length, 3);
    assert.deepEqual([got.text, got.file], ['long', '/sessions/one.jsonl']);
    assert.deepEqual(result, { content: [{ type: 'text', text: 'shorter' }], details: 1, isError: false });
  });

  it('#9 #10 the last answer counts as a whole: a flag is lost by {}, and kept by nothing', async () => {
    const result = async (second: unknown): Promise<unknown> => {
      const host = await withSession([
        hook('v1', pi => pi.on('session', () => ({ skipConversationRestore: true }))),
        hook('v1', pi => pi.on('session', () => second)),
      ]);
      return await host.emit({ type: 'session_before_branch', entryId: 'e1' });
    };
    assert.deepEqual(await result({}), { cancelled: false, skipConversationRestore: false });
    assert.deepEqual(await result(undefined), { cancelled: false, skipConversationRestore: true });
  });

  it('#12 cancel ends the dispatch and names who cancelled', async () => {
    const log: string[] = [];
    const host = await hostWith([
      hook('v1', pi => pi.on('session', () => ({ cancel: true })), '/hooks/stop.ts'),
      hook('ext', noting(log, ['session_before_switch'])),
    ]);
    assert.deepEqual(await host.emit(NEW), { cancelled: true, by: '/hooks/stop.ts' });
    assert.deepEqual(log, []);
    assert.deepEqual(host.outcomes(), ['stop.ts session: cancelled']);
  });

  it('C2 clear has no entries, and knows the old file', async () => {
    let got: Foreign;
    const host = await withSession([
      hook('v1', pi =>
        pi.on('session', (event: Foreign) => {
          got = { ...event };
        }),
      ),
    ]);
    await host.emit(IS_NEW);
    assert.deepEqual(got, {
      type: 'session',
      reason: 'clear',
      sessionFile: '/sessions/one.jsonl',
      previousSessionFile: '/sessions/old.jsonl',
      entries: [],
    });
  });

  it('#42 a tree summary counts only when the user asked for one', async () => {
    const tree = async (userWantsSummary: boolean): Promise<unknown> => {
      const host = await hostWith([
        hook('ext', pi => pi.on('session_before_tree', () => ({ summary: { summary: 'mine' }, label: 'l' }))),
      ]);
      return await host.emit({
        type: 'session_before_tree',
        preparation: {
          targetId: 'a',
          oldLeafId: 'b',
          commonAncestorId: null,
          entriesToSummarize: [],
          userWantsSummary,
        },
        model: undefined,
        signal: new AbortController().signal,
      });
    };
    assert.deepEqual(await tree(true), { cancelled: false, summary: { summary: 'mine' }, label: 'l' });
    assert.deepEqual(await tree(false), { cancelled: false, label: 'l' });
  });
});
