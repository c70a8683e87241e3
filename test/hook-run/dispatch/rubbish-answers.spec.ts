import assert from 'node:assert/strict';
import { isRecord } from '../../../src/base/json/is-record';
import { samplesOf } from '../../../src/hook-insight/samples';
import { EVENT_TYPES, rowOf } from '../../../src/hook-contract/events/event-table';
import type { HookEvent } from '../../../src/hook-contract/hook-event';
import type { DialectId } from '../../../src/hook-contract/dialect-id';
import { hook, hostWith, type Factory } from '../../support/hook-host';
import { tried } from '../../support/tried';

const trap = (): never => {
  throw new Error('trap');
};
const circle: Record<string, unknown> = {};
circle['self'] = circle;

/** Answers that mean nothing to any event; made anew for each try where a hook could spend them. */
const RUBBISH: Readonly<Record<string, () => unknown>> = {
  null: () => null,
  'a number': () => 42,
  'no number': () => NaN,
  'a big integer': () => 10n,
  true: () => true,
  'an empty text': () => '',
  'a text': () => 'block',
  'a symbol': () => Symbol('block'),
  'a function': () => () => ({ block: false }),
  'an empty list': () => [],
  'a list': () => [{ block: false }, null],
  'a date': () => new Date(0),
  'a map': () => new Map([['block', false]]),
  'an error': () => new Error('returned'),
  'an object without prototype': () => Object.create(null) as unknown,
  'an object that holds itself': () => circle,
  'members of the wrong kind': () => ({ content: 7, messages: 'x', input: 3, systemPrompt: [], reason: {} }),
  'members that are lists of rubbish': () => ({ content: [null, 1], messages: [undefined], edits: [0] }),
  'a getter that throws': () => Object.defineProperty({}, 'block', { get: trap, enumerable: true }),
  'a proxy that throws': () => new Proxy({}, { get: trap, has: trap, ownKeys: trap, getOwnPropertyDescriptor: trap }),
  'a then that throws': () => Object.defineProperty({}, 'then', { get: trap }),
};

const FACTS = { cwd: '/work', model: undefined, messages: [], sessionFile: undefined };
/** Whatever a hook answers to these is what it means. */
const TAKES_ANYTHING = new Set(['before_provider_request']);

const isClosed = (result: unknown): boolean =>
  isRecord(result) && (result['block'] === true || result['refused'] !== undefined);

const answering =
  (name: string, answer: () => unknown): Factory =>
  (pi: { on(name: string, handler: () => unknown): void }) =>
    pi.on(name, answer);

async function survives(event: HookEvent, name: string, dialect: DialectId): Promise<void> {
  let isHeard = false;
  const listener = hook(
    dialect,
    answering(name, () => void (isHeard = true)),
  );
  const alone = await hostWith([listener]);
  const expected = await alone.runner.emit(event, alone.conversation);
  const reaches = isHeard;
  for (const [what, make] of Object.entries(RUBBISH)) {
    isHeard = false;
    const host = await hostWith([hook(dialect, answering(name, make)), listener]);
    const result = await host.runner.emit(event, host.conversation);
    tried();
    if (isClosed(result)) continue;
    assert.equal(isHeard, reaches, `${dialect}, ${name}: ${what}`);
    if (!TAKES_ANYTHING.has(name)) assert.deepEqual(result, expected, `${dialect}, ${name}: ${what}`);
  }
}

describe('rubbish that a hook answers with', () => {
  for (const type of EVENT_TYPES) {
    it(`to ${type}: counts as no answer or closes the gate, and stops no other hook`, async () => {
      const [event] = samplesOf(type, FACTS);
      assert.ok(event !== undefined);
      for (const { name, of } of rowOf(type).names) {
        for (const dialect of of) await survives(event, name, dialect);
      }
    });
  }
});
