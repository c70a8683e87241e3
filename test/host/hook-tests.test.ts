import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as vscode from 'vscode';
import { withholdVariables } from '../../src/agent/tools/shell/process';
import { silentLog } from '../../src/base/log';
import { TEST_HELPER, testHelper } from '../../src/hook-insight/hook-tests/hook-test';
import { readTestFile } from '../../src/hook-insight/hook-tests/read-test-file';
import { TestFiles } from '../../src/vscode/hook-tests/test-files';
import { TestItems } from '../../src/vscode/hook-tests/test-items';
import { TestRuns } from '../../src/vscode/hook-tests/test-runs';
import { hookline, until, workspaceFolder } from './support/extension';
import { replace } from './support/replace';

const IMPORT = `import assert from 'node:assert/strict';\nimport './${TEST_HELPER}';\n`;

describe('hook tests', () => {
  let folder: string;
  before(() => {
    folder = join(workspaceFolder(), '.pi', 'hooks-test');
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, TEST_HELPER), testHelper('no such file'));
  });
  after(() => rmSync(folder, { recursive: true }));

  const write = (name: string, text: string): string => {
    const file = join(folder, name);
    writeFileSync(file, IMPORT + text);
    return file;
  };

  it('are found with their ranges, also after changes, and lost with their file', async () => {
    const { hookTests } = await (await hookline()).window.get();
    const file = write('own.test.mjs', `describe('suite', () => {\n  it('one', () => {});\n});\n`);
    const item = await until('the file is found', () => hookTests.controller?.items.get(file));
    const [[, suite] = []] = [...item.children];
    const [[, test] = []] = [...(suite?.children ?? [])];
    assert.deepEqual([item.label, suite?.label, test?.label], ['own.test.mjs', 'suite', 'one']);
    assert.deepEqual([suite?.range?.start.line, suite?.range?.end.line, test?.range?.start.line], [2, 4, 3]);
    write('own.test.mjs', `\nit('two', () => {});\n`);
    const two = await until('the change is noticed', () => [...item.children].find(([, each]) => each.label === 'two'));
    assert.deepEqual([item.children.size, two[1].range?.start.line], [1, 3]);
    write('own.test.mjs', `it('two', ( => {});\n`);
    assert.equal(await until('the error is shown', () => item.error), 'Line 3: Unexpected token');
    write('own.test.mjs', `import './gone.mjs';\n`);
    await until('the other error is shown', () => item.error === 'Line 3: The import "./gone.mjs" cannot be found');
    write('own.test.mjs', '');
    await until('the error is gone', () => item.error === undefined);
    rmSync(file);
    await until('the item is gone', () => hookTests.controller?.items.get(file) === undefined);
  });

  describe('in a run', () => {
    let controller: vscode.TestController;
    let items: TestItems;
    beforeEach(() => {
      controller = vscode.tests.createTestController('own', 'Own');
      items = new TestItems(controller);
    });
    afterEach(() => controller.dispose());

    /** Runs the tests and resolves with what VS Code was told. */
    async function run({
      include,
      isTrusted = true,
      debugs = false,
    }: { include?: vscode.TestItem[]; isTrusted?: boolean; debugs?: boolean } = {}) {
      const { ui } = await hookline();
      const told: string[] = [];
      const messages: vscode.TestMessage[] = [];
      const asked: (readonly string[])[] = [];
      let output = '';
      const create = controller.createTestRun.bind(controller);
      const restore = replace(controller, 'createTestRun', (...given) => {
        const made = create(...given);
        const note =
          (word: string) =>
          (test: vscode.TestItem, message?: unknown): void => {
            told.push(`${word} ${test.label}`);
            if (message instanceof vscode.TestMessage) messages.push(message);
          };
        const noted = {
          passed: note('passed'),
          failed: note('failed'),
          errored: note('errored'),
          skipped: note('skipped'),
        };
        return Object.assign(Object.create(made) as vscode.TestRun, noted, {
          ...{ enqueued: () => undefined, started: () => undefined, token: made.token },
          appendOutput: (text: string) => (output += text),
          end: () => {
            told.push('end');
            made.end();
          },
        });
      });
      const runs = new TestRuns(controller, items, {
        extensionDir: ui.place.dir,
        cli: join(ui.place.dir, 'dist', 'cli.js'),
        agentDir: folder,
        isTrusted: (...about) => {
          asked.push(about);
          return Promise.resolve(isTrusted);
        },
        variables: () => ({ HOOKLINE_SEEN: 'yes' }),
      });
      try {
        const request = new vscode.TestRunRequest(include);
        await runs.run(request, new vscode.CancellationTokenSource().token, debugs);
      } finally {
        restore();
        runs.dispose();
      }
      return { told, messages, output, asked };
    }

    async function show(...files: readonly string[]): Promise<void> {
      const read = await Promise.all(files.map(file => readTestFile(file)));
      items.show(read.filter(file => file !== undefined));
    }

    it('tell what passed, what was skipped, and what differs at which place', async () => {
      const file = write(
        'own.test.mjs',
        `it('one', () => console.log('printed', process.cwd(), process.env.HOOKLINE_SEEN));
it('two', () => {
  assert.deepEqual({ a: 1 }, { a: 2 });
});
it.skip('three', () => {});
for (const name of ['x']) it(\`computed \${name}\`, () => {});
`,
      );
      await show(file);
      const { told, messages, output } = await run();
      assert.deepEqual(told, ['passed one', 'failed two', 'skipped three', 'passed computed x', 'end']);
      const [message] = messages;
      assert.match(message?.expectedOutput ?? '', /a: 2/);
      assert.match(message?.actualOutput ?? '', /a: 1/);
      assert.equal(message?.location?.uri.fsPath, file);
      assert.deepEqual(message.location.range.start.line, 4);
      assert.match(output, new RegExp(`printed .*yes\r\n`));
      assert.equal(controller.items.get(file)?.children.size, 4, 'a test with a computed title has an item now');
    });

    it('run only what was chosen', async () => {
      const file = write('own.test.mjs', `it('one', () => {});\nit('two', () => {});\n`);
      await show(file);
      const [, two] = [...(controller.items.get(file)?.children ?? [])].map(([, item]) => item);
      assert.ok(two);
      assert.deepEqual((await run({ include: [two] })).told, ['passed two', 'end']);
    });

    it('have the error of a broken file on the file, and run the others', async () => {
      const broken = write('broken.test.mjs', `it('one', ( => {});\n`);
      const whole = write('whole.test.mjs', `it('one', () => {});\n`);
      await show(broken, whole);
      const { told, messages } = await run();
      assert.deepEqual(told, ['errored broken.test.mjs', 'passed one', 'end']);
      assert.deepEqual([messages[0]?.location?.uri.fsPath, messages[0]?.location?.range.start.line], [broken, 2]);
      rmSync(broken);
      rmSync(whole);
    });

    it('do not run in a folder that is not trusted, and say so', async () => {
      const file = write(
        'own.test.mjs',
        `import { writeFileSync } from 'node:fs';
writeFileSync(new URL('./ran.txt', import.meta.url), '');
it('one', () => {});
`,
      );
      await show(file);
      for (const debugs of [false, true]) {
        const { told, messages } = await run({ isTrusted: false, debugs });
        assert.deepEqual(told, ['errored one', 'end']);
        assert.match(JSON.stringify(messages[0]?.message), /is not trusted, so its hook tests do not run/);
        assert.equal(existsSync(join(folder, 'ran.txt')), false);
      }
      assert.deepEqual((await run()).told, ['passed one', 'end']);
      assert.ok(existsSync(join(folder, 'ran.txt')), 'it would have run');
    });

    it('ask once about the trust in a folder', async () => {
      const files = ['own', 'other'].map(name => write(`${name}.test.mjs`, `it('one', () => {});\n`));
      await show(...files);
      assert.deepEqual((await run()).asked, [[workspaceFolder(), folder]]);
      for (const file of files) rmSync(file);
    });

    it('see no variable that is withheld from commands', async () => {
      const withheld = withholdVariables(['OWN_KEY']);
      process.env['OWN_KEY'] = 'secret';
      process.env['OWN_OTHER'] = 'seen';
      try {
        const file = write(
          'own.test.mjs',
          `it('one', () => console.log('printed', process.env.OWN_KEY, process.env.OWN_OTHER));\n`,
        );
        await show(file);
        assert.match((await run()).output, /printed undefined seen/);
      } finally {
        withheld.dispose();
        delete process.env['OWN_KEY'];
        delete process.env['OWN_OTHER'];
      }
    });

    it('have the error of a file whose texts are cut', async () => {
      const file = write('own.test.mjs', `it('one', () => { throw new Error('x'.repeat(1_000_000)); });\n`);
      await show(file);
      const { messages } = await run();
      assert.match(JSON.stringify(messages[0]?.message), /x…x+\\nThe texts of this failure are longer/);
    });
  });

  describe('are searched for', () => {
    const elsewhere = join(workspaceFolder(), 'checks ü');
    const agentDir = join(workspaceFolder(), 'no agent');
    let kept: Map<string, unknown>;
    let searches: vscode.GlobPattern[];
    let watched: vscode.GlobPattern[];
    let undo: (() => void)[];
    beforeEach(() => {
      rmSync(join(folder, 'own.test.mjs'), { force: true });
      mkdirSync(elsewhere);
      writeFileSync(join(elsewhere, TEST_HELPER), testHelper('no such file'));
      writeFileSync(join(elsewhere, 'own.test.mjs'), `${IMPORT}it('one', () => {});\n`);
      kept = new Map();
      searches = [];
      watched = [];
      const { workspace } = vscode;
      const find = workspace.findFiles.bind(workspace);
      const watch = workspace.createFileSystemWatcher.bind(workspace);
      undo = [
        replace(workspace, 'findFiles', (...given) => {
          searches.push(given[0]);
          return find(...given);
        }),
        replace(workspace, 'createFileSystemWatcher', (...given) => {
          watched.push(given[0]);
          return watch(...given);
        }),
      ];
    });
    afterEach(async () => {
      for (const each of undo) each();
      await vscode.commands.executeCommand('workbench.action.closeAllEditors');
      rmSync(elsewhere, { recursive: true });
    });

    /** The files that a new window finds. */
    async function found(use: (files: TestFiles) => unknown = files => files.look()): Promise<readonly string[]> {
      const memory: vscode.Memento = {
        keys: () => [...kept.keys()],
        get: (key: string) => kept.get(key) as never,
        update: (key, value) => Promise.resolve(void kept.set(key, value)),
      };
      const files = new TestFiles(agentDir, memory, silentLog);
      try {
        await use(files);
        return files.files.map(({ path }) => path);
      } finally {
        files.dispose();
      }
    }

    it('in their usual folders only, until the Test Explorer asks; what it found stays found', async () => {
      assert.deepEqual(await found(), []);
      assert.deepEqual([searches, kept.size], [[], 0]);
      assert.deepEqual(await found(files => files.search()), [join(elsewhere, 'own.test.mjs')]);
      assert.equal(searches.length, 1);
      assert.deepEqual(await found(), [join(elsewhere, 'own.test.mjs')]);
      assert.equal(searches.length, 1);
      assert.ok(watched.length > 0);
      for (const pattern of watched) {
        assert.ok(pattern instanceof vscode.RelativePattern);
        assert.notEqual(`${pattern.baseUri.fsPath} ${pattern.pattern}`, `${workspaceFolder()} **`);
      }
    });

    it('in a folder with a common name that has the helper', async () => {
      const common = join(workspaceFolder(), 'spec');
      mkdirSync(common);
      try {
        writeFileSync(join(common, 'own.test.mjs'), `${IMPORT}it('one', () => {});\n`);
        assert.deepEqual(await found(), []);
        writeFileSync(join(common, TEST_HELPER), testHelper('no such file'));
        assert.deepEqual(await found(), [join(common, 'own.test.mjs')]);
        assert.deepEqual(searches, []);
      } finally {
        rmSync(common, { recursive: true });
      }
    });

    it('and a named pipe among them shows its error and hides no other', async () => {
      execFileSync('mkfifo', [join(folder, 'pipe.test.mjs')]);
      const own = write('own.test.mjs', `it('one', () => {});\n`);
      try {
        let problems: readonly (string | undefined)[] = [];
        const paths = await found(async files => {
          await files.look();
          problems = files.files.map(({ problem }) => problem?.message);
        });
        assert.deepEqual(paths, [own, join(folder, 'pipe.test.mjs')]);
        assert.equal(problems[0], undefined);
        assert.match(problems[1] ?? '', /is a named pipe/);
      } finally {
        rmSync(join(folder, 'pipe.test.mjs'));
        rmSync(own);
      }
    });

    // The last one: for VS Code, a document stays open a while after its editor.
    it('beside a test that is opened', async () => {
      await found(async files => {
        await files.look();
        await vscode.window.showTextDocument(vscode.Uri.file(join(elsewhere, 'own.test.mjs')));
        await until('its folder is known', () => files.files.length === 1);
      });
      assert.deepEqual(await found(), [join(elsewhere, 'own.test.mjs')]);
      assert.deepEqual(searches, []);
    });
  });
});
