import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { readShellHooks } from '../../../src/hook-load/shell/read-settings';
import { placeInJson } from '../../../src/base/json/json-place';
import { toOurs, toTheirs } from '../../../src/hook-load/shell/tool-names';
import { answering, ShellWorkspace } from './workspace';

const FILE = '.github/hooks/policy.json';

describe('the hooks of .github/hooks, through the adapter', function () {
  this.timeout(30_000);
  let work: ShellWorkspace;
  beforeEach(() => {
    work = new ShellWorkspace();
  });
  afterEach(() => work.close());

  const open = (event: string, hook: object): Promise<ShellWorkspace> =>
    work.open({ [FILE]: { version: 1, hooks: { [event]: [{ type: 'command', ...hook }] } } });

  it('are told of a call in their own words, in their folder, with their variables', async () => {
    work.write('scripts/x', '');
    await open('preToolUse', {
      bash: `echo "$MODE" > mode; ${answering({ permissionDecision: 'deny', permissionDecisionReason: 'policy' })}`,
      powershell: 'nothing',
      cwd: 'scripts',
      env: { MODE: 'strict $CLAUDE_PROJECT_DIR' },
      timeoutSec: 10,
    });
    const verdict = await work.call('write', { path: 'a.ts', content: 'x' });
    assert.equal(verdict.block && verdict.reason, 'policy');
    const { timestamp, ...told } = work.told('scripts/told.json') ?? {};
    assert.equal(typeof timestamp, 'number');
    assert.deepEqual(told, {
      cwd: work.folder,
      toolName: 'create',
      toolArgs: JSON.stringify({ path: join(work.folder, 'a.ts'), file_text: 'x' }),
    });
  });

  it('are all asked where the same command is to run with other variables', async () => {
    const command = 'echo "$MODE" >> modes; test "$MODE" != strict || exit 2';
    const hooks = [{ MODE: 'lax' }, { MODE: 'lax' }, { MODE: 'strict' }].map(env => ({ bash: command, env }));
    await work.open({ [FILE]: { version: 1, hooks: { preToolUse: hooks } } });
    assert.equal((await work.call('bash', { command: 'ls' })).block, true);
    assert.equal(readFileSync(join(work.folder, 'modes'), 'utf8'), 'lax\nstrict\n');
  });

  it('are all asked where the same command is to run in another shell', async () => {
    const hooks = [{ command: 'exit 0' }, { bash: 'exit 0' }];
    const { hooks: read } = readShellHooks({ hooks: { preToolUse: hooks } }, { platform: 'linux' });
    assert.deepEqual(
      read.map(({ shell }) => shell),
      ['sh', 'bash'],
    );
    await work.open({
      [FILE]: { hooks: { preToolUse: [{ command: 'echo x >> runs' }, { bash: 'echo x >> runs' }] } },
    });
    await work.call('bash', { command: 'ls' });
    assert.equal(readFileSync(join(work.folder, 'runs'), 'utf8'), 'x\nx\n');
  });

  it('hear how a call ended, also a failed one', async () => {
    await open('postToolUse', { bash: 'cat > told.json' });
    await work.result('broken', { isError: true });
    assert.deepEqual(work.told('told.json')?.['toolResult'], { resultType: 'failure', textResultForLlm: 'broken' });
  });

  it('hear of prompts, starts, ends and errors', async () => {
    const hook = (name: string): readonly object[] => [{ type: 'command', bash: `cat > ${name}.json` }];
    await work.open({
      [FILE]: {
        version: 1,
        hooks: {
          userPromptSubmitted: hook('prompt'),
          sessionStart: hook('start'),
          sessionEnd: hook('end'),
          errorOccurred: hook('error'),
        },
      },
    });
    await work.emit({ type: 'session_start', reason: 'new' });
    await work.emit({ type: 'input', text: 'hello', source: 'interactive' });
    const failed = { role: 'assistant', content: [], stopReason: 'error', errorMessage: '529' } as never;
    await work.emit({ type: 'agent_end', messages: [failed] });
    await work.emit({ type: 'session_shutdown', reason: 'quit' });
    assert.equal(work.told('start.json')?.['source'], 'new');
    assert.equal(work.told('prompt.json')?.['prompt'], 'hello');
    assert.deepEqual(work.told('error.json')?.['error'], { message: '529', name: 'Error' });
    assert.equal(work.told('end.json')?.['reason'], 'user_exit');
  });
});

