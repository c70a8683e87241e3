import assert from 'node:assert/strict';
import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import { parseStreamingJson as theirs, repairJson as theirRepair } from '@mariozechner/pi-ai';
import { parseJsonWithRepair, parseStreamingJson, repairJson } from '../../src/agent/models/requests/partial-json';
import { runs } from '../support/long-run';

const LONG = 'x'.repeat(3_000);
const longText = fc
  .tuple(fc.array(fc.string({ unit: 'binary', maxLength: 60 }), { maxLength: 40 }), fc.nat(4))
  .map(([parts, times]) => parts.join(LONG.slice(0, 400)) + LONG.repeat(times));
const toolArguments = fc.dictionary(
  fc.string({ minLength: 1, maxLength: 12 }),
  fc.oneof(longText, fc.jsonValue({ maxDepth: 3 })),
  { maxKeys: 6 },
);

/** Calls the parser as pi-ai's providers do: with the growing text after each delta, and once more at the end. */
function stream(text: string, deltas: readonly number[], onStep?: (soFar: string, value: unknown) => void): unknown {
  let soFar = '';
  for (let at = 0, step = 0; at < text.length; step += 1) {
    const size = Math.max(1, deltas[step % deltas.length] ?? 1);
    soFar += text.slice(at, at + size);
    at += size;
    const value = parseStreamingJson(soFar);
    onStep?.(soFar, value);
  }
  return parseStreamingJson(soFar);
}

/** Like `deepEqual`, without printing megabytes when it fails. */
function same(actual: unknown, expected: unknown): void {
  assert.ok(
    isDeepStrictEqual(actual, expected),
    `differs: ${JSON.stringify(actual).length} of ${JSON.stringify(expected).length}`,
  );
}

/** True when `part` is what could have been read of `whole` earlier: missing members, shorter strings and arrays. */
function isEarlier(part: unknown, whole: unknown): boolean {
  if (typeof part === 'string' && typeof whole === 'string') return whole.startsWith(part);
  if (Array.isArray(part) && Array.isArray(whole)) {
    return part.length <= whole.length && part.every((value, index) => isEarlier(value, whole[index]));
  }
  if (isObject(part) && isObject(whole)) {
    return Object.entries(part).every(([key, value]) => key in whole && isEarlier(value, whole[key]));
  }
  // A number may be cut after any digit; other scalars come whole.
  return typeof part === 'number' ? typeof whole === 'number' : Object.is(part, whole);
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

describe('partial-json, in place of pi-ai json-parse', () => {
  it('gives exactly the arguments pi-ai gives, whatever the deltas', () =>
    fc.assert(
      fc.property(toolArguments, fc.array(fc.integer({ min: 1, max: 900 }), { minLength: 1 }), (args, deltas) => {
        const text = JSON.stringify(args);
        same(stream(text, deltas), theirs(text));
      }),
      runs(40, 1_500),
    ));

  it('gives exactly what pi-ai gives for a text cut anywhere, in its last call', () =>
    fc.assert(
      fc.property(
        toolArguments,
        fc.double({ min: 0, max: 1, noNaN: true }),
        fc.integer({ min: 1, max: 700 }),
        (args, where, size) => {
          const text = JSON.stringify(args);
          const cut = text.slice(0, Math.floor(text.length * where));
          same(stream(cut, [size]), theirs(cut));
        },
      ),
      runs(40, 1_500),
    ));

  it('gives, for every prefix of a short text, what pi-ai gives', () => {
    const text = JSON.stringify({
      path: 'ä "b" \\ c.txt',
      n: -12.5e3,
      on: true,
      off: null,
      list: [1, [2], { a: '\n' }],
    });
    for (let end = 0; end <= text.length; end += 1) {
      assert.deepEqual(parseStreamingJson(text.slice(0, end)), theirs(text.slice(0, end)), text.slice(0, end));
    }
  });

  it('shows on the way only what an earlier call could have shown, and never goes back', () => {
    // Without fractions: pi-ai itself takes back `1.` and `1e` until the next digit.
    const value = fc.oneof(longText, fc.integer(), fc.boolean(), fc.array(fc.string(), { maxLength: 3 }));
    const argumentsWithoutFractions = fc.dictionary(fc.string({ maxLength: 12 }), value, { maxKeys: 5 });
    fc.assert(
      fc.property(argumentsWithoutFractions, fc.integer({ min: 20, max: 400 }), (args, size) => {
        let before: unknown = {};
        stream(JSON.stringify(args), [size], (soFar, now) => {
          assert.ok(isEarlier(now, theirs(soFar)), `not a prefix at ${soFar.length}`);
          assert.ok(isEarlier(before, now), `went back at ${soFar.length}`);
          before = now;
        });
      }),
      runs(20, 600),
    );
  });

  it('keeps calls apart that stream at once, also when their texts are equally long', () => {
    const calls = ['a', 'b', 'c'].map(letter => JSON.stringify({ name: letter, content: letter.repeat(30_000) }));
    const soFar = calls.map(() => '');
    for (let at = 0; at < calls[0]!.length; at += 40) {
      calls.forEach((text, index) => {
        const grown = (soFar[index] ?? '') + text.slice(at, at + 40);
        soFar[index] = grown;
        const value = parseStreamingJson(grown) as { name?: string; content?: string };
        const letter = text.charAt(9);
        assert.ok(value.name === undefined || value.name === letter);
        assert.ok(new RegExp(`^${letter}*$`).test(value.content ?? ''), `${letter} shows another call's text`);
      });
    }
    calls.forEach((text, index) => assert.deepEqual(parseStreamingJson(soFar[index]), JSON.parse(text)));
  });

  it('tells a text from one that is only as long', () => {
    const one = JSON.stringify({ content: 'a'.repeat(9_000) });
    const other = JSON.stringify({ content: 'b'.repeat(9_000) });
    parseStreamingJson(one.slice(0, 5_000));
    assert.deepEqual(parseStreamingJson(other.slice(0, 5_000)), theirs(other.slice(0, 5_000)));
    assert.deepEqual(parseStreamingJson(other), JSON.parse(other));
  });

  it('is not misled by an abandoned call with the same beginning', () => {
    const text = JSON.stringify({ content: 'a'.repeat(6_000) });
    for (const end of [5_000, 5_400, 5_900]) stream(text.slice(0, end), [100]);
    same(stream(text, [50]), JSON.parse(text));
    same(stream(text, [100]), JSON.parse(text));
  });

  it('does not start over at each delta', () => {
    const text = JSON.stringify({ path: 'a.txt', content: 'line "x"\n'.repeat(22_000) });
    const values = new Set<unknown>();
    const final = stream(text, [40], (_soFar, value) => values.add(value));
    assert.deepEqual(final, JSON.parse(text));
    const calls = Math.ceil(text.length / 40);
    assert.ok(values.size < calls / 10, `${values.size} of ${calls} calls parsed`);
  });

  it('repairs as pi-ai does', () => {
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom('"', '\\', 'u', '00e9', '\n', '\t', '\u0001', 'n', 'x', ' ', '{', ':')),
        parts => {
          const text = parts.join('');
          assert.equal(repairJson(text), theirRepair(text));
        },
      ),
      runs(300, 5_000),
    );
    assert.deepEqual(parseJsonWithRepair('{"path":"C:\\work","text":"a\nb"}'), { path: 'C:\\work', text: 'a\nb' });
    assert.throws(() => parseJsonWithRepair('{"a":'), SyntaxError);
  });
});
