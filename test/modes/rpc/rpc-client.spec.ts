import assert from 'node:assert/strict';
import { PassThrough } from 'node:stream';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { deferred } from '../../../src/base/async/wait';
import { RpcServer } from '../../../src/modes/rpc/rpc-mode';
import type { Output } from '../../../src/modes/terminal/output';
import { StopRequest } from '../../../src/modes/terminal/stop-request';

const COMMAND = '{"type":"get_state"}\n';

describe('a client of RPC mode that leaves more than 64 MB unread', () => {
  /** A server whose client has `unread` bytes to read. */
  function serve(unread: number) {
    const [drained, ignored] = [deferred(), deferred()];
    const errors: string[] = [];
    const output: Output = {
      write: () => undefined,
      json: () => undefined,
      printError: text => errors.push(text),
      whenDrained: () => drained.promise,
      flush: () => Promise.resolve(undefined),
      unread,
      whenIgnored: () => ignored.promise,
    };
    const [stdin, stop] = [new PassThrough(), new StopRequest()];
    new RpcServer({ stdin, output, stop, version: '1.5', rendered: false });
    stdin.write(COMMAND);
    return { stdin, stop, drained, ignored, errors };
  }

  it('waits with its next commands until it has read', async () => {
    const { stdin, stop, drained, errors } = serve(65 * 1024 * 1024);
    await nextTurn();
    assert.equal(stdin.isPaused(), true);
    drained.resolve();
    await nextTurn();
    assert.deepEqual([stdin.isPaused(), stop.code, errors], [false, undefined, []]);
  });

  it('ends the process if it reads nothing', async () => {
    const { stop, ignored, errors } = serve(65 * 1024 * 1024);
    await nextTurn();
    ignored.resolve();
    await nextTurn();
    assert.deepEqual([stop.code, errors], [1, ['Error: The client does not read what it asks for.']]);
  });

  it('does not wait while less is unread', async () => {
    const { stdin } = serve(63 * 1024 * 1024);
    await nextTurn();
    assert.equal(stdin.isPaused(), false);
  });
});
