import assert from 'node:assert/strict';
import { Type as Legacy } from '@sinclair/typebox';
import { Type } from 'typebox';
import { checkedArguments } from '../../../../src/agent/tools/arguments/check-arguments';
import { createBuiltinTools } from '../../../../src/agent/tools';

const object = (properties: object, required: readonly string[] = []): object => ({
  type: 'object',
  properties,
  required,
});

/** The lines about what is wrong, without what stands around them. */
function problems(schema: object, args: unknown): readonly string[] {
  try {
    checkedArguments('t', schema, args);
    return [];
  } catch (error) {
    const [head = '', ...rest] = String(error).split('\n');
    assert.equal(head, 'Error: Validation failed for tool "t":');
    return rest.slice(0, rest.indexOf('')).map(line => line.replace('  - ', ''));
  }
}

describe('checkedArguments', () => {
  it('tells the model in the words of pi what is wrong', () => {
    const read = createBuiltinTools({ cwd: '/' }).find(({ name }) => name === 'read');
    assert.ok(read);
    assert.throws(() => checkedArguments('read', read.parameters as object, { wrong: 1 }), {
      message: 'Validation failed for tool "read":\n  - path: missing\n\nReceived arguments:\n{\n  "wrong": 1\n}',
    });
    assert.throws(() => checkedArguments('read', read.parameters as object, { path: 'x', limit: 'many' }), {
      message:
        'Validation failed for tool "read":\n  - limit: expected number, got string\n\n' +
        'Received arguments:\n{\n  "path": "x",\n  "limit": "many"\n}',
    });
  });

  for (const [name, types] of [
    ['@sinclair/typebox', Legacy],
    // What is used here is called alike in both.
    ['typebox', Type as unknown as typeof Legacy],
  ] as const) {
    it(`takes what means the right thing, by a schema of ${name}`, () => {
      const schema = types.Object({
        number: types.Number(),
        whole: types.Integer(),
        flag: types.Boolean(),
        text: types.String(),
        list: types.Array(types.String()),
        optional: types.Optional(types.String()),
        either: types.Union([types.Literal('a'), types.Literal(5)]),
      });
      const given = { number: '2.5', whole: '7', flag: 'true', text: 5, list: 'one', optional: null, either: '5' };
      assert.deepEqual(checkedArguments('t', schema, given), {
        number: 2.5,
        whole: 7,
        flag: true,
        text: '5',
        list: ['one'],
        either: 5,
      });
      assert.equal(given.number, '2.5');
    });
  }

  it('keeps null where it is allowed, and what no schema names', () => {
    const schema = object({ a: { type: ['string', 'null'] }, b: { anyOf: [{ type: 'number' }, { type: 'null' }] } });
    const given = { a: null, b: null, other: { c: null } };
    assert.deepEqual(checkedArguments('t', schema, given), given);
  });

  it('converts inside lists, nested objects, references and alternatives', () => {
    const schema = {
      ...object({
        list: { type: 'array', items: object({ n: { type: 'number' }, gone: { type: 'string' } }) },
        point: { $ref: '#/$defs/point' },
        named: { type: 'object', additionalProperties: { type: 'boolean' } },
        either: { anyOf: [object({ n: { type: 'integer' } }, ['n']), { type: 'array', items: { type: 'integer' } }] },
      }),
      $defs: { point: object({ x: { type: 'number' } }) },
    };
    const given = { list: [{ n: '1', gone: null }], point: { x: '2' }, named: { a: 'false' }, either: ['3'] };
    assert.deepEqual(checkedArguments('t', schema, given), {
      list: [{ n: 1 }],
      point: { x: 2 },
      named: { a: false },
      either: [3],
    });
  });

  const cases: readonly (readonly [schema: object, args: object, problems: readonly string[]])[] = [
    [object({ a: { type: 'object' } }, ['a', 'b']), { a: [] }, ['b: missing', 'a: expected object, got array']],
    [{ ...object({}), additionalProperties: false }, { x: 1 }, ['x: unknown field']],
    [object({ a: { type: 'integer', minimum: 3 } }), { a: 1 }, ['a: expected >= 3']],
    [
      object({ a: { type: 'string', minLength: 2, pattern: '^b' } }),
      { a: 'a' },
      ['a: expected at least 2 characters', 'a: expected to match ^b'],
    ],
    [object({ a: { type: 'array', maxItems: 1 } }), { a: [1, 2] }, ['a: expected at most 1 items']],
    [object({ a: { enum: ['x', 5] } }), { a: 'y' }, ['a: expected one of ["x",5]']],
    [object({ a: { const: 'x' } }), { a: 'y' }, ['a: expected "x"']],
    [object({ a: { type: ['number', 'null'] } }), { a: 'y' }, ['a: expected number or null, got string']],
    [
      object({ a: { type: 'array', items: { type: 'number' } } }),
      { a: [1, 'b', 2.5] },
      ['a.1: expected number, got string'],
    ],
    [
      object({ a: { anyOf: [{ type: 'number' }, object({ b: { type: 'number' } }, ['b'])] } }),
      { a: {} },
      ['a.b: missing'],
    ],
    [
      object({
        a: {
          anyOf: [
            object({ kind: { const: 'x' }, n: { type: 'number' } }, ['kind', 'n']),
            object({ kind: { const: 'y' } }, ['kind']),
          ],
        },
      }),
      { a: { kind: 'x' } },
      ['a.n: missing'],
    ],
    [object({ a: { type: 'string', format: 'date' } }), { a: 'today' }, ['a: expected format date']],
    [object({}), [], ['root: expected object, got array']],
  ];
  for (const [schema, args, expected] of cases) {
    it(`says of ${JSON.stringify(args)}: ${expected.join(', ')}`, () => {
      assert.deepEqual(problems(schema, args), expected);
    });
  }

  it('is not led astray by a schema that names itself', () => {
    const schema = { ...object({ a: { $ref: '#' }, n: { type: 'number' } }) };
    assert.deepEqual(checkedArguments('t', schema, { a: { a: { n: '1' } } }), { a: { a: { n: 1 } } });
  });
});
