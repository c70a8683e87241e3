import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { syntaxProblem } from '../../src/hook-load/compile/compile';
import { asOrdinaryUser } from '../support/ordinary-user';
import { Loading } from './support/loading';
import { TempFiles } from './support/temp-files';
import { itOnPosix } from '../support/platform';

describe('a hook that does not load says why and where', () => {
  let loading: Loading;
  const given = (files: Readonly<Record<string, string>>, options = {}): Loading => {
    loading = new Loading(new TempFiles(files), options);
    return loading;
  };
  afterEach(() => loading.end());

  it('syntax error', async () => {
    given({ 'h.ts': 'export default function (pi) {\n  const a = ;\n}\n' });
    assert.deepEqual(await loading.problem('h.ts'), {
      message: 'Failed to load hook: Unexpected token (2:13)',
      file: loading.files.path('h.ts'),
      line: 2,
      column: 13,
    });
  });

  it('without the path that Babel puts before it, on any system', () => {
    for (const path of ['/', '/w/h.ts', 'Z:\\', 'C:\\w ü\\h.ts', '\\\\host\\share\\h.ts', 'c:\\']) {
      const { message } = syntaxProblem(new SyntaxError(`${path}: Unexpected token, expected ":" (1:2)`), 'other.ts');
      assert.equal(message, 'Unexpected token, expected ":"', path);
    }
  });

  it('half-written file', async () => {
    given({ 'h.ts': 'export default function (pi) {\n  pi.on("tool_call", async () => {\n' });
    const problem = await loading.problem('h.ts');
    assert.match(problem.message, /^Failed to load hook: Unexpected token \(3:1\)$/);
    assert.equal(problem.line, 3);
  });

  it('syntax error in a file it imports: that file is to blame', async () => {
    given({
      'h.ts': 'import { a } from "./lib/a.js";\nexport default () => a;\n',
      'lib/a.ts': 'import "./b";\nexport const a = 1;\n',
      'lib/b.ts': '\n\nconst 1x;\n',
    });
    const problem = await loading.problem('h.ts');
    assert.equal(problem.file, loading.files.path('lib', 'b.ts'));
    assert.equal(problem.line, 3);
    assert.equal(problem.column, 8);
  });

  it('broken JSON that it imports', async () => {
    given({ 'h.ts': 'import a from "./a.json";\nexport default () => a;\n', 'a.json': '{\n  "a": 1,\n}\n' });
    const problem = await loading.problem('h.ts');
    assert.match(problem.message, /^Failed to load hook: Invalid JSON/);
    assert.equal(problem.file, loading.files.path('a.json'));
    assert.equal(problem.line, 3);
  });

  const MISSING: Readonly<Record<string, readonly [text: string, specifier: string]>> = {
    'package, imported': ['import x from "left-padding";\nexport default () => x;\n', 'left-padding'],
    'package, required': ['\nconst x = require("left-padding");\nexport default () => x;\n', 'left-padding'],
    'file, imported': ['export { x as default } from "./gone.js";\n', './gone.js'],
    'file, required': ['\n\n  require("../gone");\nexport default () => 1;\n', '../gone'],
  };
  for (const [kind, [text, specifier]] of Object.entries(MISSING)) {
    it(`missing ${kind}`, async () => {
      given({ 'h.ts': `import "./m.ts"; export default () => 1;`, 'm.ts': text });
      const problem = await loading.problem('h.ts');
      const importer = loading.files.path('m.ts');
      assert.equal(problem.message, `Failed to load hook: Cannot find module '${specifier}', imported by ${importer}`);
      assert.equal(problem.file, importer);
      const line = text.split('\n').findIndex(each => each.includes(specifier));
      assert.equal(problem.line, line + 1);
      assert.equal(problem.column, text.split('\n')[line]!.indexOf(specifier));
    });
  }

  it('missing module that the hook itself can do without', async () => {
    given({
      'h.ts': `let found = "no"; try { require("left-padding") } catch (error) { found = error.code }
        const late = await import("./gone.js").catch(error => error.code); export default () => [found, late];`,
    });
    assert.deepEqual(await loading.run('h.ts'), ['MODULE_NOT_FOUND', 'MODULE_NOT_FOUND']);
  });

  it('no default export', async () => {
    given({ 'h.ts': 'export const a = 1;\n', 'n.ts': 'export default 5;\n', 'empty.ts': '' });
    for (const name of ['h.ts', 'n.ts', 'empty.ts']) {
      const file = loading.files.path(name);
      assert.deepEqual(await loading.problem(name), { message: 'Hook must export a default function', file });
      assert.deepEqual(await loading.problem(name, 'extensions'), {
        message: `Extension does not export a valid factory function: ${file}`,
        file,
      });
    }
  });

  it('top-level code that throws, placed by the map', async () => {
    given({ 'h.ts': 'type A = {\n  a: 1;\n};\nconst at = 1; throw new Error("no luck");\nexport default () => 1;\n' });
    assert.deepEqual(await loading.problem('h.ts'), {
      message: 'Failed to load hook: no luck',
      file: loading.files.path('h.ts'),
      line: 4,
      column: 21,
    });
  });

  it('an imported file that throws: that file is to blame, also on line 1', async () => {
    given({ 'h.ts': 'import "./a.js"; export default () => 1;', 'a.ts': 'const x: number = 1; null.foo;' });
    const problem = await loading.problem('h.ts', 'extensions');
    assert.match(problem.message, /^Failed to load extension: Cannot read properties of null/);
    assert.equal(problem.file, loading.files.path('a.ts'));
    assert.equal(problem.line, 1);
    assert.ok([22, 27].includes(problem.column ?? 0), String(problem.column));
  });

  it('something thrown that is no error', async () => {
    given({ 'h.ts': 'throw "just text"; export default () => 1;' });
    assert.deepEqual(await loading.problem('h.ts'), {
      message: 'Failed to load hook: just text',
      file: loading.files.path('h.ts'),
    });
  });

  it('a file that vanished', async () => {
    given({});
    const problem = await loading.problem('gone.ts');
    assert.match(problem.message, /^Failed to load hook: ENOENT.*gone\.ts/);
    assert.equal(problem.file, loading.files.path('gone.ts'));
  });

  itOnPosix('a file that cannot be read', () =>
    asOrdinaryUser(async folder => {
      const { files } = given({});
      writeFileSync(join(folder, 'secret.ts'), 'export default () => 1', { mode: 0 });
      const problem = await loading.problem(relative(files.root, join(folder, 'secret.ts')));
      assert.match(problem.message, /^Failed to load hook: EACCES.*secret\.ts/);
    }),
  );

  it('top-level code that never ends', async () => {
    given({ 'h.ts': 'await new Promise(() => undefined); export default () => 1;' }, { loadTimeoutMs: 50 });
    const problem = await loading.problem('h.ts');
    assert.equal(problem.message, 'Failed to load hook: its top-level code did not finish within 50 ms');
  });

  it('code that Babel accepts and V8 rejects', async () => {
    given({ 'h.ts': 'import "./a.cjs"; export default () => 1;', 'a.cjs': 'const require = 1;' });
    assert.match((await loading.problem('h.ts')).message, /^Failed to load hook: .*require.*already been declared/);
  });

  it('a file of another tool is never executed', async () => {
    given({ 'h.sh': '#!/bin/sh\nrm -rf /' });
    const path = loading.files.path('h.sh');
    const file = { path, group: 'hooks', unsupported: 'Failed to load hook: a script' } as const;
    assert.deepEqual(await loading.loader.load(file, loading.scope()), {
      ok: false,
      problems: [{ message: 'Failed to load hook: a script', file: path }],
    });
  });

  it('what a failed load opened is closed', async () => {
    given({
      'h.ts': `import { createServer } from "node:http"; createServer().listen(0, "127.0.0.1");
        setInterval(() => {}, 10); throw new Error("late");`,
    });
    await loading.problem('h.ts');
    assert.ok(loading.scopes[0]!.isReleased);
    assert.equal(loading.scopes[0]!.size, 0);
  });
});
