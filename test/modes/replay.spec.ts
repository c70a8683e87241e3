import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { ended } from './support/cli';
import { onePlace } from './support/each-with-model';

const GATE = `export default pi => {
  pi.on('tool_call', async (event, ctx) => {
    if (!event.input.command?.includes('rm')) return;
    const answer = await ctx.ui.select('Really?', ['Yes', 'No']);
    if (answer !== 'Yes') return { block: true, reason: 'Blocked by user' };
  });
  pi.on('tool_result', event => ({ content: [{ type: 'text', text: event.content[0].text.toUpperCase() }] }));
};
`;

const entry = (seq: number, more: object): string =>
  `${JSON.stringify({ run: 'r', seq, at: seq * 10_000, conversation: 'c', hook: '/elsewhere/gate.ts', nth: 0, ms: 1, askedMs: 0, ...more })}\n`;
const call = (seq: number, command: string, more: object): string =>
  entry(seq, {
    event: 'tool_call',
    registeredAs: 'tool_call',
    tool: 'bash',
    toolCallId: `t${String(seq)}`,
    payload: { type: 'tool_call', toolCallId: `t${String(seq)}`, toolName: 'bash', input: { command } },
    ...more,
  });
const BLOCKED = {
  outcome: { type: 'blocked', reason: 'Blocked by user' },
  returned: { block: true, reason: 'Blocked by user' },
};

const LOG = [
  call(1, 'ls', { outcome: { type: 'nothing' } }),
  call(2, 'rm x', { ...BLOCKED, dialogs: [{ kind: 'select', title: 'Really?', answer: 'No' }] }),
  call(3, 'rm y', { outcome: { type: 'nothing' }, dialogs: [{ kind: 'select', title: 'Really?', answer: 'Yes' }] }),
  entry(4, {
    event: 'tool_result',
    registeredAs: 'tool_result',
    tool: 'bash',
    toolCallId: 't4',
    payload: {
      type: 'tool_result',
      toolCallId: 't4',
      toolName: 'bash',
      input: { command: 'ls' },
      content: [{ type: 'text', text: 'a' }],
      details: { lines: 1 },
      isError: false,
    },
    outcome: { type: 'returned', changed: ['content'] },
    returned: { content: [{ type: 'text', text: 'A' }] },
    changes: [{ member: 'content', before: [{ type: 'text', text: 'a' }], after: [{ type: 'text', text: 'A' }] }],
  }),
].join('');

