import { join } from 'node:path';
import { bench, benchCase, type Figures } from '../support/bench';
import { figuresOfTest } from '../support/bench-tests';

/** Only a real VS Code has its events; the test leaves what the extension host holds more at the end than before. */
const TEST = {
  suite: 'host',
  file: 'idle',
  grep: 'holds no more',
  variable: 'HOOKLINE_IDLE_FIGURES',
} as const;

const HEAD = 'an idle window after 200 documents opened, changed, saved and closed';

await bench(
  benchCase<string>({
    rows: [
      { name: `${HEAD}: heap that grew`, figure: 'heap', unit: 'MB', aim: { figure: 8 } },
      { name: `${HEAD}: timers and other handles`, figure: 'handles', unit: 'left', aim: { figure: 2 } },
      { name: `${HEAD}: listeners`, figure: 'listeners', unit: 'left', aim: { figure: 0 } },
    ],
    setUp: folder => folder,
    rounds: 1,
    measure: { ours: folder => figuresOfTest<Figures>(TEST, join(folder, 'figures.jsonl')) },
  }),
);
