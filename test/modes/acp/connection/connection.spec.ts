import assert from 'node:assert/strict';
import { PassThrough } from 'node:stream';
import { Type } from '@sinclair/typebox';
import { deferred } from '../../../../src/base/async/wait';
import { ACP_ERRORS, AcpError } from '../../../../src/modes/acp/connection/acp-error';
import { AcpConnection } from '../../../../src/modes/acp/connection/connection';
import { onNotification, onRequest, type MethodTable } from '../../../../src/modes/acp/connection/methods';

type Sent = Readonly<Record<string, unknown>>;

function connect(table: Partial<MethodTable> = {}) {
  const stdin = new PassThrough();
  const sent: Sent[] = [];
  const connection = new AcpConnection({
    stdin,
    output: {
      json: message => sent.push(message as Sent),
      printError: text => assert.fail(text),
      whenDrained: () => undefined,
    },
    methodsFor: () => Promise.resolve({ requests: {}, notifications: {}, ...table }),
    onLine: () => undefined,
    onEnd: () => undefined,
  });
  const say = (message: object): void => void stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
  return { connection, sent, say };
}

const settled = (): Promise<void> => new Promise(resolve => setImmediate(resolve));
const Any = Type.Object({});

describe('the agent end of an ACP connection', () => {
  it('sends what a method sends before its answer first, and what comes after it last', async () => {
    const { connection, sent, say } = connect({
      requests: {
        open: onRequest(Any, () => {
          connection.notify('during', {});
          return { result: { done: true }, after: () => connection.notify('after', {}) };
        }),
      },
    });
    say({ id: 'a', method: 'open' });
    await settled();
    assert.deepEqual(
      sent.map(({ id, method }) => id ?? method),
      ['during', 'a', 'after'],
    );
  });

  it('starts methods in their order, while earlier ones still run', async () => {
    const first = deferred();
    const begun: string[] = [];
    const { sent, say } = connect({
      requests: {
        slow: onRequest(Any, async () => {
          begun.push('slow');
          await first.promise;
          return { result: {} };
        }),
        quick: onRequest(Any, () => ({ result: {} })),
      },
      notifications: { note: onNotification(Any, () => begun.push('note')) },
    });
    say({ id: 1, method: 'slow' });
    say({ method: 'note' });
    say({ id: 2, method: 'quick' });
    await settled();
    assert.deepEqual(begun, ['slow', 'note']);
    assert.deepEqual(sent, [{ jsonrpc: '2.0', id: 2, result: {} }]);
    first.resolve();
    await settled();
    assert.equal(sent[1]?.['id'], 1);
  });

  it('answers a cancelled request as cancelled, unless the method ends well', async () => {
    const aborted = (signal: AbortSignal): Promise<void> =>
      new Promise(resolve => signal.addEventListener('abort', () => resolve()));
    const { sent, say } = connect({
      requests: {
        fails: onRequest(Any, async (_, signal) => {
          await aborted(signal);
          throw new Error('stopped');
        }),
        ends: onRequest(Any, async (_, signal) => {
          await aborted(signal);
          return { result: { stopReason: 'cancelled' } };
        }),
      },
    });
    say({ id: 1, method: 'fails' });
    say({ id: 2, method: 'ends' });
    await settled();
    for (const requestId of [1, 2, 3]) say({ method: '$/cancel_request', params: { requestId } });
    await settled();
    assert.deepEqual(sent, [
      { jsonrpc: '2.0', id: 1, error: { code: -32_800, message: 'The request was cancelled.' } },
      { jsonrpc: '2.0', id: 2, result: { stopReason: 'cancelled' } },
    ]);
  });

  it('does not start a request that is cancelled before its turn', async () => {
    const { sent, say } = connect({ requests: { never: onRequest(Any, () => assert.fail('it was started')) } });
    say({ id: 1, method: 'never' });
    say({ method: '$/cancel_request', params: { requestId: 1 } });
    await settled();
    assert.deepEqual(
      sent.map(({ error }) => (error as AcpError).code),
      [-32_800],
    );
  });

  it('answers with the error of a method, or with an internal error that shows no secret', async () => {
    const { sent, say } = connect({
      requests: {
        missing: onRequest(Any, () => {
          throw new AcpError(ACP_ERRORS.resourceNotFound, 'no such session', { id: 'x' });
        }),
        broken: onRequest(Any, () => {
          throw new Error('Authorization: Bearer sk-ant-api03-0123456789abcdefghijklmnop');
        }),
      },
    });
    say({ id: 1, method: 'missing' });
    say({ id: 2, method: 'broken' });
    await settled();
    assert.deepEqual(sent[0]?.['error'], { code: -32_002, message: 'no such session', data: { id: 'x' } });
    const { code, message } = sent[1]?.['error'] as AcpError;
    assert.equal(code, -32_603);
    assert.doesNotMatch(message, /0123456789/);
  });

  it('resolves its requests with an answer that fits, and rejects on any other', async () => {
    const { connection, say } = connect();
    const Answer = Type.Object({ outcome: Type.String() });
    const asked = (): Promise<unknown> => connection.request('ask', {}, Answer);
    const answers = [asked(), asked(), asked()];
    say({ id: 1, result: { outcome: 'yes', later: 1 } });
    say({ id: 1, result: { outcome: 'no' } });
    say({ id: 2, result: { outcome: 3 } });
    say({ id: 3, error: { code: -32_601, message: 'unknown' } });
    assert.deepEqual(await answers[0], { outcome: 'yes', later: 1 });
    await assert.rejects(answers[1] ?? Promise.resolve(), /outcome: Expected string/);
    await assert.rejects(answers[2] ?? Promise.resolve(), /could not answer ask: unknown/);
  });

  it('withdraws a request whose signal is aborted, and ignores its late answer', async () => {
    const { connection, sent, say } = connect();
    const controller = new AbortController();
    const answer = connection.request('ask', {}, Any, controller.signal);
    controller.abort(new Error('timed out'));
    await assert.rejects(answer, /timed out/);
    await assert.rejects(connection.request('ask', {}, Any, controller.signal), /timed out/);
    say({ id: 1, result: {} });
    await settled();
    assert.deepEqual(sent, [
      { jsonrpc: '2.0', id: 1, method: 'ask', params: {} },
      { jsonrpc: '2.0', method: '$/cancel_request', params: { requestId: 1 } },
    ]);
  });

  it('rejects what waits when it is closed, and starts nothing more', async () => {
    const { connection, sent, say } = connect({
      requests: { never: onRequest(Any, () => assert.fail('it was started')) },
    });
    const answer = connection.request('ask', {}, Any);
    const closed = connection.close();
    await assert.rejects(answer, /The client is gone/);
    await assert.rejects(connection.request('ask', {}, Any), /The client is gone/);
    say({ id: 1, method: 'never' });
    await closed;
    await settled();
    assert.equal(sent.length, 1);
  });
});
