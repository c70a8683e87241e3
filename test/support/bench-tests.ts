import { spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** A test that leaves figures when it is asked to. */
interface MeasuringTest {
  readonly suite: 'unit' | 'host';
  /** Part of the name of its file. */
  readonly file: string;
  readonly grep: string;
  /** The variable that names the file for its figures, which it appends as one line of JSON. */
  readonly variable: string;
}

/**
 * Runs a test for what can be measured only where it runs: in a real VS Code, or in the whole page. Resolves with what it
 * left in `results`, a path of a file that does not exist. @throws {Error} when it left nothing
 */
export async function figuresOfTest<T>({ suite, file, grep, variable }: MeasuringTest, results: string): Promise<T> {
  const script = join(import.meta.dirname, '..', '..', 'scripts', 'run.mjs');
  const child = spawn(process.execPath, [script, 'test', '--suite', suite, '--file', file, '--grep', grep], {
    env: { ...process.env, [variable]: results },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const code = await new Promise(resolve => child.once('close', resolve));
  if (!existsSync(results)) throw new Error(`the test "${grep}" ended with exit code ${String(code)} and left nothing`);
  return JSON.parse(readFileSync(results, 'utf8').trim().split('\n').at(-1) ?? '') as T; // Written by that test.
}
