import assert from 'node:assert/strict';
import { Rig } from '../support/conversation-rig';

describe('errors and names of a hook', () => {
  let rig: Rig;
  afterEach(() => rig.close());
  const failure = (name: string): unknown => {
    const state = rig.host.infos().find(({ path }) => path.endsWith(name))?.state;
    return state?.type === 'failed' && state.problems.map(({ message, line }) => [message, line]);
  };

  it('are told in the words of the author, while it loads and while it runs', async () => {
    rig = await Rig.open([{ text: 'done' }], {
      hooks: {
        'a.ts': 'import { nope } from "./lib/x.ts";\nexport default pi => {\n  nope(pi);\n};\n',
        'b.ts': 'import { Foo } from "./lib/x.ts";\nexport default pi => {\n  new Foo();\n};\n',
        'c.ts': 'import gone from "./lib/x.ts";\nexport default pi => {\n  gone();\n};\n',
        'd.ts': 'const _own = { get: 1 };\nexport default pi => {\n  _own.get();\n};\n',
        'e.ts': 'import { nope } from "./lib/x.ts";\nexport default pi => {\n  pi.on("turn_end", () => nope());\n};\n',
        'f.ts': 'const require: any = {};\nexport default () => {\n  require("x");\n};\n',
        'lib/x.ts': 'export const x = 1;\n',
      },
    });
    assert.deepEqual(failure('a.ts'), [['Failed to load hook: nope is not a function', 3]]);
    assert.deepEqual(failure('b.ts'), [['Failed to load hook: Foo is not a constructor', 3]]);
    assert.deepEqual(failure('c.ts'), [['Failed to load hook: the default export is not a function', 3]]);
    assert.deepEqual(failure('d.ts'), [['Failed to load hook: _own.get is not a function', 3]]);
    assert.deepEqual(failure('f.ts'), [['Failed to load hook: require is not a function', 3]]);
    const told: string[] = [];
    rig.host.onError(({ message, line, stack }) =>
      told.push(`${message} ${line ?? ''} ${stack?.split('\n')[0] ?? ''}`),
    );
    await rig.chat.submit('go');
    assert.deepEqual(told, ['nope is not a function 3 TypeError: nope is not a function']);
  });

  it('are a problem on their line where a command cannot be typed by its name', async () => {
    rig = await Rig.open([], {
      hooks: {
        'names.ts': `export default pi => {
  for (const name of ['two words', '/slash', '', 'fine']) pi.registerCommand(name, { handler: async () => {} });
};\n`,
      },
    });
    assert.deepEqual(
      rig.host.problems().map(({ message, line }) => `${line ?? ''}: ${message}`),
      [
        '2: registerCommand was called without a name. The call has no effect.',
        '2: Command "two words" cannot be typed: a name is one word.',
        '2: Command "/slash" has to be typed with two slashes.',
      ],
    );
  });
});
