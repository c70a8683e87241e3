import assert from 'node:assert/strict';
import { reportActivity } from '../../webview/activity';
import { openPage, ORIGIN, type Inside } from './harness/harness';

/** A window without a screen, whose timers the test runs. */
class FakeWindow extends EventTarget {
  readonly timers = new Map<number, () => void>();
  private count = 0;

  setTimeout(run: () => void): number {
    this.timers.set(++this.count, run);
    return this.count;
  }

  /** Runs the timer that waits; false if none does. */
  pass(): boolean {
    const [next] = this.timers;
    if (next === undefined) return false;
    this.timers.delete(next[0]);
    next[1]();
    return true;
  }
}

describe('reports that the user does something in a page', () => {
  let page: FakeWindow;
  let reports: number;
  let activity: { flush(): void };
  const press = (): boolean => page.dispatchEvent(new Event('keydown'));

  beforeEach(() => {
    page = new FakeWindow();
    reports = 0;
    activity = reportActivity(page as unknown as Window, () => (reports += 1));
  });

  for (const type of ['keydown', 'input', 'pointerdown']) {
    it(`come at once after ${type}`, () => {
      page.dispatchEvent(new Event(type));
      assert.equal(reports, 1);
    });
  }

  it('are joined while the user types, and the last key is reported as well', () => {
    for (let key = 0; key < 10; key++) press();
    assert.equal(reports, 1);
    assert.equal(page.pass(), true);
    assert.equal(reports, 2);
    for (let key = 0; key < 10; key++) press();
    assert.equal(reports, 2);
    page.pass();
    assert.equal(reports, 3);
    page.pass();
    assert.equal(page.pass(), false, 'no timer runs while nobody types');
    assert.equal(reports, 3);
  });

  it('come before what the user does with the key, and only if there is something to report', () => {
    press();
    press();
    activity.flush();
    assert.equal(reports, 2);
    activity.flush();
    page.pass();
    assert.equal(reports, 2);
  });
});

describe('every page of Hookline', function () {
  this.timeout(120_000);
  for (const name of ['main', 'log', 'tree', 'replay'] as const) {
    it(`reports keys: ${name}`, async () => {
      const { page } = await openPage(name, {});
      try {
        await page.goto(`${ORIGIN}/`);
        await page.waitForFunction(() => (window as unknown as { inside: Inside }).inside.sent.length > 0);
        await page.keyboard.press('a');
        await page.waitForFunction(
          () => (window as unknown as { inside: Inside }).inside.order.at(-1) === 'userActivity',
        );
      } finally {
        await page.close();
      }
    });
  }
});
