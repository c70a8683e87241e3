import assert from 'node:assert/strict';
import { Session } from 'node:inspector';
import { Script } from 'node:vm';
import { wrapperOf } from '../../../src/hook-load/compile/compile';
import { compileFast } from '../../../src/hook-load/compile/fast-compile';
import { PositionMap, splitMap } from '../../../src/hook-load/compile/source-map';
import { babelCode, exportsOf, fastCode, outcomeOf, request } from './both-compilers';

const BASE = `
  const log: string[] = [];
  class Base {
    readonly base: unknown;
    constructor(base?: unknown) { log.push('base'); this.base = base; }
    who() { return 'base'; }
  }`;

/** Exports the properties of an instance as texts, and the log. */
const SHOW = `
  const show = (key: string, value: unknown) => (value === undefined || typeof value === 'function' ? typeof value : value);
  const made = Object.entries(new (A as any)(1, 2, 3, 4)).map(each => JSON.stringify(each, show));
  export const got = [...made, ...log, A.length];`;

const POSITIONS = `class Strict {
  set bad(value: number) { throw new Error(String(value)); }
}
export class Default {
  constructor(private a: string, /** Why. */ protected readonly b = fail(a)) {}
}
export class Body {
  constructor(
    // The first.
    private readonly a: string,
    public b?: number,
  ) {
    fail(this.a + b);
  }
}
export class Setter extends Strict {
  constructor(
    private readonly a: string,
    public bad: number,
  ) {
    super();
  }
}
export class Super extends Body {
  constructor(private readonly c: string) {
    super(c); fail('never');
  }
  last() { for (;;) fail(this.c); }
}
function fail(text: string): never { throw new Error(text); }
`;

