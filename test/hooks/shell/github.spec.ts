import assert from 'node:assert/strict';
import { readShellHooks } from '../../../src/hooks/shell/read-settings';
import { placeInJson } from '../../../src/hooks/shell/json-place';
import { toOurs, toTheirs } from '../../../src/hooks/shell/tool-names';
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
    assert.deepEqual(told, { cwd: work.folder, toolName: 'create', toolArgs: '{"path":"a.ts","file_text":"x"}' });
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
      found.map(line => line.replace(/regular expression:.*/, 'regular expression')),
      [
        'warning version: Version 2 is not known here; it is read as version 1.',
        'warning hooks.SubagentStop: There is no event like "SubagentStop" here: these hooks are never run.',
        'error hooks.PreToolUse.0.matcher: This matcher is no regular expression',
        'warning hooks.PreToolUse.1.matcher: No tool here has a name that "mcp__.*" matches.',
        'warning hooks.PreToolUse.2.hooks.0.type: Hooks of the type "prompt" are not run: only commands are.',
        'warning hooks.PreToolUse.2.hooks.1.type: Hooks of the type "http" are not run: only commands are.',
        'error hooks.PreToolUse.2.hooks.2: There is no command here.',
        'warning hooks.preToolUse.0.powershell: This command is for another system: here it is never run.',
        'error hooks.preToolUse.1: An object was expected here.',
        'info hooks.Stop.0.hooks.0.async: This hook is waited for like any other.',
        'warning hooks.Stop.0.hooks.0.timeout: A timeout is a number of seconds above 0; 60 is taken.',
        'error hooks.Notification: "Notification" must be a list.',
      ],
    );
  });

  it('is nothing where there are no hooks, and is said of what is no settings file', () => {
    assert.deepEqual(problems({ permissions: {} }), []);
    assert.deepEqual(problems([]), ['error : This file holds no settings: an object was expected.']);
    assert.deepEqual(problems({ hooks: [] }), ['error hooks: "hooks" must be an object with one list per event.']);
  });

  it('takes the command for the system at hand', () => {
    const hook = { type: 'command', bash: 'b', powershell: 'p', windows: 'w', osx: 'o', command: 'c' };
    const on = (platform: NodeJS.Platform): string | undefined =>
      readShellHooks({ hooks: { preToolUse: [hook] } }, { platform }).hooks[0]?.command;
    assert.deepEqual([on('win32'), on('darwin'), on('linux')], ['p', 'o', 'c']);
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

describe('names of tools and arguments', () => {
  for (const [tool, input] of [
    ['bash', { command: 'ls', timeout: 5 }],
    ['read', { path: '/a', offset: 1, limit: 2 }],
    ['write', { path: '/a', content: 'x' }],
    ['edit', { path: '/a', oldText: 'x', newText: 'y' }],
    ['find', { pattern: '*.ts', path: '/a' }],
    ['grep', { pattern: 'x', path: '/a', ignoreCase: true, context: 2, limit: 3, glob: '*.ts' }],
    ['ls', { path: '/a' }],
    ['deploy', { where: 'x' }],
  ] as const) {
    it(`come back from both tools as they went: ${tool}`, () => {
      for (const naming of ['claude', 'github'] as const) {
        assert.deepEqual(toOurs(tool, toTheirs({ name: tool, input }, naming, '/work').input, naming), input);
      }
    });
  }
});
