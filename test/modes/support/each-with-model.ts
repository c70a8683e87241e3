import { ScriptedLlm } from '../../support/scripted-llm';
import { CliPlace } from './cli';

/** Each test of the suite that this is called in gets a place of its own and a scripted model; both end with the test. */
export function eachWithModel(given: (place: CliPlace, llm: ScriptedLlm) => void): void {
  let place: CliPlace;
  let llm: ScriptedLlm;

  beforeEach(async () => {
    place = await CliPlace.make();
    llm = await ScriptedLlm.start();
    given(place, llm);
  });

  afterEach(async () => {
    await place.remove();
    await llm.stop();
  });
}
