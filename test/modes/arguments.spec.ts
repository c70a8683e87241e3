import assert from 'node:assert/strict';
import { parseArguments } from '../../src/modes/arguments';
import { UsageError } from '../../src/modes/usage-error';

describe('the command line', () => {
  it('reads modes, prompts, files and options, in any order', () => {
    const options = parseArguments([
      'first',
      '-p',
      '@notes.md',
      '--model=openai/gpt-5:high',
      '--hook',
      'a.ts',
      '-e',
      'b.ts',
      '--tools',
      'read, bash,',
      '--thinking',
      'low',
      'second',
      '--',
      '--not-a-flag',
    ]);
    assert.deepEqual(options.messages, ['first', 'second', '--not-a-flag']);
    assert.deepEqual(options.files, ['notes.md']);
    assert.deepEqual(options.hooks, [
      { path: 'a.ts', flag: '--hook' },
      { path: 'b.ts', flag: '--extension' },
    ]);
    assert.deepEqual(options.tools, ['read', 'bash']);
    const { print, model, thinking, mode, searchHooks } = options;
    assert.deepEqual(
      { print, model, thinking, mode, searchHooks },
      { print: true, model: 'openai/gpt-5:high', thinking: 'low', mode: 'text', searchHooks: true },
    );
  });

  it('lists flags it does not know, and gives them to hooks once these have said what they are', () => {
    const argv = ['--plan', '--note', 'a text', '--quiet=false', 'prompt'];
    const before = parseArguments(argv);
    assert.deepEqual(before.unknown, ['--plan', '--note', '--quiet']);
    const after = parseArguments(
      argv,
      new Map([
        ['plan', 'boolean'],
        ['note', 'string'],
        ['quiet', 'boolean'],
      ] as const),
    );
    assert.deepEqual(after.unknown, []);
    assert.deepEqual(Object.fromEntries(after.hookFlags), { plan: true, note: 'a text', quiet: false });
    assert.deepEqual(after.messages, ['prompt']);
  });

  const bad: readonly (readonly [string, readonly string[], RegExp])[] = [
    ['a mode that does not exist', ['--mode', 'xml'], /^--mode must be one of text, json, rpc, not "xml"\.$/],
    ['a level that does not exist', ['--thinking', 'hard'], /^--thinking must be one of off.*not "hard"\.$/],
    ['a value that is missing', ['--model'], /^--model needs a value\.$/],
    ['a short option that does not exist', ['-x'], /^Unknown option: -x$/],
    ['a session and none', ['--no-session', '--session', 'x'], /--no-session and --session exclude/],
    ['a session and the latest', ['-c', '--session', 'x'], /--session and --continue exclude/],
    ['a list to choose from', ['--resume'], /^--resume is not offered: .*--continue or --session/],
    ['a prompt for RPC', ['--mode', 'rpc', 'hello'], /--mode rpc takes prompts on stdin.*: hello$/],
    ['a file for RPC', ['--mode', 'rpc', '@a.md'], /--mode rpc takes prompts on stdin.*: @a\.md$/],
    ['print and RPC', ['--mode', 'rpc', '-p'], /--print and --mode rpc exclude/],
    ['a hook flag without its text', ['--note'], /^--note needs a value\.$/],
  ];
  for (const [what, argv, message] of bad) {
    it(`refuses ${what}, naming it`, () =>
      assert.throws(
        () => parseArguments(argv, new Map([['note', 'string']])),
        (error: unknown) => error instanceof UsageError && message.test(error.message),
      ));
  }
});
