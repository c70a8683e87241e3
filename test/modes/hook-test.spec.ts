import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { parse } from '../../src/base/json/schema';
import { LogEntrySchema, type LogEntry } from '../../src/hook-insight/recording/log-entry';
import { hookTest, TEST_HELPER, testHelper } from '../../src/hook-insight/hook-tests/hook-test';
import { CliPlace } from './support/cli';

const MOCHA = createRequire(import.meta.url).resolve('mocha/bin/mocha.js');

const GATE = `export default pi => {
  pi.on('tool_call', () => undefined);
  pi.on('tool_call', async (event, ctx) => {
    if (!event.input.command.includes('rm')) return;
    event.input.command = event.input.command.trim();
    if (!(await ctx.ui.confirm('Really?', event.input.command))) return { block: true, reason: 'Blocked by \`user\`' };
  });
  pi.registerCommand('hello', { handler: async () => { throw new Error('on purpose'); } });
};
`;

const RECORD = {
  run: 'r',
  seq: 7,
  at: 1,
  conversation: 'c',
  nth: 1,
  ms: 1,
  askedMs: 0,
  event: 'tool_call',
  registeredAs: 'tool_call',
  tool: 'bash',
  toolCallId: 't',
  payload: { type: 'tool_call', toolCallId: 't', toolName: 'bash', input: { command: 'rm -rf x' } },
  outcome: { type: 'blocked', reason: 'Blocked by `user`' },
  returned: { block: true, reason: 'Blocked by `user`' },
  changes: [{ member: 'input', before: { command: ' rm -rf x ' }, after: { command: 'rm -rf x' } }],
  dialogs: [{ kind: 'confirm', title: 'Really?', answer: false }],
};

describe('a test made of a record', () => {
  let place: CliPlace;
  let hook: string;
  let folder: string;
  before(async () => {
    place = await CliPlace.make();
    hook = place.file('work/.pi/hooks/my gate.ts', GATE);
    folder = join(place.cwd, '.pi', 'hooks-test');
    mkdirSync(folder);
    writeFileSync(join(folder, TEST_HELPER), testHelper(place.cliPath));
  });
  after(() => place.remove());

  const entry = (more: object = {}): LogEntry => {
    const read = parse(LogEntrySchema, { ...RECORD, hook, ...more });
    assert.ok(read.ok);
    return read.value;
  };
  const write = (made: ReturnType<typeof hookTest>): string => {
    assert.ok('text' in made);
    const file = join(folder, made.name);
    writeFileSync(file, made.text);
    return file;
  };
  const mocha = (file: string) =>
    spawnSync(process.execPath, [MOCHA, '--no-config', '--reporter', 'json', file], {
      cwd: place.cwd,
      env: place.env,
      encoding: 'utf8',
    });

  it('is green with plain mocha while the hook decides as it did, and red when it no longer does', () => {
    const file = write(hookTest(entry(), folder));
    assert.equal(file, join(folder, 'my-gate-tool_call-bash-blocked.test.mjs'));
    const green = mocha(file);
    assert.equal(green.status, 0, green.stdout + green.stderr);
    assert.match(green.stdout, /"passes": 1/);
    assert.match(green.stdout, /my gate\.ts tool_call bash: blocked: Blocked by `user`/);

    writeFileSync(hook, GATE.replace("'rm'", "'mv'"));
    const red = mocha(file);
    assert.equal(red.status, 1, red.stdout);
    assert.match(red.stdout, /"failures": 1/);
    writeFileSync(hook, 'export default (');
    const broken = mocha(file);
    assert.equal(broken.status, 1);
    assert.match(broken.stdout, /was not loaded/);
    writeFileSync(hook, GATE);
  });

  it('is made of commands that throw as well', () => {
    const outcome = { type: 'threw', message: 'on purpose', line: 8, column: 3, stack: 'x' };
    const made = hookTest(
      entry({
        event: 'command:hello',
        registeredAs: 'command:hello',
        nth: 0,
        payload: { args: 'you' },
        outcome,
        tool: undefined,
        changes: undefined,
        returned: undefined,
      }),
      folder,
    );
    const { status, stdout } = mocha(write(made));
    assert.equal(status, 0, stdout);
  });

  it('says what the record does not hold, and refuses where nothing can be repeated', () => {
    const payload = { ...RECORD.payload, input: { command: 'rm token=[redacted]' } };
    const made = hookTest(entry({ payload, changes: undefined }), dirname(folder));
    assert.ok('text' in made);
    assert.match(made.text, /Recorded with a gap: secrets are \[redacted\] in the recording/);
    assert.match(made.text, /new URL\("\.\/hooks\/my%20gate\.ts", import/);
    const dialogs = [{ kind: 'input', title: 'Password', answer: '[redacted]' }];
    const asked = hookTest(entry({ dialogs }), folder);
    assert.match('text' in asked ? asked.text : '', /Recorded with a gap: answers of the user are \[redacted\]/);
    const context = hookTest(entry({ event: 'context', registeredAs: 'context', payload: { count: 2 } }), folder);
    assert.match('why' in context ? context.why : '', /message lists/);
  });
});
