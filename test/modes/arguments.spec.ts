import assert from 'node:assert/strict';
import { FLAGS } from '../../src/modes/arguments/flags';
import type { CliOptions } from '../../src/modes/arguments/options';
import { parseArguments } from '../../src/modes/arguments/parse';
import { UsageError } from '../../src/modes/arguments/usage-error';

/** What a command line says beyond an empty one. */
function said(argv: readonly string[], hookFlags?: ReadonlyMap<string, 'boolean' | 'string'>): Partial<CliOptions> {
  const nothing = new Map(Object.entries(parseArguments([])).map(([key, value]) => [key, JSON.stringify(value)]));
  const options = Object.entries(parseArguments(argv, hookFlags));
  return Object.fromEntries(options.filter(([key, value]) => nothing.get(key) !== JSON.stringify(value)));
}

const IDLE = 'has no effect here';

/** Every form of a flag in today's pi and our own ones, and what it says. A text stands for a part of the only warning. */
const FORMS: readonly (readonly [readonly string[], Partial<CliOptions> | string])[] = [
  [[], {}],
  [['hello'], { messages: ['hello'] }],
  [['one', 'two'], { messages: ['one', 'two'] }],
  [['-p'], { print: true }],
  [['--print'], { print: true }],
  [['-p', 'hello'], { print: true, messages: ['hello'] }],
  [['-p', '---\ntitle: x\n---'], { print: true, messages: ['---\ntitle: x\n---'] }],
  [['-p', '@notes.md', 'hello'], { print: true, files: ['notes.md'], messages: ['hello'] }],
  [['-p', '--no-session', 'hello'], { print: true, noSession: true, messages: ['hello'] }],
  [['-p', '--', '- a list'], { print: true, messages: ['- a list'] }],
  [['--', '--not-a-flag', '@a.md'], { messages: ['--not-a-flag'], files: ['a.md'] }],
  [['@a.md', '@b.png'], { files: ['a.md', 'b.png'] }],
  [['--mode', 'text'], {}],
  [['--mode', 'json', 'x'], { mode: 'json', messages: ['x'] }],
  [['--mode', 'rpc', '--rpc-version', '0.73'], { mode: 'rpc', rpcVersion: '0.73' }],
  [['--mode', 'rpc', '--rpc-rendered'], { mode: 'rpc', rpcRendered: true }],
  [['--mode', 'rpc'], { mode: 'rpc' }],
  [['--mode=rpc'], { mode: 'rpc' }],
  [['--mode', 'rpc', 'hello'], { mode: 'rpc', messages: ['hello'] }],
  [['--mode', 'rpc', '-p'], { mode: 'rpc', print: true }],
  [['--mode', 'acp'], { mode: 'acp', approveTools: 'ask' }],
  [['--acp'], { mode: 'acp', approveTools: 'ask' }],
  [['--acp', '--mode', 'acp', '--approve-tools', 'auto'], { mode: 'acp' }],
  [['--login'], { login: true }],
  [['--acp', '--login'], { mode: 'acp', approveTools: 'ask', login: true }],
  [['--provider', 'openai'], { provider: 'openai' }],
  [['--model', 'openai/gpt-5:high'], { model: 'openai/gpt-5:high' }],
  [['--model=gpt-5'], { model: 'gpt-5' }],
  [['--models', 'a:high, b/*,'], { models: ['a:high', 'b/*'] }],
  [['--api-key', 'secret'], { apiKey: 'secret' }],
  [['--thinking', 'off'], { thinking: 'off' }],
  [['--thinking', 'minimal'], { thinking: 'minimal' }],
  [['--thinking', 'xhigh'], { thinking: 'xhigh' }],
  [['--thinking', 'hard'], '"hard" is not used'],
  [['--list-models'], { listModels: '' }],
  [['--list-models', 'sonnet'], { listModels: 'sonnet' }],
  [['--list-models', '-c'], { listModels: '', continueLatest: true }],
  [['--list-models', '@a'], { listModels: '', files: ['a'] }],
  [['-c'], { continueLatest: true }],
  [['--continue'], { continueLatest: true }],
  [['-r'], { resume: true }],
  [['--resume'], { resume: true }],
  [['--session', 'abc'], { session: 'abc' }],
  [['--session', 'dir/a.jsonl'], { session: 'dir/a.jsonl' }],
  [['--session', 'abc', '--no-session'], { session: 'abc', noSession: true }],
  [['-c', '--session', 'abc'], { session: 'abc', continueLatest: true }],
  [['--session-id', 'my-id.1'], { sessionId: 'my-id.1' }],
  [['--session-id', 'a', '--no-session'], { sessionId: 'a', noSession: true }],
  [['--fork', 'abc'], { fork: 'abc' }],
  [['--fork', 'a.jsonl', '--session-id', 'b'], { fork: 'a.jsonl', sessionId: 'b' }],
  [['--session-dir', 'there'], { sessionDir: 'there' }],
  [['--no-session'], { noSession: true }],
  [['-n', 'My work'], { name: 'My work' }],
  [['--name', ' trimmed '], { name: 'trimmed' }],
  [['-t', 'read, grep ,'], { tools: ['read', 'grep'] }],
  [['--tools', 'mcp__x__*'], { tools: ['mcp__x__*'] }],
  [['--tools', '+grep,-bash'], { tools: ['+grep', '-bash'] }],
  [['--tools', ''], { tools: [] }],
  [['-xt', 'bash'], { excludedTools: ['bash'] }],
  [['--exclude-tools', 'bash,my_*'], { excludedTools: ['bash', 'my_*'] }],
  [['-nbt'], { withoutTools: 'built-in' }],
  [['--no-builtin-tools'], { withoutTools: 'built-in' }],
  [['-nt'], { withoutTools: 'all' }],
  [['--no-tools'], { withoutTools: 'all' }],
  [['-nbt', '-nt'], { withoutTools: 'all' }],
  [['-nt', '-nbt'], { withoutTools: 'all' }],
  [['-e', 'a.ts', '--extension', 'b.ts'], { hooks: ['a.ts', 'b.ts'].map(path => ({ path, flag: '--extension' })) }],
  [['--hook', 'a.ts'], { hooks: [{ path: 'a.ts', flag: '--hook' }] }],
  [['-e', 'builtin:mcp'], `-e builtin:mcp ${IDLE}`],
  [['-ne'], { searchHooks: false }],
  [['--no-extensions'], { searchHooks: false }],
  [['--no-hooks'], { searchHooks: false }],
  [['--no-mcp'], { mcp: false }],
  [['--skill', 'a', '--skill', 'b'], { skills: ['a', 'b'] }],
  [['-ns'], { searchSkills: false }],
  [['--no-skills'], { searchSkills: false }],
  [['--prompt-template', 'a.md'], { promptTemplates: ['a.md'] }],
  [['-np'], { searchPromptTemplates: false }],
  [['--no-prompt-templates'], { searchPromptTemplates: false }],
  [['-nc'], { contextFiles: false }],
  [['--no-context-files'], { contextFiles: false }],
  [['--system-prompt', 'You are a clock.'], { systemPrompt: 'You are a clock.' }],
  [['--append-system-prompt', 'a', '--append-system-prompt', 'b'], { appendSystemPrompt: ['a', 'b'] }],
  [['--theme', 'a.json'], `--theme ${IDLE}`],
  [['--use-theme', 'light/dark'], `--use-theme ${IDLE}`],
  [['--no-themes'], `--no-themes ${IDLE}`],
  [['--tui-mode', 'regular'], `--tui-mode ${IDLE}`],
  [['--tui-mode', 'fullscreen'], `--tui-mode ${IDLE}`],
  [['-a'], { approve: true }],
  [['--approve'], { approve: true }],
  [['--approve-packages'], { approvePackages: true }],
  [['-na'], { approve: false }],
  [['--approve-tools', 'plan'], { approveTools: 'plan' }],
  [['--allow-path', '.git/**', '--allow-path', 'b'], { allowedPaths: ['.git/**', 'b'] }],
  [['--no-approve'], { approve: false }],
  [['--export', 'a.jsonl'], { export: 'a.jsonl' }],
  [['--export', 'a.jsonl', 'out.html'], { export: 'a.jsonl', messages: ['out.html'] }],
  [['--offline'], { offline: true }],
  [['--verbose'], { verbose: true }],
  [['-h'], { help: true }],
  [['--help'], { help: true }],
  [['-v'], { version: true }],
  [['--version'], { version: true }],
  [['--plan'], { unknown: ['--plan'] }],
  [['--preset', 'other', '--mode', 'rpc'], { unknown: ['--preset'], messages: ['other'], mode: 'rpc' }],
];

