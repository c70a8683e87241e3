import { spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { bench, benchCase, type Figures } from '../support/bench';

/** Both ways of one run in a real extension host, ms. */
interface Times {
  readonly save: readonly number[];
  readonly outside: readonly number[];
}

/**
 * Runs `test/host/hot-reload.test.ts` in a real VS Code, which is the only place with its watcher and its saves; the test
 * leaves the times of twenty rounds each.
 */
async function measureInVsCode(file: string): Promise<Times> {
  const grep = 'is in force soon';
  const script = join(import.meta.dirname, '..', '..', 'scripts', 'run.mjs');
  const child = spawn(process.execPath, [script, 'test', '--suite', 'host', '--file', 'hot-reload', '--grep', grep], {
    env: { ...process.env, HOOKLINE_RELOAD_TIMES: file },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const code = await new Promise(resolve => child.once('close', resolve));
  if (!existsSync(file)) throw new Error(`the test in VS Code ended with exit code ${String(code)} and left no times`);
  return JSON.parse(readFileSync(file, 'utf8').trim().split('\n').at(-1) ?? '') as Times; // Written by that test.
}

const ROUNDS = 20;

/** All rounds are measured in one VS Code; each measurement takes the next one. */
let round = 0;

await bench(
  benchCase<Times>({
    rows: [
      {
        name: 'from a save in the editor to the new handlers in force, in VS Code',
        figure: 'save',
        unit: 'ms',
        aim: { figure: 150 },
      },
      {
        name: 'from a change outside to the new handlers in force, in VS Code',
        figure: 'outside',
        unit: 'ms',
        aim: { figure: 300 },
      },
    ],
    setUp: folder => measureInVsCode(join(folder, 'times.jsonl')),
    rounds: ROUNDS,
    measure: {
      ours({ save, outside }): Figures {
        const at = round++;
        return { save: save[at] ?? Number.NaN, outside: outside[at] ?? Number.NaN };
      },
    },
  }),
);
