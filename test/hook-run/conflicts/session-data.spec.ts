/* eslint-disable @typescript-eslint/no-unsafe-call, @typescript-eslint/no-unsafe-member-access, @typescript-eslint/no-unsafe-return, @typescript-eslint/no-unsafe-assignment -- hooks are foreign code: they take what they are handed, and throw what they like */
import assert from 'node:assert/strict';
import { hook, hostWith, type Foreign } from '../../support/hook-host';
import { noting, NEW, IS_NEW, START, withSession } from './support';

describe('conflicts over sessions', () => {
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
    await host.emit({ type: 'session_before_branch', entryId: 'e2', position: 'before' });
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

  it('C34 branch is asked before, tool_result has a text, session_switch names the new file', async () => {
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
    assert.deepEqual(await host.emit({ type: 'session_before_branch', entryId: 'e2', position: 'before' }), {
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

  it('the last answer counts as a whole: a flag is lost by {}, and kept by nothing', async () => {
    const result = async (second: unknown): Promise<unknown> => {
      const host = await withSession([
        hook('v1', pi => pi.on('session', () => ({ skipConversationRestore: true }))),
        hook('v1', pi => pi.on('session', () => second)),
      ]);
      return await host.emit({ type: 'session_before_branch', entryId: 'e1', position: 'before' });
    };
    assert.deepEqual(await result({}), { cancelled: false, skipConversationRestore: false });
    assert.deepEqual(await result(undefined), { cancelled: false, skipConversationRestore: true });
  });

  it('cancel ends the dispatch and names who cancelled', async () => {
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
});
