import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { ChangeCoverage } from '../../../src/agent/changes/tracker';
import type { Question } from '../../../src/session/ports/dialogs';
import type { Answer } from '../../../src/hook-contract/ui/ui';
import { coverageOf } from '../../../src/hook-insight/event-coverage';
import { HookLog } from '../../../src/hook-insight/recording/hook-log';
import { HookStats } from '../../../src/hook-insight/stats';
import type { ApprovalRule } from '../../../src/hook-contract/approvals/approval-rule';
import { RULES_FILE } from '../../../src/gate/rules/rule-store';
import { safeAnswer } from '../../../src/protocol/items/safe-answer';
import { Rig, type RigOptions } from '../../support/conversation-rig';
import type { Script } from '../../support/scripted-stream';
import { putSpecial } from '../../support/special-files';

const write = (path: string, content = 'x'): Script => ({
  calls: [{ id: `w${path}`, name: 'write', args: { path, content } }],
});
const bash = (command: string, id = command): Script => ({ calls: [{ id, name: 'bash', args: { command } }] });

describe('modes of approval', () => {
  let rig: Rig | undefined;
  afterEach(async () => {
    await rig?.close();
    rig = undefined;
  });

  /** Questions that were asked, each answered by the option that begins as the next of `answers` does. */
  async function open(script: readonly Script[], options: RigOptions, answers: readonly string[] = []) {
    const opened = await Rig.open([...script, { text: 'done' }], options);
    rig = opened;
    const asked: Question[] = [];
    const left = [...answers];
    opened.dialogs.addView({
      show: (question, reply) => {
        asked.push(question);
        queueMicrotask(() => reply(answerBeginning(question, left.shift())));
        return { dispose: () => undefined };
      },
    });
    return { opened, asked };
  }

  /** What is known of the folder once that has been looked up. */
  async function coverageIn({ chat, changes: { tracker } }: Rig): Promise<ChangeCoverage> {
    chat.changes.warm();
    await tracker.flush();
    return tracker.coverage;
  }

  const reasons = (of: Rig): unknown[] => of.items('tool').map(({ verdicts }) => verdicts.at(-1)?.approvalReason);

  it('Ask: nothing that only reads is asked about', async () => {
    const { opened, asked } = await open([{ calls: [{ id: 'r', name: 'read', args: { path: 'a.txt' } }] }], {
      files: { 'a.txt': 'hi' },
      approvals: { mode: 'ask' },
    });
    await opened.chat.submit('go');
    assert.deepEqual([asked.length, reasons(opened)], [0, [{ by: 'reading' }]]);
  });

  it('Edits: files of the workspace are written without a question, and commands that only read run', async () => {
    const edit = {
      calls: [{ id: 'e', name: 'edit', args: { path: 'a.txt', edits: [{ oldText: 'hi', newText: 'ho' }] } }],
    };
    const { opened, asked } = await open([write('src/new.ts'), edit, bash('cat a.txt')], {
      files: { 'a.txt': 'hi' },
      approvals: { mode: 'edits' },
    });
    await opened.chat.submit('go');
    assert.deepEqual([asked.length, readFileSync(join(opened.cwd, 'a.txt'), 'utf8')], [0, 'ho']);
    assert.deepEqual(reasons(opened), [{ by: 'edits' }, { by: 'edits' }, { by: 'plainReading' }]);
  });

  for (const [what, call] of [
    ['a git hook', write('.git/hooks/pre-commit')],
    ['a task of the editor', write('.vscode/tasks.json')],
    ['a hook', write('.pi/hooks/a.ts')],
    ['a git hook through a link', write('link/pre-commit')],
    ['a file elsewhere', write('../elsewhere.txt')],
    ['a file elsewhere through a link', write('away/x.txt')],
    ['a command', bash('touch x')],
    ['a command that reads and writes', bash('cat a.txt > b.txt')],
    ['a tool of a hook', { calls: [{ id: 'd', name: 'deploy', args: {} }] }],
  ] as const) {
    it(`Edits: ${what} is asked about`, async () => {
      const extensions = {
        'tool.ts': `export default pi => { pi.registerTool({ name: 'deploy', label: 'd', description: 'd', isReadOnly: true,
          parameters: { type: 'object', properties: {} }, execute: async () => ({ content: [], details: {} }) }); };`,
      };
      const { opened, asked } = await open([call], {
        files: { 'a.txt': 'hi', '.git/hooks/sample': '' },
        extensions,
        approvals: { mode: 'edits' },
      });
      symlinkSync('.git/hooks', join(opened.cwd, 'link'));
      symlinkSync('..', join(opened.cwd, 'away'));
      await opened.chat.submit('go');
      assert.equal(asked.length, 1);
      assert.deepEqual(reasons(opened), [{ by: 'person' }]);
    });
  }

  describe('in a further folder of the workspace', () => {
    let root: string;
    beforeEach(() => {
      root = mkdtempSync(join(tmpdir(), 'hookline further ä '));
      for (const name of ['extra/.git/hooks', 'extra-two', 'work', 'other']) {
        mkdirSync(join(root, name), { recursive: true });
      }
    });
    afterEach(() => rmSync(root, { recursive: true, force: true }));

    const openWith = (script: Script, mode: 'ask' | 'edits', folder = 'extra'): ReturnType<typeof open> =>
      open([script], { root, approvals: { mode, folders: [join(root, folder)] } });

    it('Edits: files are written without a question', async () => {
      const { opened, asked } = await openWith(write('../extra/src/a.txt'), 'edits');
      await opened.chat.submit('go');
      assert.deepEqual([asked.length, readFileSync(join(root, 'extra/src/a.txt'), 'utf8')], [0, 'x']);
    });

    it('Ask: files are read without a question', async () => {
      writeFileSync(join(root, 'extra/a.txt'), 'hi');
      const read = { calls: [{ id: 'r', name: 'read', args: { path: join(root, 'extra/a.txt') } }] };
      const { opened, asked } = await openWith(read, 'ask');
      await opened.chat.submit('go');
      assert.deepEqual([asked.length, reasons(opened)], [0, [{ by: 'reading' }]]);
    });

    for (const [what, path] of [
      ['a git hook in it', '../extra/.git/hooks/pre-commit'],
      ['a hook in it', '../extra/.pi/hooks/a.ts'],
      ['a file of the next build in it', '../extra/package.json'],
      ['a file beside it', '../other/a.txt'],
      ['a file in a folder whose name begins like it', '../extra-two/a.txt'],
      ['a file above it', '../extra/../a.txt'],
      ['a file that a link in it leads to', '../extra/away/a.txt'],
    ] as const) {
      it(`Edits: ${what} is asked about, and not written after a no`, async () => {
        symlinkSync(join(root, 'other'), join(root, 'extra/away'));
        const { opened, asked } = await openWith(write(path), 'edits');
        await opened.chat.submit('go');
        assert.equal(asked.length, 1);
        assert.equal(existsSync(join(root, 'work', path)), false);
      });
    }

    it('Edits: where the folder is a link, only the folder counts that it led to at first', async () => {
      const link = join(root, 'link');
      symlinkSync(join(root, 'extra'), link);
      const { opened, asked } = await openWith(write('../link/a.txt'), 'edits', 'link');
      rmSync(link);
      symlinkSync(join(root, 'other'), link);
      await opened.chat.submit('go');
      assert.deepEqual([asked.length, existsSync(join(root, 'other/a.txt'))], [1, false]);
    });

    it('Ask: no rule is offered that is only about the folder of the agent', async () => {
      const { opened, asked } = await openWith(write('../extra/a.txt'), 'ask');
      await opened.chat.submit('go');
      const [{ dialog } = assert.fail('nothing was asked')] = asked;
      const options = dialog.type === 'select' ? dialog.options : [];
      assert.deepEqual(options, [
        'Allow once',
        `Allow in this session: changes to ${realpathSync(root)}/extra/a.txt`,
        'Allow always here…',
        'Deny',
      ]);
    });
  });

  describe('Ask and commands that only read:', () => {
    const files = { 'a.txt': 'hi' };

    it('they run, the card says why, and hooks see them', async () => {
      const hooks = {
        'a.ts': `export default pi => { pi.on('tool_call', ({ input }) => input.command === 'ls' ? { block: true, reason: 'no' } : undefined); };`,
      };
      const { opened, asked } = await open([bash('cat a.txt | wc -l'), bash('ls')], {
        files,
        hooks,
        approvals: { mode: 'ask' },
      });
      await opened.chat.submit('go');
      assert.deepEqual([asked.length, reasons(opened)], [0, [{ by: 'plainReading' }, undefined]]);
      assert.deepEqual(
        opened.items('tool').map(({ state }) => state.type),
        ['done', 'blocked'],
      );
    });

    it('they are asked about outside of the workspace, also at keys of the user', async () => {
      const script = [bash('cat ../home/.ssh/id'), bash('ls ..'), bash('cat a.txt ../home/.ssh/id')];
      const home = { '.ssh/id': 'secret' };
      const { opened, asked } = await open(script, { files, home, approvals: { mode: 'ask' } });
      await opened.chat.submit('go');
      assert.equal(asked.length, 3);
    });

    for (const [what, options] of [
      ['the folder is not trusted', { approvals: { mode: 'ask', isLocked: true } }],
      [
        'a line runs before each command',
        { approvals: { mode: 'ask' }, settings: { shellCommandPrefix: 'alias ls=x' } },
      ],
      ['the shell is another one', { approvals: { mode: 'ask' }, settings: { shellPath: '/bin/bash' } }],
      ['they are turned off', { approvals: { mode: 'ask', plainReading: { enabled: false, asks: [] } } }],
      ['cat is turned off', { approvals: { mode: 'ask', plainReading: { enabled: true, asks: ['cat'] } } }],
    ] as const) {
      it(`they are asked about while ${what}`, async () => {
        const { opened, asked } = await open([bash('cat a.txt')], { files, ...options });
        await opened.chat.submit('go');
        assert.equal(asked.length, 1);
      });
    }
  });

  it('the log and the numbers keep why the gate let a call pass, without secrets; coverage counts the gate', async () => {
    const command = 'printf password=hunter22';
    const { opened } = await open([bash(command)], { approvals: { mode: 'ask' } }, ['Allow in this session']);
    const { host } = opened;
    const log = new HookLog();
    const stats = new HookStats();
    const listening = host.records.onDidDispatch(record => {
      log.add(record);
      stats.add(record);
    });
    await opened.chat.submit('go');
    listening.dispose();
    await log.flush();
    const [gate] = host.builtIn;
    const own = log.entries.find(entry => entry.hook === gate?.path);
    assert.deepEqual(
      [own?.outcome, own?.approvalReason],
      [{ type: 'nothing' }, { by: 'person', rule: 'bash: printf password=[redacted]' }],
    );
    const numbers = stats.of({ hookPath: gate?.path ?? '', registeredAs: 'tool_call', nth: 0 });
    assert.equal(numbers?.lastReason?.by, 'person');
    log.dispose();
    const [, ...others] = coverageOf(host).map(({ type, hooks, builtIn }) => [type, hooks.length, builtIn.length]);
    assert.deepEqual(coverageOf(host)[0], {
      type: 'tool_call',
      label: 'tool_call bash',
      hooks: [],
      builtIn: [gate?.path],
    });
    assert.ok(others.every(([, , builtIn]) => builtIn === 0));
  });

  it('Ask: what is allowed for the session is not asked about again, and is in a new one', async () => {
    const script = [bash('git status'), bash('git status -s'), { text: 'done' }, bash('git status', 'third')];
    const { opened, asked } = await open(script, { approvals: { mode: 'ask' } }, [
      'Allow in this session: commands',
      'Deny',
    ]);
    await opened.chat.submit('go');
    const rule = 'bash: git status …';
    assert.deepEqual(reasons(opened), [
      { by: 'person', rule },
      { by: 'session', rule },
    ]);
    await opened.conversations.newSession();
    await opened.chat.submit('again');
    assert.equal(asked.length, 2);
    assert.deepEqual(reasons(opened), [{ by: 'person' }]);
  });

  it('Ask: a rule is shown before it is kept, outside of the workspace, and counts after a restart', async () => {
    const script = [bash('git diff'), bash('git diff --stat')];
    const { opened, asked } = await open(script, { approvals: { mode: 'ask' } }, [
      'Allow always here',
      'Back',
      'Allow always here',
      'Allow always: commands',
    ]);
    await opened.chat.submit('go');
    assert.deepEqual(
      asked.map(({ title }) => title),
      ['Run this command?', 'Which rule do you want to keep?', 'Run this command?', 'Which rule do you want to keep?'],
    );
    const follows = { type: 'gate', follows: true };
    assert.deepEqual(
      asked.map(({ asker }) => asker),
      [{ type: 'gate' }, follows, follows, follows],
    );
    const file = join(opened.root, 'home', '.pi', 'agent', RULES_FILE);
    const rule = { tool: 'bash', folder: opened.cwd, match: { type: 'prefix', words: ['git', 'diff'] } };
    assert.deepEqual(JSON.parse(readFileSync(file, 'utf8')), { rules: [rule] });
    assert.deepEqual(reasons(opened), [
      { by: 'person', rule: 'bash: git diff …' },
      { by: 'rule', rule: 'bash: git diff …' },
    ]);
  });

  it('Ask: a rule for a beginning does not cover an argument that writes a file, and the question names it', async () => {
    const script = [bash('git log -1'), bash('git log -1 --output=x.txt'), bash('git log -1 --output=x.txt', 'again')];
    const { opened, asked } = await open(script, { approvals: { mode: 'ask' } }, [
      'Allow in this session: commands that begin with “git log”, with any arguments',
      'Allow in this session: exactly this command',
    ]);
    await opened.chat.submit('go');
    const [first, second, ...others] = asked.map(({ dialog, message }) => ({ dialog, message }));
    const sessions = (of: typeof first): readonly string[] =>
      of?.dialog.type === 'select' ? of.dialog.options.map(String).filter(option => option.includes('session')) : [];
    assert.deepEqual(sessions(first), [
      'Allow in this session: exactly this command',
      'Allow in this session: commands that begin with “git log”, with any arguments',
    ]);
    assert.match(
      second?.message ?? '',
      /^This can write any file or run a program, so no rule for .* covers it: --output=x\.txt\n\ngit log/,
    );
    assert.deepEqual(sessions(second), ['Allow in this session: exactly this command']);
    assert.deepEqual(others, []);
    assert.deepEqual(reasons(opened).slice(1), [
      { by: 'person', rule: 'bash: git log -1 --output=x.txt' },
      { by: 'session', rule: 'bash: git log -1 --output=x.txt' },
    ]);
  });

  it('Ask: the question shows command, content or difference, and says where it leads', async () => {
    const edit = {
      calls: [{ id: 'e', name: 'edit', args: { path: 'a.txt', edits: [{ oldText: 'hi', newText: 'ho' }] } }],
    };
    const { opened, asked } = await open(
      [write('b.txt', 'new text'), write('src/c.txt', 'more'), edit, bash('rm -rf a')],
      {
        files: { 'a.txt': 'hi' },
        approvals: { mode: 'ask' },
      },
    );
    assert.equal((await coverageIn(opened)).type, 'noRepository');
    await opened.chat.submit('go');
    const [named, below, second, third] = asked;
    assert.equal(`${named?.title} ${named?.message}`, 'Write b.txt? new text', 'the file is named once');
    assert.equal(`${below?.title} ${below?.message}`, 'Write c.txt? src/c.txt\n\nmore');
    assert.match(`${second?.title} ${second?.message}`, /Change a\.txt\? -1 hi\n\+1 ho$/);
    assert.match(`${third?.title} ${third?.message}`, /Run this command\?.*rm -rf a/s);
    assert.match(third?.message ?? '', /cannot be reverted: the folder is not in a git repository/);
    assert.equal(existsSync(join(opened.cwd, 'b.txt')), false);
  });

  it('Ask: of an edit, the question shows what changes in the file, or its texts where they do not fit the file', async () => {
    const edit = (id: string, oldText: string): Script => ({
      calls: [{ id, name: 'edit', args: { path: 'a.txt', edits: [{ oldText, newText: "a\nit's\nb" }] } }],
    });
    const { opened, asked } = await open([edit('fits', "a\n'is'\nb"), edit('no', "a\n'was'\nb")], {
      files: { 'a.txt': '0\na\n‘is’\nb\n1\n2\n3\n4\n' },
      approvals: { mode: 'ask' },
    });
    await opened.chat.submit('go');
    assert.deepEqual(
      asked.map(({ message }) => message),
      [" 1 0\n 2 a\n-3 ‘is’\n+3 it's\n 4 b\n 5 1\n 6 2\n   ...", "- a\n- 'was'\n- b\n+ a\n+ it's\n+ b"],
    );
  });

  it('Ask: of a file that is written over, the question shows what changes', async () => {
    const before = Array.from({ length: 40 }, (_one, index) => `line ${index + 1}`);
    const after = before.with(19, 'line twenty');
    const { opened, asked } = await open(
      [write('a.txt', after.join('\n')), write('same.txt', 'same'), write('linked.txt', 'new')],
      { files: { 'a.txt': before.join('\n'), 'same.txt': 'same' }, approvals: { mode: 'ask' } },
    );
    writeFileSync(join(opened.root, 'outside.txt'), 'old');
    symlinkSync(join(opened.root, 'outside.txt'), join(opened.cwd, 'linked.txt'));
    await opened.chat.submit('go');
    const [changed, same, linked] = asked.map(({ message }) => message);
    assert.match(
      changed ?? '',
      /^ +\.\.\.\n 17 line 17\n.*\n-20 line 20\n\+20 line twenty\n 21 line 21\n.*\n +\.\.\.$/s,
    );
    assert.doesNotMatch(changed ?? '', /line 1\n|line 40/);
    assert.equal(same, 'The file already has this content.');
    // The tool would follow the link, so the file that it leads to is the one that is compared and named.
    assert.match(linked ?? '', /outside of the workspace: .*outside\.txt\n\nlinked\.txt\n\n-1 old\n\+1 new$/);
  });

  it('Ask: of a file that cannot be compared, the question says so and shows the new content', async () => {
    const large = `${'x'.repeat(99)}\n`.repeat(6_000);
    const { opened, asked } = await open([write('large.txt'), write('binary'), write('pipe'), write('b/below')], {
      files: { 'large.txt': large, b: 'a file' },
      approvals: { mode: 'ask' },
    });
    writeFileSync(join(opened.cwd, 'binary'), Buffer.from([0, 255, 1]));
    const remove = await putSpecial(join(opened.cwd, 'pipe'), 'named pipe');
    await opened.chat.submit('go');
    await remove();
    const remark = 'This replaces the whole file. Its present content cannot be compared here.\n\nx';
    assert.deepEqual(
      asked.map(({ message }) => message),
      [remark, remark, remark, 'b/below\n\nx'],
    );
  });

  it('Ask: of a command in a git repository it does not say that it cannot be reverted', async () => {
    const { opened, asked } = await open([bash('rm -rf a')], {
      files: { 'a/b.txt': 'hi' },
      approvals: { mode: 'ask' },
    });
    execFileSync('git', ['init', '-q'], { cwd: opened.cwd });
    assert.equal((await coverageIn(opened)).type, 'on');
    await opened.chat.submit('go');
    assert.deepEqual(
      asked.map(({ message }) => message),
      ['rm -rf a'],
    );
  });

  for (const mode of ['ask', 'auto'] as const) {
    it(`${mode}: writing where code is run from is asked about, through links as well`, async () => {
      const paths = ['.git/hooks/pre-commit', '.vscode/tasks.json', 'x.code-workspace', '.pi/hooks/a.ts', 'link/x'];
      const { opened, asked } = await open(
        paths.map(path => write(path)),
        {
          files: { '.git/hooks/sample': '' },
          approvals: { mode },
        },
      );
      symlinkSync('.git/hooks', join(opened.cwd, 'link'));
      await opened.chat.submit('go');
      assert.equal(asked.length, paths.length);
      const messages = asked.map(({ message }) => message);
      assert.equal(messages[0], 'Programs run code from this location: .git/hooks/pre-commit\n\nx');
      assert.equal(messages[3], 'Hookline runs this file as a hook: .pi/hooks/a.ts\n\nx');
      assert.equal(messages[4], 'Programs run code from this location: .git/hooks/x\n\nlink/x\n\nx');
      for (const path of paths) assert.equal(existsSync(join(opened.cwd, path)), false, path);
    });
  }

  describe('what runs with the next build or start', () => {
    const paths = ['package.json', 'Makefile', '.envrc', '.mcp.json', '.github/workflows/a.yml', '.cursor/mcp.json'];
    const all: ApprovalRule = { tool: 'files', match: { type: 'path', pattern: '**' } };
    const script = paths.map(path => write(path));
    const madeIn = ({ cwd }: Rig): readonly string[] => paths.filter(path => existsSync(join(cwd, path)));

    it('Ask: is asked about under a rule for all files, and says why', async () => {
      const { opened, asked } = await open([write('src/a.ts'), ...script], {
        approvals: { mode: 'ask', rules: [all] },
      });
      await opened.chat.submit('go');
      assert.deepEqual(madeIn(opened), []);
      assert.equal(existsSync(join(opened.cwd, 'src/a.ts')), true);
      assert.deepEqual(
        asked.map(({ message }) => message.split('\n')[0]),
        paths.map(path => `Code from this file runs with your next build or start: ${path}`),
      );
    });

    it('Ask: runs under the rule that an answer made, and nothing else does', async () => {
      const { opened, asked } = await open(
        [...script.slice(0, 2), write('package.json', 'y')],
        {
          approvals: { mode: 'ask', rules: [all] },
        },
        ['Allow in this session: changes to package.json', 'Deny'],
      );
      await opened.chat.submit('go');
      assert.deepEqual(madeIn(opened), ['package.json']);
      assert.equal(readFileSync(join(opened.cwd, 'package.json'), 'utf8'), 'y');
      assert.equal(asked.length, 2);
    });

    for (const [mode, build, questions, isMade] of [
      ['auto', 'ask', 0, true],
      ['auto', 'refuse', 0, false],
      ['ask', 'refuse', 0, false],
      ['ask', 'allow', 0, true],
    ] as const) {
      it(`${mode}, with the setting on ${build}: ${isMade ? 'runs' : 'does not run'}`, async () => {
        const { opened, asked } = await open(script, { approvals: { mode, rules: [all], places: { build } } });
        await opened.chat.submit('go');
        assert.deepEqual([asked.length, madeIn(opened)], [questions, isMade ? paths : []]);
      });
    }
  });

  it('Auto: elsewhere is written to without a question, Ask asks, and settings may refuse', async () => {
    for (const [mode, outside, questions, isMade] of [
      ['auto', 'ask', 0, true],
      ['ask', 'ask', 1, false],
      ['auto', 'refuse', 0, false],
      ['ask', 'refuse', 0, false],
    ] as const) {
      const { opened, asked } = await open([write('../elsewhere.txt')], { approvals: { mode, places: { outside } } });
      await opened.chat.submit('go');
      const row = `${mode}, ${outside}`;
      assert.equal(asked.length, questions, row);
      assert.equal(existsSync(join(opened.root, 'elsewhere.txt')), isMade, row);
      await opened.close();
    }
  });

  it('Auto: a card says that no hook looked, and with hooks that they let it pass', async () => {
    const plain = await open([bash('true')], { approvals: { mode: 'auto' } });
    await plain.opened.chat.submit('go');
    assert.deepEqual(reasons(plain.opened), [{ by: 'auto', hooks: false }]);
    await plain.opened.close();
    const hooks = { 'a.ts': `export default pi => { pi.on('tool_call', () => undefined); };` };
    const guarded = await open([bash('true')], { hooks, approvals: { mode: 'auto' } });
    await guarded.opened.chat.submit('go');
    assert.deepEqual(reasons(guarded.opened), [{ by: 'auto', hooks: true }]);
  });

  it('tools of hooks and of the editor are asked about, but for those that ask by themselves', async () => {
    const hooks = {
      'tool.ts': `export default pi => { pi.registerTool({ name: 'deploy', label: 'd', description: 'd', isReadOnly: true,
        parameters: { type: 'object', properties: {} }, execute: async () => ({ content: [{ type: 'text', text: 'ok' }], details: {} }) }); };`,
    };
    const ofEditor = (name: string) => ({
      byDefault: true,
      tool: {
        ...{
          name,
          label: name,
          description: name,
          parameters: { type: 'object', properties: {} },
          actsInEditor: true as const,
        },
        execute: () => Promise.resolve({ content: [], details: {} }),
      },
    });
    const names = ['deploy', 'weather', 'asks_itself'];
    const { opened, asked } = await open(
      names.map(name => ({ calls: [{ id: name, name, args: {} }] })),
      {
        extensions: hooks,
        optionalTools: () => [ofEditor('weather'), ofEditor('asks_itself')],
        approvals: { mode: 'ask' },
      },
    );
    await opened.chat.submit('go');
    assert.deepEqual(
      asked.map(({ title }) => title),
      ['Run the tool deploy?', 'Run the tool weather?'],
    );
    assert.deepEqual(reasons(opened).at(-1), { by: 'editor' });
  });

  it('without a person nothing is asked, and what would be is refused with the way out', async () => {
    const { opened } = await open([bash('touch x'), write('.git/hooks/a')], {
      hasUI: false,
      approvals: { mode: 'ask' },
    });
    await opened.chat.submit('go');
    assert.deepEqual(reasons(opened), [{ by: 'nobody' }, { by: 'nobody' }]);
    const told = JSON.stringify(opened.model.requests.at(-1));
    assert.match(told, /--approve-tools auto/);
    assert.match(told, /--allow-path/);
  });

  it('belong to a session, and come back with the window', async () => {
    const { opened } = await open([{ text: 'hi' }], { approvals: { mode: 'ask' }, remembers: true });
    await opened.chat.submit('go');
    const shown = (): unknown => opened.chat.status.current.approvals;
    assert.deepEqual(shown(), { mode: 'ask', locked: false });
    const page = opened.page();
    page.send({ type: 'ready' });
    page.send({ type: 'setApprovalMode', mode: 'auto' });
    assert.deepEqual(shown(), { mode: 'auto', locked: false });
    page.dispose();
    const { root } = opened;
    await opened.close(true);
    const again = await Rig.open([], { root, approvals: { mode: 'ask' }, remembers: true, resume: true });
    rig = again;
    const modes = [again.conversation.approvals?.mode];
    await again.conversations.openBeside();
    modes.push(again.conversation.approvals?.mode);
    assert.deepEqual(modes, ['auto', 'ask'], 'another session is in the default mode');
  });

  it('a mode that is not known is Ask', async () => {
    const { opened } = await open([{ text: 'hi' }], { approvals: { mode: 'auto' }, remembers: true });
    await opened.chat.submit('go');
    opened.chat.conversation.approvals?.setMode('plan');
    const { root } = opened;
    await opened.close(true);
    const file =
      readdirSync(root, { recursive: true, encoding: 'utf8' }).find(name => name.endsWith('modes.json')) ?? '';
    const path = join(root, file);
    writeFileSync(path, readFileSync(path, 'utf8').replace('"plan"', '"later"'));
    const again = await Rig.open([], { root, approvals: { mode: 'auto' }, remembers: true, resume: true });
    rig = again;
    assert.equal(again.conversation.approvals?.mode, 'ask');
  });

  it('stay Ask while the folder is not trusted: rm is asked about without any hook, and does not run unanswered', async () => {
    const { opened, asked } = await open([bash('rm -rf a')], {
      files: { 'a/b.txt': 'hi' },
      approvals: { mode: 'auto', isLocked: true },
    });
    assert.deepEqual(opened.host.infos(), []);
    await opened.chat.submit('go');
    assert.deepEqual(
      asked.map(({ title, hook: { name } }) => [title, name]),
      [['Run this command?', 'Built-in gate']],
    );
    assert.equal(opened.items('tool')[0]?.state.type, 'blocked');
    assert.ok(existsSync(join(opened.cwd, 'a', 'b.txt')));
  });

  it('stay Ask while the folder is not trusted, whatever is chosen', async () => {
    const { opened, asked } = await open([bash('touch x')], { approvals: { mode: 'auto', isLocked: true } });
    assert.equal(opened.chat.conversation.approvals?.setMode('auto'), false);
    assert.deepEqual(opened.chat.status.current.approvals, { mode: 'ask', locked: true });
    await opened.chat.submit('go');
    assert.equal(asked.length, 1);
  });

  it('a rule file that cannot be read allows nothing, and is not written over', async () => {
    const first = await open([], { approvals: { mode: 'ask' } });
    const { root } = first.opened;
    await first.opened.close(true);
    const file = join(root, 'home', '.pi', 'agent', RULES_FILE);
    const text = '{ "rules": [ { "tool": "bash", "match": { "type": "any" } }, { "tool": "bash" } ] }';
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
    const { opened, asked } = await open([bash('true'), write('a')], { root, approvals: { mode: 'ask' } }, [
      'Allow always here',
      'Allow always',
    ]);
    await opened.chat.submit('go');
    assert.equal(asked.length, 2, 'the rule that can be read counts; the one about files is new');
    assert.equal(readFileSync(file, 'utf8'), text);
  });

  describe('Plan', () => {
    const present = (plan: string, id: string): Script => ({ calls: [{ id, name: 'present_plan', args: { plan } }] });
    const toolsOf = (of: Rig, request: number): unknown =>
      of.model.requests[request]?.tools?.map(({ name }) => name).sort();

    it('offers only what reads, and the plan; accepted, it goes on in the mode that was chosen', async () => {
      const script = [present('1. touch x', 'p'), bash('touch x')];
      const { opened, asked } = await open(script, { approvals: { mode: 'plan' } }, ['Approve, and let only']);
      await opened.chat.submit('go');
      assert.deepEqual(toolsOf(opened, 0), ['find', 'grep', 'ls', 'present_plan', 'read']);
      assert.deepEqual([asked[0]?.title, asked[0]?.message], ['Approve this plan?', '1. touch x']);
      assert.deepEqual(asked[0]?.asker, { type: 'gate' });
      assert.equal(safeAnswer(asked[0].dialog), undefined, 'no answer is active, as none allows nothing');
      assert.equal(asked[0].canDeny, undefined, 'the plan is sent back with a message, and not denied with one');
      assert.equal(opened.chat.conversation.approvals?.mode, 'auto');
      const after = toolsOf(opened, 1) as string[];
      assert.ok(after.includes('bash') && !after.includes('present_plan'), String(after));
      assert.ok(existsSync(join(opened.cwd, 'x')));
    });

    it('refuses whatever else is called', async () => {
      const hooks = {
        'a.ts': `export default pi => { pi.on('session_start', () => pi.setActiveTools(['bash', 'write'])); };`,
      };
      const { opened, asked } = await open([bash('touch x')], { extensions: hooks, approvals: { mode: 'plan' } });
      await opened.chat.submit('go');
      assert.equal(existsSync(join(opened.cwd, 'x')), false);
      assert.equal(asked.length, 0);
    });

    it('sent back, stays in the mode and tells the model why; edited, the edited text counts', async () => {
      const script = [present('one', 'p1'), present('two', 'p2')];
      const answers = [
        'Send it back',
        ' ',
        'Send it back',
        'be shorter',
        'Edit the plan',
        'my own plan',
        'Approve, and ask',
      ];
      const { opened, asked } = await open(script, { approvals: { mode: 'plan' } }, answers);
      await opened.chat.submit('go');
      const begun = asked.filter(({ asker }) => asker.type === 'gate' && asker.follows !== true);
      assert.deepEqual(
        [asked.length, begun.length],
        [7, 2],
        'all but the first question about a plan follow from an answer',
      );
      const results = opened.items('tool').map(({ output }) => output);
      assert.match(results[0] ?? '', /sent the plan back: be shorter/);
      assert.match(results[1] ?? '', /accepted the plan.*my own plan/s);
      assert.equal(opened.chat.conversation.approvals?.mode, 'ask');
    });

    it('ends the run where nobody decides', async () => {
      for (const hasUI of [true, false]) {
        const { opened } = await open([present('one', 'p')], { hasUI, approvals: { mode: 'plan' } });
        await opened.chat.submit('go');
        assert.equal(opened.model.requests.length, 1);
        assert.equal(opened.chat.conversation.approvals?.mode, 'plan');
        await opened.close();
      }
    });
  });
});

function answerBeginning({ dialog }: Question, begin: string | undefined): Answer {
  if (begin === undefined) return undefined;
  return dialog.type === 'select' ? dialog.options.find(option => option.startsWith(begin)) : begin;
}