describe('parameters that are properties', () => {
  for (const [what, text] of [
    ['each modifier', 'class A { constructor(private a: 1, protected b: 2, public c: 3, readonly d: 4) {} }'],
    ['several modifiers', 'class A { constructor(public readonly a: 1, private  /* and */ readonly b?: 2) {} }'],
    [
      'a modifier of an overridden property',
      'class A extends Base { constructor(override base: 1, public override readonly who: never) { super(); } }',
    ],
    [
      'other parameters between them',
      'class A { constructor(a: 1, readonly b: 2, { c }: { c?: 3 }, private d: 4, ...rest: 5[]) {} }',
    ],
    ['names that are modifiers', 'class A { constructor(readonly readonly: 1, readonly override: 2) {} }'],
    [
      'default values',
      'class A { constructor(private a = 5, readonly b = [a, { c: (1, 2) }], x = 1, y = 2, private d = () => log.push(`${a}, private e`)) { this.d(); } }',
    ],
    [
      'an absent value',
      'class A { constructor(private a: 1, private b: 2, private c: 3, private d: 4, private e: unknown, readonly f?: 6) {} }',
    ],
    [
      'fields before them',
      'class A { own = [1, this.a]; declare typed: 1; untyped: 2; constructor(private a: 1) {} after = Object.keys(this); }',
    ],
    [
      'statements that use them',
      'class A { sum; constructor(private a: number, private b: number) { this.sum = this.a + b; a = 7; this.b += 1; } }',
    ],
    [
      'directives',
      "class A { keys; constructor(private a: 1) { 'use first'; 'use second'; this.keys = Object.keys(this); log.push('ran'); } }",
    ],
    [
      'a directive without a semicolon',
      "class A { keys; constructor(private a: 1) { 'use it'\n this.keys = Object.keys(this) } }",
    ],
    [
      'a variable of the same name',
      'class A { constructor(private a: unknown, private b: unknown = 1) { var a: unknown = 8, b: unknown = 9; log.push(String([a, b])); } }',
    ],
    [
      'a call of `super`',
      "class A extends Base { own = [this.base, this.a]; constructor(private a: 1, readonly b = 2) { log.push('before'); super(a); log.push(String(this.a), super.who()); } }",
    ],
    [
      'a call of `super` without a semicolon',
      'class A extends Base { constructor(private a: 1) {\n super([a].map(each => log.push(String(each))))\n log.push(String(this.a))\n } }',
    ],
    ['a body that is nothing else', 'class A extends Base { constructor(private a: 1) { super() } }'],
    [
      'a class that is an expression',
      'const A = class Named extends Base { constructor(private a: 1) { super(Named.name); } };',
    ],
    [
      'classes in each other',
      'class A { inner; constructor(private a: 1) { this.inner = new (class { constructor(readonly b: number) {} })(a + 1); } }',
    ],
    [
      'overloads',
      'class A { constructor(a: 1); constructor(a: 1, b: 2); constructor(private a: 1, private b?: 2) {} }',
    ],
    [
      'names of what jiti passes',
      'const module = 1; class A { constructor(private module: 1, readonly require: 2, private exports: 3) { log.push(String(module)); } }',
    ],
    [
      'text that looks like them',
      "class A { constructor(private a = 'b, private c', /* private d */ readonly e = /, private f/.source) {} }",
    ],
    [
      'types with commas',
      'class A { constructor(private a: Map<string, readonly string[]>, private b: (x: 1, y: 2) => { readonly c: 1, d: 2 } = () => a as never) {} }',
    ],
    [
      'many lines',
      'class A {\n constructor(\n // One.\n private a: {\n b: 1;\n },\n /**\n * Two, (private c: 3)\n */\n public d = {\n e: 1,\n },\n ) {}\n }',
    ],
  ] as const) {
    it(`sets them with ${what}`, async () => {
      const source = `${BASE}\n${text}\n${SHOW}`;
      const { got } = await exportsOf(source);
      assert.ok(Array.isArray(got) && got.length > 1, String(got));
      assert.equal(fastCode(source).split('\n').length, source.split('\n').length + 2);
    });
  }

  it('has the values of fields from before they are set, as Babel does', async () => {
    const { got } = await exportsOf(
      'class A { own = [this.a]; constructor(private a: 1) {} } export const got = Object.entries(new A(1));',
    );
    assert.deepEqual(got, [
      ['own', [undefined]],
      ['a', 1],
    ]);
  });

  it('imports, exports and is exported', async () => {
    const exports = await exportsOf(`
      import { count, who } from './es';
      export class A { constructor(private one = who(), private count: unknown = one) {} }
      export default class extends A { constructor(readonly a = who()) { super(a, count); } }
      export const got = [new A(), new (class { constructor(readonly other = count) {} })()].flatMap(each => Object.values(each));`);
    assert.deepEqual(exports['got'], ['nobody', 'nobody', 1]);
    const Default = exports['default'] as new () => object;
    assert.deepEqual(Object.entries(new Default()), Object.entries({ one: 'nobody', count: 1, a: 'nobody' }));
  });

  for (const [name, args, text] of [
    ['Default', ['a'], 'fail(a)'],
    ['Body', ['a', 1], 'fail(this.a + b)'],
    ['Setter', ['a', 1], 'public bad'],
    ['Super', ['a'], 'super(c)'],
  ] as const) {
    it(`maps an error of ${name} to where it was written`, async () => {
      const code = fastCode(POSITIONS);
      const { exports } = await outcomeOf(code);
      const Class = exports[name] as new (...all: readonly unknown[]) => object;
      assert.throws(
        () => new Class(...args),
        ({ stack = '' }: Error) => {
          const frame = stack.split('\n').find(each => each.includes(`new ${name} `)) ?? '';
          const [, line, column] = /:(\d+):(\d+)\)$/.exec(frame) ?? [];
          const at = new PositionMap(() => code).original({ line: Number(line), column: Number(column) });
          assert.equal(`${at.line}:${at.column}`, placeOf(POSITIONS, text));
          return true;
        },
      );
    });
  }

  it('stops at breakpoints where Babel does, and where a property is set', () => {
    const places = (texts: readonly string[]): readonly string[] => texts.map(text => placeOf(POSITIONS, text));
    const statements = places(['fail(a)', 'fail(this.a + b)', 'super();', 'super(c)', "fail('never')", 'fail(this.c)']);
    const properties = places([
      'private a',
      'protected',
      'private readonly a',
      'public b?',
      'public bad',
      'private readonly c',
    ]);
    const missing = (code: string, expected: readonly string[]): readonly string[] => {
      const found = breakpoints(code);
      return expected.filter(place => !found.includes(place));
    };
    assert.deepEqual(missing(babelCode(POSITIONS), statements), []);
    assert.deepEqual(missing(fastCode(POSITIONS), [...statements, ...properties]), []);
  });

  for (const [what, source] of [
    [
      'a call of `super` in a function',
      'class A extends B { constructor(private a: 1) { const call = () => super(); call(); } }',
    ],
    [
      'a call of `super` under a condition',
      'class A extends B { constructor(private a: 1) { if (a) super(); else super(a); } }',
    ],
    [
      'a second call of `super`',
      'class A extends B { constructor(private a: 1) { if (a) { super(); return; } super(a); } }',
    ],
    ['a call of `super` in an expression', 'class A extends B { constructor(private a: 1) { const self = super(); } }'],
    ['a missing call of `super`', 'class A extends B { constructor(private a: 1) { return {}; } }'],
    ['a decorated parameter', 'class A { constructor(@dec private a: 1) {} }'],
    ['a decorated class', '@dec class A { constructor(private a: 1) {} }'],
    ['an overload with a property', 'class A { constructor(private a: 1); constructor(a: 1) {} }'],
    ['a declared class', 'declare class A { constructor(private a: 1) }'],
    ['a constructor in a comment', '// constructor(private a: 1)\nexport {};'],
    ['a constructor in a text', "export const a = 'constructor(private a: 1)';"],
  ] as const) {
    it(`leaves ${what} to Babel`, () => {
      assert.equal(compileFast(request(source)), undefined);
      babelCode(source);
    });
  }

  for (const [what, source] of [
    ['a pattern', 'class A { constructor(private { a }: B) {} }'],
    ['a rest parameter', 'class A { constructor(private ...a: 1[]) {} }'],
    ['modifiers in a wrong order', 'class A { constructor(readonly private a: 1) {} }'],
    ['a modifier twice', 'class A { constructor(private private a: 1) {} }'],
    ['a modifier on another line', 'class A { constructor(private\n a: 1) {} }'],
    ['a modifier before a comment of two lines', 'class A { constructor(private /*\n*/ a: 1) {} }'],
    ['a modifier of no parameter', 'class A { constructor(private) {} }'],
    ['a method', 'class A { static constructor(private a: 1) {} }'],
    ['a method of an object', 'const a = { constructor(private a: 1) {} };'],
    ['a parameter of a default value', 'class A { constructor(a = (private b: 1) => b) {} }'],
    ['a class with an error', 'class A { constructor(private a: 1) { super(); } }'],
  ] as const) {
    it(`leaves an error to Babel: ${what}`, () => {
      assert.equal(compileFast(request(source)), undefined);
      assert.throws(() => babelCode(source));
    });
  }
});

