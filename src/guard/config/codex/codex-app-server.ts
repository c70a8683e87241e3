import { spawn, type ChildProcessByStdio } from 'node:child_process';
import type { Readable, Writable } from 'node:stream';
import { withTimeout } from '../../../base/async/wait';
import { newMark, withMark } from '../../../base/ending/mark';
import { StartedTree } from '../../../base/ending/started-tree';
import { parseObject } from '../../../base/json/parse-object';
import { isRecord } from '../../../base/json/is-record';
import { LineReader } from '../../../base/text/line-reader';
import { offline } from '../offline';

/** How long Codex may take to start and answer everything, ms. */
const LIMIT_MS = 20_000;
const GRACE_MS = 1_000;

/** What is needed to start Codex. */
export interface CodexProgram {
  /** Absolute path. */
  readonly program: string;
  /** Arguments before Codex's own. */
  readonly args?: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Absolute. */
  readonly cwd: string;
}

/** Asks one running `codex app-server`. Rejects with Codex's own message where it refuses, and when it ends. */
export type AskCodex = (method: string, params: object) => Promise<unknown>;

/**
 * Runs `codex app-server`, without network, while `talk` asks it.
 * @throws Error that says what Codex did; what `talk` throws
 */
export async function withCodex<T>(codex: CodexProgram, talk: (ask: AskCodex) => Promise<T>): Promise<T> {
  const mark = newMark();
  const child = spawn(codex.program, [...(codex.args ?? []), 'app-server'], {
    cwd: codex.cwd,
    env: { ...offline(codex.env), ...withMark(mark) },
    stdio: ['pipe', 'pipe', 'ignore'],
    detached: process.platform !== 'win32',
    shell: process.platform === 'win32',
    windowsHide: true,
  });
  const tree = new StartedTree(child, mark);
  const ask = asking(child);
  const whole = async (): Promise<T> => {
    await ask('initialize', { clientInfo: { name: 'hookline', title: 'Hookline', version: '1' } });
    child.stdin.write(`${JSON.stringify({ method: 'initialized' })}\n`);
    return talk(ask);
  };
  try {
    return await withTimeout(whole(), LIMIT_MS, () => {
      throw new Error(`codex app-server did not answer within ${LIMIT_MS / 1000} s`);
    });
  } finally {
    child.stdin.end();
    await tree.end(GRACE_MS);
  }
}

type Piped = ChildProcessByStdio<Writable, Readable, null>;

function asking(child: Piped): AskCodex {
  const open = new Map<
    number,
    { readonly resolve: (value: unknown) => void; readonly reject: (error: Error) => void }
  >();
  let ended: Error | undefined;
  const end = (why: string): void => {
    ended ??= new Error(`codex app-server ${why}`);
    for (const { reject } of open.values()) reject(ended);
    open.clear();
  };
  child.once('error', error => end(`cannot be started: ${error.message}`));
  child.once('exit', () => end('ended without an answer'));
  child.stdin.on('error', () => end('reads no more'));
  new LineReader(child.stdout).listen(
    line => {
      const message = parseObject(line);
      const { id, method, result, error } = message ?? {};
      const waiting = typeof id === 'number' && method === undefined ? open.get(id) : undefined;
      if (waiting === undefined || typeof id !== 'number') return;
      open.delete(id);
      if (error === undefined) waiting.resolve(result);
      else waiting.reject(new Error(`codex app-server: ${isRecord(error) ? String(error['message']) : 'refused'}`));
    },
    () => end('ended without an answer'),
  );
  let last = 0;
  return (method, params) =>
    new Promise((resolve, reject) => {
      if (ended !== undefined) {
        reject(ended);
        return;
      }
      const id = ++last;
      open.set(id, { resolve, reject });
      child.stdin.write(`${JSON.stringify({ id, method, params })}\n`);
    });
}
