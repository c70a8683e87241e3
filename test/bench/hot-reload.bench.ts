import { join } from 'node:path';
import { bench, benchCase, type Figures } from '../support/bench';
import { figuresOfTest } from '../support/bench-tests';

/** Both ways of one run in a real extension host, ms. */
interface Times {
  readonly save: readonly number[];
  readonly outside: readonly number[];
}

/** Only a real VS Code has its watcher and its saves; the test leaves the times of twenty rounds each. */
const TEST = {
  suite: 'host',
  file: 'hot-reload',
  grep: 'is in force soon',
  variable: 'HOOKLINE_RELOAD_TIMES',
} as const;

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
    setUp: folder => figuresOfTest(TEST, join(folder, 'times.jsonl')),
    rounds: ROUNDS,
    measure: {
      ours({ save, outside }): Figures {
        const at = round++;
        return { save: save[at] ?? Number.NaN, outside: outside[at] ?? Number.NaN };
      },
    },
  }),
);
