import assert from 'node:assert/strict';
import { rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { createBashTool } from '../../../../src/agent/tools/shell/bash';
import type { BashOperations } from '../../../../src/agent/tools/shell/bash-operations';
import type { BashToolDetails } from '../../../../src/agent/tools/shell/execute-bash';
import type { CommandExit, CommandFollower, ToolContext } from '../../../../src/agent/tools/tool';
import { deferred } from '../../../../src/base/async/wait';
import { call, until } from '../fixture';

/** Notes what it is told; each chunk and end in order. */
class Notes implements CommandFollower {
  readonly chunks: string[] = [];
  readonly ends: CommandExit[] = [];
  /** What {@link output} returns. */
  held: Promise<void> | undefined;

  output(chunk: string): Promise<void> | undefined {
    assert.equal(this.ends.length, 0, 'nothing follows the end');
    this.chunks.push(chunk);
    return this.held;
  }

  end(end: CommandExit): void {
    this.ends.push(end);
  }

  get text(): string {
    return this.chunks.join('');
  }
}

interface Options {
  readonly timeout?: number;
  readonly signal?: AbortSignal;
  readonly operations?: BashOperations;
  readonly notes?: Notes;
}

/** Runs a command to its end, whatever that is. */
async function follow(
  command: string,
  { timeout, signal, operations, notes = new Notes() }: Options = {},
): Promise<Notes> {
  const context: ToolContext = {
    sessionManager: { getSessionId: () => 's', getSessionFile: () => undefined },
    command: notes,
  };
  const tool = createBashTool(tmpdir(), { operations });
  const params = { command, ...(timeout === undefined ? {} : { timeout }) };
  const result = await call(tool, params, { context, ...(signal === undefined ? {} : { signal }) }).catch(
    (error: unknown) => error as { readonly details?: unknown },
  );
  const { fullOutputPath } = (result.details as BashToolDetails | undefined) ?? {};
  if (fullOutputPath !== undefined) rmSync(fullOutputPath);
  return notes;
}

describe('who follows a command', function () {
  this.timeout(30_000);

  it('gets 40,000 lines exactly, far more than the result has', async () => {
    const { text, ends } = await follow('seq 1 40000');
    assert.ok(text === Array.from({ length: 40_000 }, (_, at) => `${at + 1}\n`).join(''));
    assert.deepEqual(ends, [{ exitCode: 0, signal: null }]);
  });

  it('gets characters whole that arrive in pieces, and control sequences as they are', async () => {
    const bytes = Buffer.from('a€😀\u001b[31mrot\u001b[0m\r\n\u0007');
    const operations: BashOperations = {
      exec: async (_command, _cwd, { onData }) => {
        for (const byte of bytes) await onData(Buffer.from([byte]));
        await onData(Buffer.from([0xe2, 0x82]));
        return { exitCode: 0 };
      },
    };
    const { chunks, text } = await follow('x', { operations });
    assert.equal(text, `${bytes.toString()}\ufffd`);
    assert.deepEqual(chunks.slice(0, 3), ['a', '€', '😀']);
  });

  it('gets stdout and stderr in the order of writing, while the command runs', async () => {
    const abort = new AbortController();
    const notes = new Notes();
    const running = follow('echo out; echo err >&2; sleep 60', { notes, signal: abort.signal });
    await until(() => notes.text === 'out\nerr\n', 'both lines');
    assert.deepEqual(notes.ends, []);
    abort.abort();
    await running;
  });

  const ends: readonly (readonly [what: string, command: string, end: CommandExit, options?: Options])[] = [
    ['its exit code', 'exit 7', { exitCode: 7, signal: null }],
    ['the signal that ends it', 'kill -KILL $$', { exitCode: null, signal: 'SIGKILL' }],
    ['a code that only looks like a signal', 'exit 137', { exitCode: 137, signal: null }],
    ['the signal of a timeout', 'sleep 60', { exitCode: null, signal: 'SIGKILL' }, { timeout: 0.2 }],
    [
      'nothing known if it is aborted before it begins',
      'true',
      { exitCode: null, signal: null },
      { signal: AbortSignal.abort() },
    ],
    ['nothing known if it cannot be started', 'true', { exitCode: null, signal: null }, { timeout: -1 }],
    [
      'the code of operations of a hook',
      'x',
      { exitCode: 4, signal: null },
      { operations: { exec: () => Promise.resolve({ exitCode: 4 }) } },
    ],
    [
      'nothing known of operations that end without a code',
      'x',
      { exitCode: null, signal: null },
      { operations: { exec: () => Promise.reject(new Error('timeout:3')) } },
    ],
  ];
  for (const [what, command, end, options] of ends) {
    it(`is told once how it ends: ${what}`, async () => assert.deepEqual((await follow(command, options)).ends, [end]));
  }

  it('is told the signal of an abort', async () => {
    const abort = new AbortController();
    const notes = new Notes();
    const running = follow('echo begun; sleep 60', { notes, signal: abort.signal });
    await until(() => notes.text === 'begun\n', 'the command has begun');
    abort.abort();
    assert.deepEqual((await running).ends, [{ exitCode: null, signal: 'SIGKILL' }]);
  });

  it('is not told what operations print after an abort', async () => {
    const abort = new AbortController();
    let print: (data: Buffer) => unknown = () => undefined;
    const operations: BashOperations = {
      exec: (_command, _cwd, { onData }) => {
        print = onData;
        return new Promise(() => undefined);
      },
    };
    const running = follow('x', { operations, signal: abort.signal });
    abort.abort();
    const { ends, text } = await running;
    print(Buffer.from('late'));
    assert.deepEqual([ends.length, text], [1, '']);
  });

  it('holds up the command while it takes no more, until an abort', async () => {
    const notes = new Notes();
    const free = deferred();
    notes.held = free.promise;
    const abort = new AbortController();
    const running = follow('yes', { notes, signal: abort.signal });
    await until(() => notes.chunks.length === 1, 'the first chunk');
    notes.held = deferred().promise;
    free.resolve();
    await until(() => notes.chunks.length === 2, 'the next chunk, once it takes more');
    abort.abort();
    assert.equal((await running).ends.length, 1);
  });
});