/** Where a text stands first, as `line:column`. */
function placeOf(source: string, text: string): string {
  const lines = source.slice(0, source.indexOf(text) + 1).split('\n');
  return `${lines.length}:${lines.at(-1)?.length ?? 0}`;
}

/** Where a debugger can stop, as `line:column` of the source. */
function breakpoints(code: string): readonly string[] {
  const map = new PositionMap(() => code);
  const session = new Session();
  session.connect();
  try {
    const scripts: string[] = [];
    session.on('Debugger.scriptParsed', ({ params }) => scripts.push(params.scriptId));
    session.post('Debugger.enable');
    scripts.length = 0;
    new Script(`${wrapperOf(true)}${splitMap(code).bare}})`, { filename: 'breakpoints.js' }).runInThisContext();
    const start = { scriptId: scripts.at(-1) ?? '', lineNumber: 0, columnNumber: 0 };
    const found: string[] = [];
    session.post('Debugger.getPossibleBreakpoints', { start }, (error, { locations }) => {
      assert.equal(error, null);
      for (const { lineNumber, columnNumber = 0 } of locations) {
        const at = map.original({ line: lineNumber + 1, column: columnNumber + 1 });
        found.push(`${at.line}:${at.column}`);
      }
    });
    return [...new Set(found)];
  } finally {
    session.disconnect();
  }
}
