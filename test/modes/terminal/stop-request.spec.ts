import assert from 'node:assert/strict';
import { EventEmitter } from 'node:events';
import { StopRequest } from '../../../src/modes/terminal/stop-request';

class Ended extends Error {}

/** A process that only receives signals; `exit` throws, as nothing may follow it. */
class FakeProcess extends EventEmitter {
  readonly codes: (string | number | null | undefined)[] = [];

  exit(code?: string | number | null): never {
    this.codes.push(code);
    throw new Ended();
  }
}

describe('the request to end the process', () => {
  const listening = (): {
    readonly stop: StopRequest;
    readonly signal: (name: string) => void;
    readonly codes: unknown[];
  } => {
    const process = new FakeProcess();
    const stop = new StopRequest();
    stop.listen(process as unknown as NodeJS.Process);
    const signal = (name: string): void => {
      try {
        process.emit(name);
      } catch (error) {
        assert.ok(error instanceof Ended);
      }
    };
    return { stop, signal, codes: process.codes };
  };

  it('has the code of the first signal, and the second one ends the process at once', async () => {
    const { stop, signal, codes } = listening();
    signal('SIGINT');
    assert.equal(await stop.requested, 130);
    assert.deepEqual(codes, []);
    signal('SIGTERM');
    assert.deepEqual(codes, [143]);
  });

  for (const name of ['SIGTERM', 'SIGHUP', 'SIGINT']) {
    it(`goes on when ${name} follows the end of stdin, and a second signal ends the process`, async () => {
      const { stop, signal, codes } = listening();
      stop.ask(0);
      signal(name);
      await stop.signalled;
      assert.deepEqual([codes, stop.code], [[], 0]);
      signal(name);
      assert.equal(codes.length, 1);
    });
  }
});
