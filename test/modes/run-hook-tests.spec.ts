import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { parse } from '../../src/base/json/schema';
import { hookTest, TEST_HELPER, testHelper } from '../../src/hook-insight/hook-tests/hook-test';
import { runTestFile, type TestFileRun, type TestRunEvent } from '../../src/hook-insight/hook-tests/run-test-file';
import { LogEntrySchema } from '../../src/hook-insight/recording/log-entry';
import { CliPlace } from './support/cli';

const GATE = `export default pi => {
  pi.on('tool_call', event => event.input.command.includes('rm') ? { block: true, reason: 'no' } : undefined);
};
`;

const RECORD = {
  ...{ run: 'r', seq: 7, at: 1, conversation: 'c', nth: 0, ms: 1, askedMs: 0 },
  ...{ event: 'tool_call', registeredAs: 'tool_call', tool: 'bash', toolCallId: 't' },
  payload: { type: 'tool_call', toolCallId: 't', toolName: 'bash', input: { command: 'rm -rf x' } },
  outcome: { type: 'blocked', reason: 'no' },
  returned: { block: true, reason: 'no' },
};

/** The part of chrome-remote-interface that is used here; it brings no types. */
interface Client {
  readonly Runtime: { runIfWaitingForDebugger(): Promise<unknown> };
  close(): Promise<void>;
}
const CDP = createRequire(import.meta.url)('chrome-remote-interface') as (options: { port: number }) => Promise<Client>;