describe('what of shell hooks is not honoured', () => {
  const problems = (content: unknown, tools?: readonly string[]): readonly string[] =>
    readShellHooks(content, { platform: 'linux', ...(tools === undefined ? {} : { tools }) }).problems.map(
      ({ severity, path, message }) => `${severity} ${path.join('.')}: ${message}`,
    );

  it('is named with its place', () => {
    const found = problems(
      {
        version: 2,
        hooks: {
          SubagentStop: [],
          PreToolUse: [
            { matcher: '(', hooks: [{ type: 'command', command: 'x' }] },
            { matcher: 'mcp__.*', hooks: [{ type: 'command', command: 'x' }] },
            {
              matcher: 'Bash',
              hooks: [{ type: 'prompt', prompt: 'x' }, { type: 'http', url: 'x' }, { type: 'command' }],
            },
          ],
          preToolUse: [{ type: 'command', powershell: 'x' }, 'nonsense'],
          Stop: [{ hooks: [{ type: 'command', command: 'x', timeout: 'soon', async: true }] }],
          Notification: 'x',
        },
      },
      ['bash', 'read'],
    );
    assert.deepEqual(
      found.map(line => line.replace(/expression \(.*\)/, 'expression')),
      [
        'warning version: Version 2 is unknown; Hookline reads the file as version 1.',
        'warning hooks.SubagentStop: Hookline has no event like "SubagentStop": these hooks never run.',
        'error hooks.PreToolUse.0.matcher: This matcher is not a regular expression: these hooks run every time.',
        'warning hooks.PreToolUse.1.matcher: "mcp__.*" matches the name of no tool.',
        'warning hooks.PreToolUse.2.hooks.0.type: Hooks of the type "prompt" do not run: only commands do.',
        'warning hooks.PreToolUse.2.hooks.1.type: Hooks of the type "http" do not run: only commands do.',
        'error hooks.PreToolUse.2.hooks.2: The command is missing.',
        'warning hooks.preToolUse.0.powershell: This command is for another system and never runs on this one.',
        'error hooks.preToolUse.1: This must be an object.',
        'info hooks.Stop.0.hooks.0.async: Hookline waits for this hook as for any other.',
        'warning hooks.Stop.0.hooks.0.timeout: A timeout must be a number of seconds above 0; Hookline uses 60.',
        'error hooks.Notification: "Notification" must be a list.',
      ],
    );
  });

  it('is said of matchers that nothing here is ever held against, and of members that mean nothing here', () => {
    const command = { type: 'command', command: 'x' };
    const group = (matcher: string): object => ({ matcher, hooks: [command] });
    const hooks = {
      SessionStart: [group('compact'), group('startup|compact')],
      SessionEnd: [group('logout')],
      PreCompact: [group('auto')],
      Notification: [group('auth_success'), group('permission_prompt')],
      PreToolUse: [{ hooks: [{ ...command, if: 'Bash(git *)', cwd: 7 }], once: true }],
    };
    assert.deepEqual(problems({ hooks }), [
      'warning hooks.SessionStart.0.matcher: "compact" never occurs, so these hooks never run. Possible values: "startup", "resume", "clear".',
      'warning hooks.SessionEnd.0.matcher: "logout" never occurs, so these hooks never run. Possible values: "clear", "other".',
      'info hooks.Notification: These hooks run when a run ends and when a shell hook asks. They do not run when another hook asks.',
      'warning hooks.Notification.0.matcher: "auth_success" never occurs, so these hooks never run. Possible values: "idle_prompt", "permission_prompt".',
      'info hooks.PreToolUse.0.once: "once" is unknown and has no effect.',
      'info hooks.PreToolUse.0.hooks.0.if: "if" is unknown and has no effect.',
      'warning hooks.PreToolUse.0.hooks.0.cwd: "cwd" must be a text; the command runs in the workspace folder.',
    ]);
  });

  it('says on Windows which commands are for another system, too', () => {
    const hooks = { preToolUse: [{ osx: 'o' }, { linux: 'l' }, { bash: 'b' }, { powershell: 'p' }] };
    const read = readShellHooks({ hooks }, { platform: 'win32' });
    assert.deepEqual(
      read.problems.map(({ path, message }) => `${path.join('.')}: ${message}`),
      ['hooks.preToolUse.0.osx', 'hooks.preToolUse.1.linux'].map(
        place => `${place}: This command is for another system and never runs on this one.`,
      ),
    );
    assert.deepEqual(
      read.hooks.map(({ command, shell }) => [command, shell]),
      [
        ['b', 'bash'],
        ['p', 'powershell'],
      ],
    );
  });

  it('is nothing where there are no hooks, and is said of what is no settings file', () => {
    assert.deepEqual(problems({ permissions: {} }), []);
    assert.deepEqual(problems([]), ['error : This file must contain an object.']);
    assert.deepEqual(problems({ hooks: [] }), ['error hooks: "hooks" must be an object with one list per event.']);
  });

  it('takes the command for the system at hand', () => {
    const hook = { type: 'command', bash: 'b', powershell: 'p', windows: 'w', osx: 'o', command: 'c' };
    const on = (platform: NodeJS.Platform): string | undefined =>
      readShellHooks({ hooks: { preToolUse: [hook] } }, { platform }).hooks[0]?.command;
    assert.deepEqual([on('win32'), on('darwin'), on('linux')], ['p', 'o', 'c']);
  });

  it('leaves no gate out because of its matcher', () => {
    const groups = ['(', 7].map(matcher => ({ matcher, hooks: [{ type: 'command', command: `x ${matcher}` }] }));
    const read = (event: string): readonly unknown[] =>
      readShellHooks({ hooks: { [event]: groups } }, { platform: 'linux' }).hooks.map(({ matcher }) => matcher);
    assert.deepEqual(read('PreToolUse'), [undefined, undefined]);
    assert.deepEqual(read('UserPromptSubmit'), [undefined, undefined]);
    assert.deepEqual(read('PostToolUse'), []);
    assert.deepEqual(problems({ hooks: { PreToolUse: groups.slice(1), Stop: groups.slice(1) } }), [
      'error hooks.PreToolUse.0.matcher: A matcher must be a text: these hooks run every time.',
      'error hooks.Stop.0.matcher: A matcher must be a text: these hooks never run.',
    ]);
  });

  it('is found in the text', () => {
    const text = '{\n  "a": [1, { "b\\"": "x, ]", "hooks": { "Stop": [ { "type": "http" } ] } }]\n}';
    const at = (...path: (string | number)[]): string => {
      const { line, column, length } = placeInJson(text, path);
      return text.split('\n')[line]?.slice(column, column + length) ?? '';
    };
    assert.equal(at('a', 1, 'hooks', 'Stop', 0, 'type'), '"type"');
    assert.equal(at('a', 1, 'hooks', 'Stop', 0), '{ "type": "http" }');
    assert.equal(at('a', 0), '1');
    assert.equal(at('a', 1, 'nowhere'), '{ "b\\"": "x, ]", "hooks": { "Stop": [ { "type": "http" } ] } }');
  });
});

