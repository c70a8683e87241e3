import { join } from 'node:path';
import { bench, benchCase, type Figures } from '../support/bench';
import { figuresOfTest } from '../support/bench-tests';

const TEST = {
  suite: 'unit',
  file: 'typing-page',
  grep: 'loses no key',
  variable: 'HOOKLINE_TYPING_TIMES',
} as const;

const HEAD = 'typing in the composer while 500 deltas per second arrive';

let measured = 0;

await bench(
  benchCase<string>({
    rows: [
      { name: `${HEAD}: longest task of the page`, figure: 'task', unit: 'ms', aim: { figure: 50 } },
      { name: `${HEAD}: longest frame on the clock`, figure: 'frame', unit: 'ms' },
    ],
    setUp: folder => folder,
    rounds: 3,
    measure: {
      ours: folder => figuresOfTest<Figures>(TEST, join(folder, `times-${measured++}.jsonl`)),
    },
  }),
);