describe('hookline replay', () => {
  const place = onePlace();

  it('finds the same verdicts in the hooks as they were, with the answers of then', async () => {
    const gate = place.file('gate.ts', GATE);
    const log = place.file('run.jsonl', LOG);
    const { code, stdout, stderr } = await place.run(['replay', log, '--no-hooks', '--hook', gate]);
    assert.equal(stderr, '');
    assert.match(stdout, /^4 events replayed, nothing executed: 4 as recorded, 0 changed, 0 not certain, 0 not repeat/);
    assert.equal(code, 0);
  });

  it('loads hooks that register a provider, and checks it as ever', async () => {
    const log = place.file('run.jsonl', LOG);
    const registering = (config: string): string =>
      GATE.replace('{\n', `{\n  pi.registerProvider('mine', ${config});\n`);
    const gate = place.file('gate.ts', registering("{ baseUrl: 'http://127.0.0.1:1' }"));
    const { code, stdout } = await place.run(['replay', log, '--no-hooks', '--hook', gate]);
    assert.match(stdout, /4 as recorded, 0 changed, 0 not certain, 0 not repeat/);
    assert.equal(code, 0);
    const wrong = place.file('gate.ts', registering('{ baseUrl: 1 }'));
    const refused = await place.run(['replay', log, '--no-hooks', '--hook', wrong]);
    assert.equal(refused.code, 1);
    assert.match(refused.stderr, /was not loaded/);
  });

  it('ends when it is told to while it waits for its input', async () => {
    const child = place.start(['replay', '-', '--no-hooks']);
    // More than the pipe takes: when this is written, the process reads.
    await new Promise(resolve => child.stdin.write('x'.repeat(4 * 1024 * 1024), resolve));
    child.kill('SIGINT');
    const { code, stdout, stderr } = await ended(child);
    assert.deepEqual({ code, stdout, stderr }, { code: 130, stdout: '', stderr: '' });
  });

  it('tells each verdict that changed, with its handler, and exits with 1', async () => {
    const gate = place.file('gate.ts', GATE.replace("'rm'", "'ls'").replace('toUpperCase', 'trim'));
    const { code, stdout } = await place.run(['replay', '-', '--no-hooks', '--hook', gate], { stdin: LOG });
    assert.equal(code, 1);
    assert.match(stdout, /^\? tool_call bash "ls": no decision → blocked: Blocked by user\n.*gate\.ts:2 tool_call/);
    assert.match(stdout, /it asked select "Really\?", and the recording has no answer to this/);
    assert.match(stdout, /✗ tool_call bash "rm x": blocked: Blocked by user → no decision\n/);
    assert.match(stdout, /✗ tool_result bash "ls": changed content → changed content\n.*with another result/);
    assert.match(stdout, /1 as recorded, 2 changed, 1 not certain/);
  });

  it('refuses what is no log, and hooks that do not load', async () => {
    const cases = [
      [['replay'], 2, /needs the file/],
      [['replay', 'nowhere.jsonl'], 2, /nowhere\.jsonl cannot be read/],
      [['replay', place.file('empty.jsonl', '\n')], 2, /contains no entries/],
      [
        ['replay', place.file('run.jsonl', LOG), '--hook', place.file('bad.ts', 'export default (')],
        1,
        /was not loaded/,
      ],
      [['replay', place.file('run.jsonl', LOG), '--what'], 2, /Unknown option of replay: --what/],
      [
        ['replay', place.file('run.jsonl', LOG), '--no-hooks', '--hook', place.file('x.ts', GATE)],
        1,
        /None of the recorded hooks/,
      ],
    ] as const;
    for (const [args, expected, text] of cases) {
      const { code, stderr } = await place.run(args);
      assert.equal(code, expected, stderr);
      assert.match(stderr, text);
    }
  });

  it('lets hooks read, and do nothing: no process, no network, no worker, no writing', async () => {
    const marks = place.file('marks/read.txt', 'allowed');
    const folder = marks.replace('/read.txt', '');
    const gate = place.file(
      'gate.ts',
      `import { spawn, execSync } from 'node:child_process';
import * as fs from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { Worker } from 'node:worker_threads';
const tries = {
  spawn: () => spawn('touch', ['${folder}/spawned']),
  execSync: () => execSync('touch ${folder}/ran'),
  write: () => fs.writeFileSync('${folder}/written', ''),
  open: () => fs.closeSync(fs.openSync('${folder}/opened', 'w')),
  nested: () => fs.promises.writeFile('${folder}/nested', ''),
  promise: () => writeFile('${folder}/promised', ''),
  fetch: () => fetch('http://127.0.0.1:9/'),
  server: () => createServer().listen(0),
  worker: () => new Worker('0', { eval: true }),
};
export default pi => {
  pi.on('tool_call', async () => {
    const said = [fs.readFileSync('${marks}', 'utf8'), fs.readFileSync(fs.openSync('${marks}', 'r'), 'utf8')];
    for (const [name, act] of Object.entries(tries)) {
      try { await act(); said.push(name + ' done'); } catch (error) { if (!/not done in a replay/.test(error.message)) said.push(name + ' ' + error.message); }
    }
    return { block: true, reason: said.join(', ') };
  });
};
`,
    );
    const log = place.file('run.jsonl', call(1, 'ls', { outcome: { type: 'nothing' } }));
    const { code, stdout, stderr } = await place.run(['replay', log, '--no-hooks', '--hook', gate]);
    assert.equal(stderr, '');
    assert.match(stdout, /no decision → blocked: allowed, allowed\n/);
    assert.match(stdout, /child_process\.spawn was not done/);
    assert.match(stdout, /0 changed, 1 not certain/);
    assert.equal(code, 0);
    assert.deepEqual(readdirSync(folder), ['read.txt']);
    assert.deepEqual(await place.processes(), []);
  });
});
