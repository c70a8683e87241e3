import assert from 'node:assert/strict';
import { readHostMessage, readPageMessage, type WebviewToHost } from '../../src/protocol/messages';
import {
  anything,
  boolean,
  list,
  literal,
  narrowed,
  nullable,
  number,
  object,
  oneOf,
  optional,
  pair,
  record,
  tagged,
  text,
  type Of,
} from '../../src/protocol/base/shape';

describe('shapes of messages', () => {
  const Pet = object({
    name: text,
    legs: optional(narrowed(number, legs => legs >= 0, 'below zero')),
    owner: nullable(text),
    tricks: list(pair(text, number)),
    marks: record(boolean),
    stray: optional(literal(true)),
    more: anything,
  });
  const pet: Of<typeof Pet> = { name: 'Rex', owner: null, tricks: [['sit', 2]], marks: { brave: true } };

  it('let a value through that fits, whatever else it has', () => {
    assert.equal(Pet(pet), undefined);
    assert.equal(Pet({ ...pet, legs: 4, owner: 'Ada', stray: true, more: {}, age: 3 }), undefined);
  });

  const misfits: readonly (readonly [change: object, problem: string])[] = [
    [{ name: 5 }, '.name is not a text'],
    [{ legs: -1 }, '.legs is below zero'],
    [{ legs: Number.NaN }, '.legs is not a finite number'],
    [{ legs: null }, '.legs is not a finite number'],
    [{ owner: undefined }, '.owner is not a text'],
    [{ tricks: {} }, '.tricks is not a list'],
    [{ tricks: [['sit', 2], ['roll']] }, '.tricks[1] is not a pair'],
    [{ tricks: [['sit', '2']] }, '.tricks[0][1] is not a finite number'],
    [{ marks: [] }, '.marks is not an object'],
    [{ marks: { brave: 1 } }, '.marks.brave is neither true nor false'],
    [{ stray: false }, '.stray is not true'],
  ];
  for (const [change, problem] of misfits) {
    it(`say where a value differs: ${problem}`, () => assert.equal(Pet({ ...pet, ...change }), problem));
  }

  it('tell variants apart by their tag, and by no inherited name', () => {
    const Answer = tagged('kind', { yes: {}, no: { why: oneOf('late', 'never') } });
    const given: Of<typeof Answer> = { kind: 'no', why: 'late' };
    assert.equal(Answer(given), undefined);
    assert.equal(Answer({ kind: 'no', why: 'soon' }), '.why is not one of late, never');
    for (const kind of ['toString', '__proto__', undefined, 1]) {
      assert.equal(Answer({ kind }), '.kind is not one of yes, no');
    }
    for (const value of [undefined, null, 'yes', [], 1]) assert.equal(Answer(value), ' is not an object');
  });

  it('read messages of the page, and say why one is none', () => {
    const sent: WebviewToHost = { type: 'openFile', path: '/a.ts', line: 2 };
    assert.equal(readPageMessage(sent), sent);
    const problems: string[] = [];
    const wrong = [null, { type: 'unknown' }, { type: 'openFile', path: 1 }, { type: 'cells', cells: { columns: 0 } }];
    for (const message of wrong) {
      assert.equal(
        readPageMessage(message, problem => problems.push(problem.slice(0, 40))),
        undefined,
      );
    }
    assert.deepEqual(problems, [
      'is not an object',
      '.type is not one of ready, focused, earl',
      '.path is not a text',
      '.cells.columns is not a number of cells',
    ]);
  });

  it('look into the items of a conversation', () => {
    const item = { kind: 'notice', id: 'n', level: 'info', text: 'x' };
    assert.ok(readHostMessage({ type: 'item', revision: 1, item }));
    assert.equal(readHostMessage({ type: 'item', revision: 1, item: { ...item, level: 'loud' } }), undefined);
    assert.equal(readHostMessage({ type: 'item', item }), undefined);
  });
});
