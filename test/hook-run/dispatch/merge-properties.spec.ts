/* eslint-disable @typescript-eslint/no-unsafe-call, @typescript-eslint/no-unsafe-member-access, @typescript-eslint/no-unsafe-assignment -- hooks are foreign code: they take what they are handed, and throw what they like */
import assert from 'node:assert/strict';
import fc from 'fast-check';
import { wrapToolsWithHooks } from '../../../src/hook-run/tool-call/wrap-tools';
import { DIALECTS, hook, hostWith, type Factory, type Foreign } from '../../support/hook-host';
import { runs } from '../../support/long-run';

/** What one handler does. */
type Deed = 'nothing' | 'empty' | 'allow' | 'block' | 'throw' | 'reject' | 'mutate' | 'rubbish' | 'trap' | 'slow';
const DEEDS: readonly Deed[] = [
  'nothing',
  'empty',
  'allow',
  'block',
  'throw',
  'reject',
  'mutate',
  'rubbish',
  'trap',
  'slow',
];

const deed = fc.constantFrom(...DEEDS);
const dialect = fc.constantFrom(...DIALECTS);
const files = fc.array(fc.tuple(dialect, fc.array(deed, { maxLength: 3 })), { maxLength: 5 });

function perform(what: Deed, event: Foreign): unknown {
  switch (what) {
    case 'nothing':
      return undefined;
    case 'empty':
      return {};
    case 'allow':
      return { block: false };
    case 'block':
      return { block: true, reason: 'blocked' };
    case 'throw':
      throw new Error('thrown');
    case 'reject':
      return Promise.reject(new Error('rejected'));
    case 'mutate':
      if (event.input) event.input.seen = Number(event.input.seen ?? 0) + 1;
      event.content = 'overwritten';
      delete event.toolName;
      return undefined;
    case 'rubbish':
      return [1, 'two', null];
    case 'trap':
      return new Proxy(
        {},
        {
          get: () => {
            throw new Error('trap');
          },
        },
      );
    case 'slow':
      return new Promise(resolve => setImmediate(resolve));
  }
}

/** A factory whose handlers note that they ran and do one deed each. */
const doing =
  (event: string, deeds: readonly Deed[], log: string[], name: string): Factory =>
  pi =>
    deeds.forEach((what, at) => {
      pi.on(event, (given: Foreign) => {
        log.push(`${name}.${String(at)}`);
        return perform(what, given);
      });
    });

const STOPS: ReadonlySet<Deed> = new Set(['block', 'throw', 'reject', 'trap']);

describe('merging, whatever handlers do', () => {
  it('tool_call: order is kept, no block is lost, a blocked tool never runs', async () => {
    await fc.assert(
      fc.asyncProperty(files, async given => {
        const log: string[] = [];
        let ran = 0;
        const host = await hostWith(
          given.map(([id, deeds], at) => hook(id, doing('tool_call', deeds, log, String(at)))),
        );
        const [tool] = wrapToolsWithHooks(
          [
            {
              name: 'x',
              label: 'x',
              description: '',
              parameters: {},
              execute: () => {
                ran++;
                return Promise.resolve({ content: [], details: undefined });
              },
            },
          ],
          host.runner,
          host.conversation,
        );
        const all = given.flatMap(([, deeds], file) =>
          deeds.map((what, at) => ({ name: `${String(file)}.${String(at)}`, what })),
        );
        const stop = all.findIndex(({ what }) => STOPS.has(what));
        const outcome = await tool!.execute('t', {}, undefined).then(
          () => 'ran',
          (error: unknown) => (error instanceof Error ? error.message : ''),
        );
        assert.deepEqual(
          log,
          all.slice(0, stop < 0 ? all.length : stop + 1).map(({ name }) => name),
        );
        const expected: Partial<Record<Deed, string>> = {
          block: 'blocked',
          throw: 'thrown',
          reject: 'rejected',
          trap: 'trap',
        };
        assert.equal(outcome, stop < 0 ? 'ran' : expected[all[stop]!.what]);
        assert.equal(ran, stop < 0 ? 1 : 0);
      }),
      runs(150, 5_000),
    );
  });

  it('all other events: every handler runs in order, and emit always answers', async () => {
    const events = fc.constantFrom(
      'turn_start',
      'agent_end',
      'input',
      'context',
      'tool_result',
      'before_agent_start',
      'session_before_tree',
    );
    await fc.assert(
      fc.asyncProperty(files, events, async (given, type) => {
        const log: string[] = [];
        const host = await hostWith(given.map(([id, deeds], at) => hook(id, doing(type, deeds, log, String(at)))));
        const signal = new AbortController().signal;
        const all: Foreign = {
          turn_start: { turnIndex: 0, timestamp: 0 },
          agent_end: { messages: [] },
          input: { text: 'x', source: 'rpc' },
          context: { messages: [], entryIds: [] },
          tool_result: { toolCallId: 't', toolName: 'x', input: {}, content: [], details: 1, isError: false },
          before_agent_start: { prompt: 'p', systemPrompt: 's' },
          session_before_tree: {
            preparation: {
              targetId: 'a',
              oldLeafId: null,
              commonAncestorId: null,
              entriesToSummarize: [],
              userWantsSummary: true,
            },
            model: undefined,
            signal,
          },
        };
        const result: Foreign = await host.emit({ type, ...all[type] });
        assert.deepEqual(
          log,
          given.flatMap(([, deeds], file) => deeds.map((_, at) => `${String(file)}.${String(at)}`)),
        );
        assert.equal(host.records.length, log.length);
        if (type === 'tool_result') assert.deepEqual(result, { content: [], details: 1, isError: false });
        if (type === 'input') assert.equal(result.text, 'x');
        if (type === 'context') assert.deepEqual(result.messages, []);
      }),
      runs(150, 5_000),
    );
  });

  it('cancelling: the first cancel ends the dispatch, and the last answer before it does not count', async () => {
    const answers = fc.array(fc.constantFrom('none', 'empty', 'skip', 'cancel', 'throw'), { maxLength: 6 });
    await fc.assert(
      fc.asyncProperty(answers, async given => {
        const log: number[] = [];
        const host = await hostWith(
          given.map((what, at) =>
            hook('v1', pi =>
              pi.on('session', () => {
                log.push(at);
                if (what === 'throw') throw new Error('x');
                return {
                  none: undefined,
                  empty: {},
                  skip: { skipConversationRestore: true },
                  cancel: { cancel: true },
                }[what];
              }),
            ),
          ),
        );
        const result = await host.emit({ type: 'session_before_branch', entryId: 'e1', position: 'before' });
        const cancel = given.indexOf('cancel');
        assert.equal(log.length, cancel < 0 ? given.length : cancel + 1);
        assert.equal(result.cancelled, cancel >= 0);
        const last = given.filter(what => what === 'empty' || what === 'skip').at(-1);
        assert.equal(result.skipConversationRestore, cancel < 0 && last === 'skip');
      }),
      runs(150, 5_000),
    );
  });
});