describe('a file of hook tests', () => {
  let place: CliPlace;
  let folder: string;
  before(async () => {
    place = await CliPlace.make();
    place.file('work/.pi/hooks/gate.js', GATE);
    folder = join(place.cwd, '.pi', 'hooks-test');
    mkdirSync(folder);
    writeFileSync(join(folder, TEST_HELPER), testHelper(place.cliPath));
  });
  after(() => place.remove());

  const write = (text: string): string => place.file('work/.pi/hooks-test/own ü.test.mjs', text);

  async function run(file: string, more: Partial<TestFileRun> = {}) {
    const events: TestRunEvent[] = [];
    let output = '';
    const end = await runTestFile({
      runner: join(dirname(place.cliPath), 'hook-test-runner.js'),
      ...{ file, cwd: place.cwd, env: place.env, limitMs: 30_000, signal: new AbortController().signal },
      onOutput: text => (output += text),
      ...more,
      onEvent: event => {
        events.push(event);
        more.onEvent?.(event);
      },
    });
    return { events, output, end, ends: ends(events, file) };
  }

  it('passes while its hook decides as recorded, and shows both sides when the hook does not', async () => {
    const hook = join(place.cwd, '.pi', 'hooks', 'gate.js');
    const entry = parse(LogEntrySchema, { ...RECORD, hook });
    assert.ok(entry.ok);
    const made = hookTest(entry.value, folder);
    assert.ok('text' in made);
    const file = place.file(`work/.pi/hooks-test/${made.name}`, made.text);
    const before = contents(place);
    assert.deepEqual((await run(file)).ends, ['passed tool_call bash: blocked: no']);

    writeFileSync(hook, GATE.replace(`'no'`, `'never'`));
    const { events } = await run(file);
    const failed = events.find(event => event.type === 'failed');
    assert.ok(failed);
    const { difference, place: at, message } = failed.failure;
    assert.match(difference?.expected ?? '', /reason: 'no'/);
    assert.match(difference?.actual ?? '', /reason: 'never'/);
    assert.doesNotMatch(message, /reason/);
    const lines = made.text.split('\n');
    assert.match(lines[(at?.line ?? 0) - 1] ?? '', /assert\.deepEqual\(outcome/);

    writeFileSync(hook, GATE);
    assert.deepEqual(contents(place), before, 'no session, no hook and nothing else is changed');
  });

  it('runs functions around tests in order, and skips and fails what it is told to', async () => {
    const file = write(`
before(() => console.log('before'));
after(() => console.log('after'));
describe('suite', function () {
  this.timeout(5000);
  beforeEach(() => console.log('beforeEach'));
  afterEach(() => console.log('afterEach'));
  it('one', () => console.log('one'));
  it.skip('two', () => console.log('two'));
  it('three', function () { this.skip(); });
  it('four', done => setTimeout(() => done(new Error('four failed'))));
  for (const name of ['a', 'b']) it(\`computed \${name}\`, async () => {});
  it('five', () => { setTimeout(() => { throw new Error('thrown later'); }); return new Promise(() => {}); });
});
describe('broken suite', () => {
  before(() => { throw new Error('not prepared'); });
  it('six', () => {});
});
`);
    const { ends: seen, output, events } = await run(file);
    assert.deepEqual(seen, [
      'passed one',
      'skipped two',
      'skipped three',
      'failed four: four failed',
      'passed computed a',
      'passed computed b',
      'failed five: thrown later',
      'failed six: not prepared',
    ]);
    assert.deepEqual(output.split('\n').slice(0, 4), ['before', 'beforeEach', 'one', 'afterEach']);
    assert.equal(output.trimEnd().split('\n').at(-1), 'after');
    const collected = events.find(event => event.type === 'collected');
    assert.deepEqual(collected?.tests.find(({ id }) => id.includes('computed b'))?.place?.line, 12);
  });

  it('runs only the tests that it is told to', async () => {
    const file = write(`it('one', () => {});\nit('two', () => {});\nit('two', () => {});`);
    const { events } = await run(file);
    const [, , second] = events.flatMap(event => (event.type === 'passed' ? [event.id] : []));
    assert.ok(second);
    const alone = await run(file, { only: [second] });
    assert.deepEqual(
      alone.events.flatMap(event => (event.type === 'passed' ? [event.id] : [])),
      [second],
    );
  });

  it('ends a test that hangs, with all that it started and nothing else, and runs the others', async () => {
    const bystander = spawn('sleep', ['600'], { env: place.env, stdio: 'ignore' });
    const file = write(`
import { spawn } from 'node:child_process';
it('one', () => {});
it('hangs', function () {
  this.timeout(300);
  spawn('sh', ['-c', 'trap "" TERM; sleep 601'], { detached: true, stdio: 'ignore' });
  for (;;);
});
it('waits for nothing', function () { this.timeout(200); return new Promise(() => {}); });
it('last', () => {});
`);
    const { ends: seen, end } = await run(file);
    assert.equal(end, 'over');
    assert.deepEqual(seen, ['passed one', 'late hangs after 300', 'late waits for nothing after 200', 'passed last']);
    assert.deepEqual(await place.processes(), [bystander.pid]);
    bystander.kill('SIGKILL');
  });

  it('is over although a process that it left behind holds its output, and ends it if it is known to be its own', async () => {
    const bystander = spawn('sleep', ['604'], { env: place.env, stdio: 'ignore' });
    const file = write(`
import { spawn } from 'node:child_process';
const leave = more => {
  const child = spawn('sleep', ['605'], { detached: true, stdio: 'inherit', ...more });
  child.unref();
  return child.pid;
};
it('one', () => { leave(); });
it('two', () => { console.log('unknown', leave({ env: {} })); });
it('last', () => {});
`);
    const { ends: seen, end, output } = await run(file);
    const unknown = Number(/^unknown (\d+)$/m.exec(output)?.[1]);
    try {
      assert.equal(end, 'over');
      assert.deepEqual(seen, ['passed one', 'passed two', 'passed last']);
      assert.deepEqual(await place.processes(), [bystander.pid]);
      assert.equal(process.kill(unknown, 0), true, 'nothing says that it is not of somebody else');
    } finally {
      process.kill(unknown, 'SIGKILL');
      bystander.kill('SIGKILL');
    }
  });

  it('shows the beginning of what it prints, and says that there is more', async () => {
    const file = write(`
const line = 'x'.repeat(99_999) + '\\n';
it('one', () => { for (let count = 0; count < 300; count++) process.stdout.write(line); });
it('two', () => console.log('not shown'));
it('three', () => { process.stdout.write = () => false; });
`);
    const { ends: seen, output } = await run(file);
    assert.deepEqual(seen, ['passed one', 'passed two', 'passed three']);
    const [shown = '', rest] = output.split('\n[The tests print more than 1 MB. The rest is not shown.]\n');
    assert.equal(rest, '', 'it is said once, at the end');
    assert.equal(shown.length, 1024 * 1024);
    assert.doesNotMatch(shown, /not shown/);
  });

  it('says of a failure with long texts what fits, with the first difference, and that it is cut', async () => {
    const file = write(`
import assert from 'node:assert/strict';
const long = 'x'.repeat(10_000_000);
it('message', () => { throw new Error('begin ' + long); });
it('assertion', () => { throw Object.assign(new Error('differs'), { expected: [long + 'a' + long], actual: [long + 'b' + long] }); });
it('short', () => assert.equal('a', 'b'));
`);
    const failures = (await run(file)).events.flatMap(event => (event.type === 'failed' ? [event.failure] : []));
    const [message, assertion, short] = failures;
    assert.deepEqual(
      failures.map(({ isCut }) => isCut),
      [true, true, undefined],
    );
    assert.match(message?.message ?? '', /^begin x+…x+$/);
    assert.match(message?.stack ?? '', /^Error: begin x+…[^]*own%20/, 'the stack keeps its places');
    assert.deepEqual(message?.place?.line, 4);
    assert.match(assertion?.difference?.expected ?? '', /^…x+ax+…$/);
    assert.match(assertion?.difference?.actual ?? '', /^…x+bx+…$/);
    assert.deepEqual(short?.difference, { expected: 'b', actual: 'a' });
    for (const failure of failures) assert.ok(JSON.stringify(failure).length < 300_000);
  });

  it('says that tests failed whose errors cannot be read, and runs the others', async () => {
    const file = write(`
import { inspect } from 'node:util';
const bad = () => { throw new Error('unreadable'); };
it('values', () => { throw Object.assign(new Error('one'), { expected: { [inspect.custom]: bad }, actual: 1 }); });
it('stack', () => { throw Object.defineProperty(new Error('two'), 'stack', { get: bad }); });
it('message', () => { throw Object.assign(new Error(''), { message: 3, stack: 4 }); });
it('last', () => {});
`);
    const expected = ['failed values: one', 'failed stack: two', 'failed message: 3', 'passed last'];
    assert.deepEqual((await run(file)).ends, expected);
  });

  it('is ended when the user stops it', async () => {
    const file = write(`it('one', () => {});\nit('hangs', () => { for (;;); });\nit('last', () => {});`);
    const stop = new AbortController();
    const { ends: seen, end } = await run(file, {
      signal: stop.signal,
      onEvent: event => {
        if (event.type === 'started' && event.id.includes('hangs')) stop.abort();
      },
    });
    assert.deepEqual([end, ...seen], ['stopped', 'passed one']);
    assert.deepEqual(await place.processes(), []);
  });

  it('does not start after the user stopped it', async () => {
    const { events, end } = await run(write(`it('one', () => {});`), { signal: AbortSignal.abort() });
    assert.deepEqual([end, ...events], ['stopped']);
  });

  it('says what ends its process, and runs the others', async () => {
    const file = write(`it('one', () => process.exit(3));\nit('two', () => {});`);
    assert.deepEqual((await run(file)).ends, ['ended one with 3', 'passed two']);
    assert.deepEqual((await run(write('process.exit(4);'))).ends, ['ended the file with 4']);
    assert.deepEqual((await run(write('for (;;);'), { limitMs: 300 })).ends, ['late the file after 300']);
  });

  it('says that it cannot be loaded, and where', async () => {
    const syntax = await run(write(`it('one', () => {});\nit('two', ( => {});`));
    assert.match(syntax.ends.join('\n'), /^broken the file: Unexpected token '=>'$/);
    const missing = await run(write(`import './gone.mjs';`));
    assert.match(missing.ends.join('\n'), /^broken the file: Cannot find module/);
    const name = await run(write(`it('one', () => {});\nimport { other } from './${TEST_HELPER}';`));
    assert.match(name.ends.join('\n'), /^broken the file: .*does not provide an export named 'other'/);
    const thrown = await run(write(`\nthrow new Error('on purpose');`));
    const broken = thrown.events.find(event => event.type === 'broken');
    assert.deepEqual(broken?.failure.place, { line: 2, column: 7 });
  });

  it('says that it cannot be started', async () => {
    const seen = await run(write(''), { cwd: join(place.root, 'gone') });
    assert.match(seen.ends.join('\n'), /^notStarted the file: /);
  });

  it('waits for a debugger and then has no time limit', async () => {
    const file = write(
      `it('one', async function () { this.timeout(1); await new Promise(r => setTimeout(r, 300)); });`,
    );
    const attach = async (port: number): Promise<void> => {
      const client = await CDP({ port });
      await client.Runtime.runIfWaitingForDebugger();
    };
    assert.deepEqual((await run(file, { attach })).ends, ['passed one']);
    const refused = await run(file, { attach: () => Promise.reject(new Error('no debugger here')) });
    assert.deepEqual(refused.ends, ['notStarted the file: no debugger here']);
  });

  it('ignores messages of a test that are none of ours', async () => {
    const file = write(`it('one', () => { process.send({ type: 'passed', id: 7 }); process.send('x'); });`);
    assert.deepEqual((await run(file)).ends, ['passed one']);
  });
});

/** How each test ended, by its title. */
function ends(events: readonly TestRunEvent[], file: string): readonly string[] {
  const titles = new Map([[file, 'the file']]);
  return events.flatMap(event => {
    if (event.type === 'collected') {
      for (const { id, path } of event.tests) titles.set(id, path.at(-1)?.title ?? '');
      return [];
    }
    if (event.type === 'started') return [];
    const start = `${event.type} ${titles.get(event.id) ?? event.id}`;
    if ('failure' in event) return `${start}: ${event.failure.message}`;
    if (event.type === 'late') return `${start} after ${event.limitMs}`;
    if (event.type === 'ended') return `${start} with ${event.code ?? 'a signal'}`;
    return event.type === 'notStarted' ? `${start}: ${event.why}` : start;
  });
}

/** Every file of the user: path -> text. */
function contents({ root }: CliPlace): Readonly<Record<string, string>> {
  const all = readdirSync(root, { recursive: true, withFileTypes: true }).filter(each => each.isFile());
  return Object.fromEntries(
    all.map(({ parentPath, name }) => {
      const path = join(parentPath, name);
      return [path, readFileSync(path, 'latin1')];
    }),
  );
}