describe('the command line', () => {
  for (const [argv, expected] of FORMS) {
    it(`reads ${argv.length === 0 ? 'nothing' : JSON.stringify(argv.join(' '))}`, () => {
      const options = said(argv);
      if (typeof expected !== 'string') assert.deepEqual(options, expected);
      else {
        assert.deepEqual(Object.keys(options), ['warnings']);
        assert.equal(options.warnings?.length, 1);
        assert.ok(options.warnings[0]?.includes(expected), options.warnings[0]);
      }
    });
  }

  it('is tried above with every spelling of every flag', () => {
    const tried = new Set(FORMS.flatMap(([argv]) => argv));
    const spellings = FLAGS.flatMap(({ name, aliases = [] }) => [name, ...aliases]);
    assert.deepEqual(
      spellings.filter(spelling => !tried.has(spelling)),
      [],
    );
    assert.equal(new Set(spellings).size, spellings.length, 'one flag for each spelling');
  });

  it('lists flags it does not know, and gives them to hooks once these have said what they are', () => {
    const argv = ['--plan', '--note', 'a text', '--quiet=false', 'prompt'];
    assert.deepEqual(parseArguments(argv).unknown, ['--plan', '--note', '--quiet']);
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
    ['a mode that does not exist', ['--mode', 'xml'], /^--mode must be one of text, json, rpc, acp, not "xml"\.$/],
    [
      'a terminal interface that does not exist',
      ['--tui-mode', 'odd'],
      /^--tui-mode must be one of regular, full.*"odd"/,
    ],
    ['a value that is missing', ['--model'], /^--model needs a value\.$/],
    ['an empty name', ['-n', ' '], /^-n needs a name/],
    ['a short option that does not exist', ['-x'], /^Unknown option: -x$/],
    ['a dash behind -p', ['-p', '- a list'], /^Unknown option: - a list$/],
    [
      'a fork of a session that is continued',
      ['--fork', 'a', '-c', '--no-session'],
      /--fork .* --continue, --no-session\.$/,
    ],
    ['an id for a session that is named', ['--session-id', 'a', '--session', 'b'], /--session-id .* --session\.$/],
    ['an id that no file can bear', ['--session-id', '../a'], /^--session-id: "\.\.\/a" must consist of/],
    ['names and changes of tools', ['-t', 'read,+bash'], /^-t: names cannot be mixed/],
    ['a pattern as change', ['-t', '+my_*'], /^-t: \+my_\* must be a whole name/],
    ['a file for RPC', ['--mode', 'rpc', '@a.md'], /--mode rpc takes files with the prompts on stdin.*: @a\.md$/],
    ['a hook flag without its text', ['--note'], /^--note needs a value\.$/],
    ['a hook flag whose text is a flag', ['--note', '-p', 'go'], /^--note needs a value\.$/],
    ['a hook flag whose text is a file', ['--note', '@a.md', 'go'], /^--note needs a value\.$/],
  ];
  for (const [what, argv, message] of bad) {
    it(`refuses ${what}, naming it`, () =>
      assert.throws(
        () => parseArguments(argv, new Map([['note', 'string']])),
        (error: unknown) => error instanceof UsageError && message.test(error.message),
      ));
  }
});
