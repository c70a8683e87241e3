import { bench, benchCase } from '../support/bench';
import { measurePage, openPageBench, type PageBench } from '../support/bench-page';

const MESSAGES = 5_000;
const HEAD = '5,000 messages in a page, against content-visibility';

const list = benchCase<PageBench>({
  rows: [
    { name: `${HEAD}: until drawn`, figure: 'drawn', unit: 'ms', aim: { ratio: 1 } },
    { name: `${HEAD}: longest jump`, figure: 'jump', unit: 'ms', aim: { ratio: 1 } },
    { name: `${HEAD}: one more word of the last answer`, figure: 'word', unit: 'ms', aim: { ratio: 1.25 } },
    { name: `${HEAD}: elements`, figure: 'elements', unit: 'elements' },
  ],
  setUp: openPageBench,
  tearDown: ({ browser }) => browser.close(),
  rounds: 3,
  measure: {
    raw: place => measurePage(place, 'content-visibility', MESSAGES),
    ours: place => measurePage(place, 'near', MESSAGES),
  },
});

const whole = benchCase<PageBench>({
  rows: [
    { name: '5,000 messages in a page, against all of them drawn: until drawn', figure: 'drawn', unit: 'ms' },
    { name: '5,000 messages in a page, against all of them drawn: longest jump', figure: 'jump', unit: 'ms' },
  ],
  setUp: openPageBench,
  tearDown: ({ browser }) => browser.close(),
  rounds: 1,
  measure: {
    raw: place => measurePage(place, 'all', MESSAGES),
    ours: place => measurePage(place, 'near', MESSAGES),
  },
});

await bench(list, whole);
