import assert from 'node:assert/strict';
import { until } from '../support/loading';
import { RunningHook } from './support';

/** Resolves by a timer started now: timers of that length or less that were started before have fired by then. */
const control = (ms: number): Promise<void> => new Promise(resolve => setTimeout(resolve, ms));

describe('timers of a hook', () => {
  let hook: RunningHook;
  const given = (text: string): void => {
    hook = new RunningHook({ 'h.ts': text });
  };
  afterEach(() => hook.loading.end());

  const WAYS: Readonly<Record<string, string>> = {
    globals: '',
    'node:timers': 'import { setInterval, setTimeout, setImmediate } from "node:timers";',
    'require("timers")': 'const { setInterval, setTimeout, setImmediate } = require("timers");',
  };
  for (const [way, imports] of Object.entries(WAYS)) {
    it(`stop with it: ${way}`, async () => {
      given(`${imports} export default (count: (what: string) => void) => {
        setInterval(() => count("interval"), 1); setTimeout(() => count("timeout"), 40); setImmediate(count, "immediate"); };`);
      const seen: string[] = [];
      await hook.run((what: string) => seen.push(what));
      await until('some ticks', () => seen.filter(what => what === 'interval').length > 2);
      assert.ok(seen.includes('immediate'));
      await hook.scope.release();
      const ticks = seen.length;
      await control(41);
      assert.equal(seen.length, ticks);
    });
  }

  it('are real timers: handles, arguments, this, refresh, clear, promisify', async () => {
    given(`import { promisify } from "node:util"; import { setTimeout as wait } from "node:timers/promises";
      export default async () => {
        const t = setTimeout(() => {}, 1e6); const facts = [typeof t.unref(), t.hasRef(), typeof +t];
        clearTimeout(t);
        let refreshed = 0;
        await new Promise<void>(resolve => { const r = setTimeout(function () { if (this !== r) throw 1; if (++refreshed === 2) resolve(); else r.refresh(); }, 1); });
        return [...facts, refreshed, await new Promise(r => setTimeout(r, 1, "given")), await promisify(setTimeout)(1, "promised"),
          await wait(1, "waited"), await promisify(setImmediate)("soon")];
      };`);
    assert.deepEqual(await hook.run(), ['object', false, 'number', 2, 'given', 'promised', 'waited', 'soon']);
    assert.deepEqual(hook.scope.open, []);
  });

  it('that are waited for stay silent after the release', async () => {
    given(`import { setTimeout as wait, setInterval as tick, scheduler } from "node:timers/promises";
      export default (note: (what: string) => void) => {
        void wait(20).then(() => note("wait"), () => note("rejected"));
        void scheduler.wait(20).then(() => note("scheduler"), () => note("rejected"));
        void (async () => { for await (const _ of tick(5)) note("tick"); note("ended"); })();
      };`);
    const seen: string[] = [];
    await hook.run((what: string) => seen.push(what));
    await until('a tick', () => seen.includes('tick'));
    await hook.scope.release();
    await control(21);
    assert.deepEqual(
      seen.filter(what => what !== 'tick'),
      ['ended'],
    );
    assert.deepEqual(hook.reports, []);
  });

  it('keep the options of those that are waited for', async () => {
    given(`import { setTimeout as wait } from "node:timers/promises";
      export default async () => await wait(1e6, 0, { signal: AbortSignal.abort() }).catch(error => error.name);`);
    assert.equal(await hook.run(), 'AbortError');
  });

  it('that throw or reject are reported, and intervals go on', async () => {
    given(`export default (count: () => void) => {
      setInterval(() => { count(); throw new Error("tick"); }, 1); setTimeout(async () => { throw new Error("async"); }, 1);
      setImmediate(() => { throw new Error("immediate"); }); queueMicrotask(() => { throw new Error("micro"); });
      process.nextTick(() => { throw new Error("next"); }); };`);
    let ticks = 0;
    await hook.run(() => ticks++);
    await until('three ticks and all reports', () => ticks > 2 && new Set(hook.reports).size === 5);
    assert.deepEqual([...new Set(hook.reports)].sort(), [
      'process.nextTick callback: next',
      'queueMicrotask callback: micro',
      'setImmediate callback: immediate',
      'setInterval callback: tick',
      'setTimeout callback: async',
    ]);
  });

  it('report wrong arguments as Node does', async () => {
    given('export default () => { try { setTimeout(5 as never); } catch (error) { return error.code; } };');
    assert.equal(await hook.run(), 'ERR_INVALID_ARG_TYPE');
  });

  it('of running handlers live until these have ended; intervals from before do not', async () => {
    given(`export default (note: (what: string) => void) => { setInterval(() => note("old tick"), 2);
      return async () => { await new Promise(r => setTimeout(r, 30)); await new Promise(r => setTimeout(r, 30)); return "verdict"; }; };`);
    const seen: string[] = [];
    const handler = await hook.run<() => Promise<string>>((what: string) => seen.push(what));
    const running = hook.scope.begin('tool_call');
    const verdict = handler();
    await hook.scope.release();
    seen.length = 0;
    assert.equal(await verdict, 'verdict');
    assert.deepEqual(seen, []);
    running.dispose();
    assert.deepEqual(hook.scope.open, []);
  });

  it('do not touch the timers of others', async () => {
    const now = (): unknown[] => [globalThis.setTimeout, globalThis.setInterval, Reflect.get(process, 'on')];
    const before = now();
    given(`export default () => { globalThis.setTimeout(() => {}, 60_000);
      return [setTimeout === globalThis.setTimeout, process.on === globalThis.process.on, setTimeout]; };`);
    const [isSameTimer, isSameProcess, own] = await hook.run<unknown[]>();
    assert.deepEqual([isSameTimer, isSameProcess, hook.scope.size], [true, true, 1]);
    assert.notEqual(own, before[0]);
    assert.deepEqual(now(), before);
  });
});
