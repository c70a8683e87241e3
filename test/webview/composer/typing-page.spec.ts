import assert from 'node:assert/strict';
import { appendFileSync } from 'node:fs';
import { assistant, RUNNING, snapshot, user } from '../harness/demo';
import { eachInBrowser } from '../harness/each-in-browser';
import type { ChatHarness } from '../harness/harness';

/** The bench of typing asks for times, and then for more of it. */
const TIMES = process.env['HOOKLINE_TYPING_TIMES'];
const SECONDS = TIMES === undefined ? 2 : 10;
const DELTAS_PER_SECOND = 500;
const DELTAS = SECONDS * DELTAS_PER_SECOND;
/** A fast typist: 12 keys per second, in ms between two. */
const KEY_MS = 80;

const PARAGRAPH = 'The **runner** reads `config.json` first, then each file that it names, and says what it did. ';
const LIST = '\n\n- one thing\n- another, see [the guide](https://example.org)\n- `a third`\n\n';
const CODE = '\n\n```ts\nexport function twice(value: number): number {\n  return 2 * value;\n}\n```\n\n';

/** An answer with all that answers have, in pieces of 20 characters. */
const PIECES = `${PARAGRAPH.repeat(6)}${LIST}${PARAGRAPH.repeat(3)}${CODE}`.match(/[\s\S]{1,20}/g) ?? [];

/** Chromium's category for what a thread does. */
const TASKS = 'disabled-by-default-devtools.timeline';

/** What one run found, ms. */
interface Times {
  /** The longest piece of work of the page's thread, by its own computing: other programs do not count. */
  readonly task: number;
  /** The longest from one frame to the next, on the clock. */
  readonly frame: number;
}

/** Of Chromium's trace. */
interface TraceEvent {
  readonly name: string;
  readonly pid: number;
  readonly tid: number;
  /** Computing of the thread, µs. */
  readonly tdur?: number;
  readonly args: { readonly name?: string };
}

function longestTask(trace: Buffer): number {
  const { traceEvents } = JSON.parse(trace.toString('utf8')) as { readonly traceEvents: readonly TraceEvent[] }; // Chromium's.
  const threadOf = ({ pid, tid }: TraceEvent): string => `${pid}:${tid}`;
  const pages = new Set(traceEvents.filter(({ args }) => args.name === 'CrRendererMain').map(threadOf));
  const tasks = traceEvents.filter(event => event.name === 'RunTask' && pages.has(threadOf(event)));
  return Math.max(...tasks.map(({ tdur = 0 }) => tdur)) / 1000;
}

describe('typing while an answer arrives', function () {
  this.timeout(120_000);
  let chat: ChatHarness;
  const open = eachInBrowser(opened => {
    chat = opened;
  });

  it(`loses no key and no word at ${DELTAS_PER_SECOND} deltas per second`, async () => {
    const before = Array.from({ length: 40 }, (_, at) => [
      user(`u${at}`, `Question ${at}`),
      assistant(`b${at}`, PARAGRAPH.repeat(4) + CODE),
    ]).flat();
    await open(snapshot([...before, assistant('a', '', { state: 'streaming', blocks: [] })], { status: RUNNING }));
    const composer = chat.page.locator('[data-hookline="composer"]');
    await composer.focus();
    const browser = chat.page.context().browser();
    if (TIMES !== undefined) await browser?.startTracing(chat.page, { categories: ['toplevel', TASKS] });
    const arrival = chat.page.evaluate(
      async ({ pieces, count, perSecond }) => {
        let [frame, last, isOver] = [0, performance.now(), false];
        const look = (now: number): void => {
          [frame, last] = [Math.max(frame, now - last), now];
          if (!isOver) requestAnimationFrame(look);
        };
        requestAnimationFrame(look);
        const start = performance.now();
        for (let sent = 0; sent < count;) {
          const due = Math.min(((performance.now() - start) / 1000) * perSecond, count);
          for (; sent < due; sent++) {
            const append = pieces[sent % pieces.length];
            const place = { type: 'text', revision: sent + 1, id: 'a', block: 0, blockType: 'text' };
            window.postMessage({ ...place, append }, '*');
          }
          await new Promise(resolve => setTimeout(resolve, 2));
        }
        isOver = true;
        return frame;
      },
      { pieces: PIECES, count: DELTAS, perSecond: DELTAS_PER_SECOND },
    );
    const typed = 'what I say next is on its way '.repeat(10).slice(0, (SECONDS * 1000) / KEY_MS - 4);
    await chat.page.keyboard.type(typed, { delay: KEY_MS });
    const frame = await arrival;
    if (TIMES !== undefined && browser !== null) {
      const times: Times = { task: longestTask(await browser.stopTracing()), frame };
      appendFileSync(TIMES, `${JSON.stringify(times)}\n`);
    }
    assert.equal(await composer.inputValue(), typed);
    const said = Array.from({ length: DELTAS }, (_, at) => PIECES[at % PIECES.length]).join('');
    await chat.post({ type: 'item', revision: DELTAS + 1, item: assistant('a', `${said}\n\nThe very end.`) });
    assert.match(await chat.page.locator('[data-item-id="a"]').innerText(), /The very end\.$/);
    assert.equal((await chat.sentOf('ready')).length, 1, 'the page missed no change');
  });
});
