import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { open, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { execCommand } from '../../src/agent/tools/shell/exec';
import { createBuiltinTools } from '../../src/agent/tools';
import { bench, benchCase, type BenchCase, type Figures } from '../support/bench';
import { writeLines } from '../support/bench-data';
import { cost } from '../support/bench-measure';
import { importPi, type PiTools } from '../support/bench-peer';
import { endMarked, markedProcesses } from '../support/bench-processes';

const MB = 1024 * 1024;
const HEAD_LINES = 2_000;
const HEAD_BYTES = 50 * 1024;

interface Given {
  readonly cwd: string;
  readonly path: string;
}

/** Runs one of our tools as the agent does, and what that cost. */
function ours(name: string, params: (given: Given) => unknown): (given: Given) => Promise<Figures> {
  return given => {
    const tool = createBuiltinTools({ cwd: given.cwd }).find(each => each.name === name);
    return cost(() => tool?.execute('call', params(given), undefined, () => undefined));
  };
}

function pi(make: keyof PiTools, params: (given: Given) => unknown): (given: Given) => Promise<Figures> {
  return async given => {
    const tools = await importPi<PiTools>('core/tools/index.js');
    const tool = tools[make](given.cwd);
    return cost(() => tool.execute('call', params(given), undefined, () => undefined));
  };
}

/** Reads through the file, keeps the head, counts the lines. */
async function readHead(file: string): Promise<void> {
  const handle = await open(file, 'r');
  const block = Buffer.allocUnsafe(256 * 1024);
  let lines = 0;
  let head = '';
  for (;;) {
    const { bytesRead } = await handle.read(block, 0, block.length);
    if (bytesRead === 0) break;
    if (head === '') head = block.toString('utf8', 0, HEAD_BYTES).split('\n').slice(0, HEAD_LINES).join('\n');
    for (let at = block.indexOf(10); at >= 0 && at < bytesRead; at = block.indexOf(10, at + 1)) lines++;
  }
  await handle.close();
  if (lines === 0 || head === '') throw new Error('nothing was read');
}

const read = benchCase<Given>({
  rows: [
    { name: 'read the head of 50 MB: time', figure: 'ms', unit: 'ms', aim: { ratio: 1.5 } },
    { name: 'read the head of 50 MB: longest stall', figure: 'stall', unit: 'ms' },
    { name: 'read the head of 50 MB: memory', figure: 'mb', unit: 'MB' },
  ],
  setUp(cwd) {
    writeLines(join(cwd, 'large.txt'), 50 * MB);
    return { cwd, path: 'large.txt' };
  },
  isolated: true,
  rounds: 3,
  measure: {
    raw: ({ cwd, path }) => cost(() => readHead(join(cwd, path))),
    ours: ours('read', ({ path }) => ({ path })),
    pi: pi('createReadTool', ({ path }) => ({ path })),
  },
});

let edits = 0;
const EDITED = 'line    30000 plain ';

/** The next edit of the one line: each changes what the last one wrote. */
function nextEdit(): { readonly oldText: string; readonly newText: string } {
  const word = (count: number): string => (count === 0 ? EDITED : `line    30000 v${count} `);
  edits++;
  return { oldText: word(edits - 1), newText: word(edits) };
}

async function editRaw(file: string): Promise<void> {
  const { oldText, newText } = nextEdit();
  const text = await readFile(file, 'utf8');
  const at = text.indexOf(oldText);
  if (at < 0 || text.includes(oldText, at + 1)) throw new Error('not there once');
  await writeFile(`${file}.new`, text.slice(0, at) + newText + text.slice(at + oldText.length));
  await rename(`${file}.new`, file);
}

const edit = benchCase<Given>({
  rows: [{ name: 'edit one line in 5 MB', figure: 'ms', unit: 'ms', aim: { figure: 15, ratio: 1.5 } }],
  setUp(cwd) {
    writeLines(join(cwd, 'source.txt'), 5 * MB);
    return { cwd, path: 'source.txt' };
  },
  rounds: 9,
  measure: {
    raw: ({ cwd, path }) => cost(() => editRaw(join(cwd, path))),
    ours: ours('edit', ({ path }) => ({ path, ...nextEdit() })),
    pi: pi('createEditTool', ({ path }) => ({ path, edits: [nextEdit()] })),
  },
});

const MATCHES = 40;

async function grepRaw(program: string, { cwd }: Given): Promise<void> {
  const args = ['--no-config', '-n', '-C2', '--with-filename', '--hidden', '-e', 'NEEDLE', './'];
  const child = spawn(program, args, { cwd, stdio: ['ignore', 'pipe', 'ignore'] });
  let text = '';
  for await (const chunk of child.stdout) text += String(chunk);
  const found = text.split('\n').filter(line => /^[^:]+:\d+:/.test(line));
  if (found.length < MATCHES) throw new Error(`found ${found.length} lines`);
}

const PATTERN = { pattern: 'NEEDLE', path: '.', context: 2 };

async function ripgrep(): Promise<string> {
  const { RipgrepLocator } = await import('../../src/agent/tools/search/ripgrep');
  return new RipgrepLocator().locate();
}

const grep = benchCase<Given>({
  rows: [{ name: 'grep with context in 50 MB', figure: 'ms', unit: 'ms', aim: { ratio: 1.5 } }],
  setUp(cwd) {
    writeLines(join(cwd, 'large.txt'), 50 * MB, MATCHES);
    return { cwd, path: 'large.txt' };
  },
  rounds: 7,
  measure: {
    raw: async given => {
      const program = await ripgrep();
      return cost(() => grepRaw(program, given));
    },
    ours: ours('grep', () => PATTERN),
    pi: pi('createGrepTool', () => PATTERN),
  },
});

const PRINT = { command: "yes 'a line of output that a build might print' | head -c 104857600" };

/** Keeps the end, writes all of it to a file, shows the end ten times a second. */
async function bashRaw({ cwd }: Given): Promise<void> {
  const child = spawn('bash', ['-c', PRINT.command], { cwd, stdio: ['ignore', 'pipe', 'pipe'] });
  const file = createWriteStream(join(cwd, 'raw.log'));
  let tail = Buffer.alloc(0);
  let shownAt = 0;
  let shown = '';
  for await (const chunk of child.stdout) {
    const bytes = chunk as Buffer;
    tail = Buffer.concat([tail, bytes]).subarray(-HEAD_BYTES);
    if (performance.now() - shownAt > 100) {
      shown = tail.toString('utf8');
      shownAt = performance.now();
    }
    if (!file.write(bytes)) await once(file, 'drain');
  }
  await new Promise<void>(resolve => {
    file.end(() => resolve());
  });
  if (shown === '') throw new Error('nothing was shown');
}

const bash = benchCase<Given>({
  rows: [
    { name: 'bash printing 100 MB, shown live: time', figure: 'ms', unit: 'ms', aim: { ratio: 1.25 } },
    { name: 'bash printing 100 MB, shown live: host thread', figure: 'cpu', unit: 'ms' },
    { name: 'bash printing 100 MB, shown live: memory', figure: 'mb', unit: 'MB', aim: { ratio: 1.5 } },
  ],
  setUp: cwd => ({ cwd, path: '' }),
  isolated: true,
  rounds: 3,
  measure: {
    raw: given => cost(() => bashRaw(given)),
    ours: ours('bash', () => PRINT),
    pi: pi('createBashTool', () => PRINT),
  },
});

/** Each sleeps for a time that names this run, so that what is left can be told from others' processes. */
const LEAVERS: readonly (readonly [name: string, script: (sleep: string) => string])[] = [
  ['with children', sleep => `${sleep} & ${sleep} & wait`],
  ['ignoring SIGTERM', sleep => `trap '' TERM; ${sleep} & while :; do ${sleep}; done`],
  ['with a setsid grandchild', sleep => `setsid ${sleep} & ${sleep}`],
];

/** What is used of pi's exec. */
interface PiExec {
  execCommand(
    command: string,
    args: readonly string[],
    cwd: string,
    options: { signal: AbortSignal },
  ): Promise<unknown>;
}

type Run = (script: string, cwd: string, signal: AbortSignal) => Promise<unknown>;

/** Aborts a command once it is up; what is left when the call has returned is counted, then ended. */
async function leftAfterAbort(script: (sleep: string) => string, cwd: string, run: Run): Promise<Figures> {
  const mark = `8${String(process.pid)}.${String(++edits)}`;
  const abort = new AbortController();
  const running = run(script(`sleep ${mark}`), cwd, abort.signal);
  while (markedProcesses(mark).filter(({ isSleep }) => isSleep).length < 2) await sleep(10);
  abort.abort();
  await Promise.race([running, sleep(8_000, undefined, { ref: false })]);
  const left = markedProcesses(mark).length;
  endMarked(mark);
  return { left };
}

const aborts = LEAVERS.map(([name, script]): BenchCase<never> =>
  benchCase<string>({
    rows: [{ name: `processes left after abort of exec ${name}`, figure: 'left', unit: 'left', aim: { figure: 0 } }],
    setUp: cwd => cwd,
    rounds: 1,
    measure: {
      ours: cwd =>
        leftAfterAbort(script, cwd, (text, folder, signal) =>
          execCommand('bash', ['-c', text], { cwd: folder, signal }),
        ),
      pi: async cwd => {
        const theirs = await importPi<PiExec>('core/exec.js');
        return leftAfterAbort(script, cwd, (text, folder, signal) =>
          theirs.execCommand('bash', ['-c', text], folder, { signal }),
        );
      },
    },
  }),
);

await bench(read, edit, grep, bash, ...aborts);