const ROOTED = resolve('/a');

describe('names of tools and arguments', () => {
  const cwd = resolve('/work/space');
  for (const [path, meant] of [
    ['~/.bashrc', join(homedir(), '.bashrc')],
    ['@~/.bashrc', join(homedir(), '.bashrc')],
    ['@src/a.ts', join(cwd, 'src/a.ts')],
    ['../../etc/passwd', resolve('/etc/passwd')],
    [`${resolve('/work')}/../etc/passwd`, resolve('/etc/passwd')],
    [pathToFileURL(resolve('/etc/passwd')).href, resolve('/etc/passwd')],
    ['my\u00a0notes', join(cwd, 'my notes')],
  ] as const) {
    it(`mean the file that the tool opens: ${path}`, () => {
      for (const name of ['read', 'write', 'edit', 'find', 'grep', 'ls']) {
        for (const naming of ['claude', 'github'] as const) {
          const { input } = toTheirs({ name, input: { path } }, naming, cwd);
          const shown = naming === 'claude' && ['read', 'write', 'edit'].includes(name) ? 'file_path' : 'path';
          assert.equal(input[shown], meant, `${name} of ${naming}`);
        }
      }
    });
  }

  it('show the texts of several edits in one, which must stay', () => {
    const edits = [
      { oldText: 'x', newText: 'y' },
      { oldText: 'v', newText: 'w' },
    ];
    const { input } = toTheirs({ name: 'edit', input: { path: ROOTED, edits } }, 'claude', '/work');
    assert.deepEqual(input, {
      file_path: ROOTED,
      old_string: 'x\nv',
      new_string: 'y\nw',
      edits: [
        { old_string: 'x', new_string: 'y' },
        { old_string: 'v', new_string: 'w' },
      ],
    });
    const changed = { ...input, new_string: 'other' };
    assert.throws(() => toOurs('edit', changed, 'claude'), { message: /change its list "edits"/ });
  });

  for (const [tool, input] of [
    ['bash', { command: 'ls', timeout: 5 }],
    ['read', { path: ROOTED, offset: 1, limit: 2 }],
    ['write', { path: ROOTED, content: 'x' }],
    ['edit', { path: ROOTED, edits: [{ oldText: 'x', newText: 'y' }] }],
    [
      'edit',
      {
        path: ROOTED,
        edits: [
          { oldText: 'x', newText: 'y' },
          { oldText: 'v', newText: 'w' },
        ],
      },
    ],
    ['find', { pattern: '*.ts', path: ROOTED }],
    ['grep', { pattern: 'x', path: ROOTED, ignoreCase: true, context: 2, limit: 3, glob: '*.ts' }],
    ['ls', { path: ROOTED }],
    ['deploy', { where: 'x' }],
  ] as const) {
    it(`come back from both tools as they went: ${JSON.stringify([tool, input])}`, () => {
      for (const naming of ['claude', 'github'] as const) {
        assert.deepEqual(toOurs(tool, toTheirs({ name: tool, input }, naming, '/work').input, naming), input);
      }
    });
  }
});
