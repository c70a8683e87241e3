import { ScriptedLlm } from '../../support/scripted-llm';
import { CliPlace } from './cli';

export interface WithModel {
  readonly place: CliPlace;
  readonly llm: ScriptedLlm;
}

/**
 * Each test of the suite that this is called in gets a place of its own and a scripted model that is known there, as
 * {@link CliPlace.useLlm} says; both end with the test. The members returned stand for those of the test that runs.
 */
export function eachWithModel(settings?: object, models?: readonly object[]): WithModel {
  const { place, llm } = eachWithUnknownModel();
  beforeEach(() => place.useLlm(llm, settings, models));
  return { place, llm };
}

/** The same, with a model that is not known in the place. */
export function eachWithUnknownModel(): WithModel {
  let place: CliPlace | undefined;
  let llm: ScriptedLlm | undefined;

  beforeEach(async () => {
    place = await CliPlace.make();
    llm = await ScriptedLlm.start();
  });

  afterEach(async () => {
    await place?.remove();
    await llm?.stop();
    place = llm = undefined;
  });

  return { place: standIn(() => place), llm: standIn(() => llm) };
}

/** All tests of the suite that this is called in share a place, which ends with the suite. */
export function onePlace(): CliPlace {
  let place: CliPlace | undefined;
  before(async () => {
    place = await CliPlace.make();
  });
  after(() => place?.remove());
  return standIn(() => place);
}

/** An object that passes each use on to the one that is current then. Throws when there is none. */
function standIn<T extends object>(current: () => T | undefined): T {
  return new Proxy({} as T, {
    get(_, name): unknown {
      const object = current();
      if (object === undefined) throw new Error(`"${String(name)}" is used while no test runs`);
      const member: unknown = Reflect.get(object, name);
      return typeof member === 'function' ? (member.bind(object) as unknown) : member;
    },
  });
}
