/* eslint-disable @typescript-eslint/no-unsafe-assignment, @typescript-eslint/no-unsafe-call, @typescript-eslint/no-unsafe-member-access -- hooks are foreign code */
import assert from 'node:assert/strict';
import { EVENT_TYPES, EVENTS, namesOf } from '../../../src/hook-contract/events/event-table';
import type { HookEvent, HookEventType } from '../../../src/hook-contract/hook-event';
import type { DialectId } from '../../../src/hook-contract/dialect-id';
import { FAKE_MODEL } from '../../support/fake-conversation';
import { hook, hostWith, type Foreign } from '../../support/hook-host';

const FACTS = { cwd: '/', model: FAKE_MODEL, messages: [], sessionFile: undefined };
const DIALECTS: readonly DialectId[] = ['v1', 'v2', 'tree', 'omp', 'ext', 'pi'];
const EXTRA = { undeclared: 'x' };

/** What files of all dialects get under each name when an event is emitted. */
async function heardOf(events: readonly HookEvent[]): Promise<ReadonlyMap<string, readonly Foreign[]>> {
  const heard = new Map<string, Foreign[]>();
  const names = [...new Set(events.flatMap(({ type }) => namesOf(type)))];
  const listen = (pi: Foreign): void => {
    for (const name of names) {
      pi.on(name, (payload: Foreign) => {
        heard.set(name, [...(heard.get(name) ?? []), payload]);
      });
    }
  };
  const host = await hostWith(DIALECTS.map(id => hook(id, listen, `/hooks/${id}.ts`)));
  host.conversation.session.user('x');
  for (const event of events) await host.emit(event);
  await host.host.dispose();
  return heard;
}

/** The first sample of a type with members that no row declares; `members` are laid over it. */
function withExtra(type: HookEventType, members: object = {}): HookEvent {
  return { ...EVENTS[type].samples(FACTS)[0], ...EXTRA, ...members } as unknown as HookEvent;
}

describe('a member that the table of events does not declare', () => {
  for (const type of EVENT_TYPES) {
    it(`does not reach a hook with ${type}`, async () => {
      const heard = await heardOf([withExtra(type)]);
      const payloads = [...heard.values()].flat() as object[];
      assert.ok(payloads.length > 0, 'it was not heard');
      for (const payload of payloads) assert.ok(!('undeclared' in payload), JSON.stringify(Object.keys(payload)));
    });
  }

  it('does not reach a hook in the plan of a compaction, nor in one of its parts', async () => {
    const [sample] = EVENTS.session_before_compact.samples(FACTS);
    const { preparation } = sample!;
    const [cutPoint, settings] = [
      { ...preparation.cutPoint, ...EXTRA },
      { ...preparation.settings, ...EXTRA },
    ];
    const given = { preparation: { ...preparation, ...EXTRA, cutPoint, settings } };
    const heard = await heardOf([withExtra('session_before_compact', given)]);
    for (const { preparation: told, cutPoint: cut } of heard.get('session_before_compact') as Foreign[]) {
      for (const part of [told, told.cutPoint, told.settings, cut]) assert.ok(!('undeclared' in part));
      assert.deepEqual(Object.keys(told as object).sort(), Object.keys(preparation).sort());
    }
  });

  it('does not reach a hook in the plan of a move in the session tree', async () => {
    const [sample] = EVENTS.session_before_tree.samples(FACTS);
    const { preparation } = sample!;
    const heard = await heardOf([withExtra('session_before_tree', { preparation: { ...preparation, ...EXTRA } })]);
    for (const { preparation: told } of heard.get('session_before_tree') as Foreign[]) {
      assert.deepEqual(told, preparation);
    }
  });

  it('does not reach a hook in the result of a compaction, in a rule or in a todo', async () => {
    const result = { summary: 's', firstKeptEntryId: null, tokensBefore: 1 };
    const rule = { name: 'n', path: '/n.md', content: 'c', ttsrTrigger: 't', level: 'user' };
    const todo = { content: 'c', status: 'pending' };
    const heard = await heardOf([
      withExtra('auto_compaction_end', { result: { ...result, ...EXTRA } }),
      withExtra('ttsr_triggered', { rules: [{ ...rule, ...EXTRA }] }),
      withExtra('todo_reminder', { todos: [{ ...todo, ...EXTRA }] }),
    ]);
    for (const payload of heard.get('auto_compaction_end') as Foreign[]) assert.deepEqual(payload.result, result);
    for (const payload of heard.get('ttsr_triggered') as Foreign[]) assert.deepEqual(payload.rules, [rule]);
    for (const payload of heard.get('todo_reminder') as Foreign[]) assert.deepEqual(payload.todos, [todo]);
  });

  it('in an entry of the session reaches hooks: entries keep what newer versions write', async () => {
    const entry = { type: 'compaction', id: 'a1b2c3d4', parentId: null, timestamp: 't', ...EXTRA };
    const heard = await heardOf([withExtra('session_compact', { compactionEntry: entry })]);
    for (const payload of heard.get('session_compact') as Foreign[]) {
      assert.equal(payload.compactionEntry.undeclared, 'x');
    }
  });
});
