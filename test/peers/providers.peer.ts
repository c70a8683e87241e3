import assert from 'node:assert/strict';
import { CliPlace, type Program } from '../modes/support/cli';
import { runRouter, type RouterRun } from '../modes/support/virtual-router';
import { ScriptedLlm } from '../support/scripted-llm';
import { describePeer, piToday, TODAY } from './peers';

describePeer('models that hooks add beside those of today', TODAY, folder => {
  let places: CliPlace[];
  let llm: ScriptedLlm;

  beforeEach(async () => {
    places = [];
    llm = await ScriptedLlm.start();
  });
  afterEach(async () => {
    await llm.stop();
    for (const place of places) await place.remove();
  });

  /** What both programs make of the same, each in a place of its own. */
  async function both<T>(run: (place: CliPlace, llm: ScriptedLlm, program: Program) => Promise<T>) {
    const sides: T[] = [];
    for (const program of [piToday(folder), {}]) {
      const place = await CliPlace.make();
      places.push(place);
      const own = await ScriptedLlm.start();
      try {
        sides.push(await run(place, own, program));
      } finally {
        await own.stop();
      }
    }
    const [pi, ours] = sides;
    return { pi: pi as T, ours: ours as T };
  }

  it('route each request of a virtual model alike', async () => {
    const { pi, ours } = await both(runRouter);
    // The texts are ours: they name the hook and the line.
    const plain = (run: RouterRun): unknown => ({
      ...run,
      errors: run.errors.map(({ text: _text, ...error }) => error),
    });
    assert.deepEqual(plain(ours), plain(pi));
  });
});
