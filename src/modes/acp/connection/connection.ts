import type { Readable } from 'node:stream';
import type { Static, TSchema } from '@sinclair/typebox';
import { Check } from '@sinclair/typebox/value';
import { deferred, unlessAborted } from '../../../base/async/wait';
import { defined } from '../../../base/defined';
import { messageOf } from '../../../base/errors';
import { isRecord, membersOf } from '../../../base/json/is-record';
import { LineReader } from '../../../base/text/line-reader';
import { hideSecrets } from '../../../base/text/redact';
import type { Output } from '../../terminal/output';
import type { AcpClient } from '../client';
import type { ClientCapabilities } from '../schema';
import { ACP_ERRORS, AcpError, invalidParams } from './acp-error';
import { describeMisfit } from './misfit';
import type { Answered, MethodTable } from './methods';

/** How long a line of the client may be, in characters. */
const MOST_CHARACTERS = 64 * 1024 * 1024;

export interface ConnectionParts {
  readonly stdin: Readable;
  readonly output: Pick<Output, 'json' | 'printError' | 'whenDrained'>;
  /** Gives the table in which the method is looked up, if it exists. May throw an `AcpError`, which is then the answer. */
  readonly methodsFor: (method: string) => MethodTable | Promise<MethodTable>;
  /** Is called before each line. */
  readonly onLine: () => void;
  /** Is called when the client has closed its end. */
  readonly onEnd: () => void;
}

/** The protocol allows null, too. */
type RequestId = string | number | null;

interface ReceivedRequest {
  readonly controller: AbortController;
  /** Resolves when it was answered. */
  readonly done: Promise<void>;
}

/** In an object, so that who waits for the start does not wait for the work. */
interface StartedMethod {
  readonly work: Answered | Promise<Answered>;
}

type ClientAnswer = { readonly result: unknown } | { readonly error: unknown };

/**
 * The agent's end of a JSON-RPC connection: one message a line. Methods start in the order in which the client calls them, run
 * beside each other, and are answered when they are done. Whatever a method sends before its answer arrives before it.
 */
export class AcpConnection implements AcpClient {
  /** Is set by `initialize`. */
  capabilities: ClientCapabilities = {};
  private readonly received = new Map<RequestId, ReceivedRequest>();
  private readonly sent = new Map<unknown, (answer: ClientAnswer) => void>();
  /** Settles when all methods so far were started; never rejects. */
  private starting: Promise<void> = Promise.resolve();
  private lastId = 0;
  private isClosed = false;

  constructor(private readonly parts: ConnectionParts) {
    const tooLong = (): void => {
      this.fail(null, new AcpError(ACP_ERRORS.invalidRequest, 'This line is longer than 64 million characters.'));
    };
    new LineReader(parts.stdin, MOST_CHARACTERS, tooLong).listen(
      line => {
        parts.onLine();
        if (!this.isClosed) this.receive(line);
      },
      () => parts.onEnd(),
    );
  }

  notify(method: string, params: object): void {
    this.send({ method, params });
  }

  async request<S extends TSchema>(
    method: string,
    params: object,
    result: S,
    signal?: AbortSignal,
  ): Promise<Static<S>> {
    signal?.throwIfAborted();
    if (this.isClosed) throw clientIsGone();
    const id = (this.lastId += 1);
    const answered = deferred<ClientAnswer>();
    this.sent.set(id, given => answered.resolve(given));
    this.send({ id, method, params });
    try {
      const answer = await unlessAborted(answered.promise, signal, () => {
        this.notify('$/cancel_request', { requestId: id });
        throw signal?.reason;
      });
      return checked(method, answer, result);
    } finally {
      this.sent.delete(id);
    }
  }

  whenDrained(): Promise<void> | undefined {
    return this.parts.output.whenDrained();
  }

  /**
   * Takes no more messages, rejects what waits for an answer of the client, and aborts what the client has requested.
   * Resolves when all of that was answered.
   */
  async close(): Promise<void> {
    this.isClosed = true;
    for (const settle of this.sent.values()) settle({ error: { message: clientIsGone().message } });
    const running = [...this.received.values()];
    for (const { controller } of running) controller.abort();
    await Promise.all(running.map(({ done }) => done));
  }

  private send(message: object): void {
    this.parts.output.json({ jsonrpc: '2.0', ...message });
  }

  private fail(id: RequestId, error: unknown): void {
    const code = error instanceof AcpError ? error.code : ACP_ERRORS.internalError;
    const data = error instanceof AcpError ? error.data : undefined;
    this.send({ id, error: { code, message: hideSecrets(messageOf(error)), ...defined({ data }) } });
  }

  private receive(line: string): void {
    let message: unknown;
    try {
      message = JSON.parse(line);
    } catch (error) {
      this.fail(null, new AcpError(ACP_ERRORS.parseError, `This line is not JSON: ${messageOf(error)}`));
      return;
    }
    if (!isRecord(message)) {
      this.fail(
        null,
        new AcpError(ACP_ERRORS.invalidRequest, 'A message must be one object. Batches are not supported.'),
      );
      return;
    }
    const { id, method } = message;
    const params = message['params'] ?? {};
    if (typeof method !== 'string') this.takeAnswer(message);
    else if (!Object.hasOwn(message, 'id')) this.takeNotification(method, params);
    else if (isRequestId(id)) this.takeRequest(id, method, params);
    else this.fail(null, new AcpError(ACP_ERRORS.invalidRequest, 'id: must be a text, a number or null.'));
  }

  /** Ignores an answer that nothing waits for, such as a late one. */
  private takeAnswer(message: Readonly<Record<string, unknown>>): void {
    const { id, result, error } = message;
    if (Object.hasOwn(message, 'error')) this.sent.get(id)?.({ error });
    else if (Object.hasOwn(message, 'result')) this.sent.get(id)?.({ result });
    else {
      const named = isRequestId(id) ? id : null;
      this.fail(named, new AcpError(ACP_ERRORS.invalidRequest, 'method: is missing, or not a text.'));
    }
  }

  private takeNotification(method: string, params: unknown): void {
    if (method === '$/cancel_request') {
      const id = isRecord(params) ? params['requestId'] : undefined;
      if (isRequestId(id)) this.received.get(id)?.controller.abort();
      return;
    }
    const started = this.inOrder(async () => {
      const { notifications } = await this.parts.methodsFor(method);
      const handler = Object.hasOwn(notifications, method) ? notifications[method] : undefined;
      if (handler !== undefined && Check(handler.params, params)) handler.handle(params);
    });
    started.catch((error: unknown) => {
      // Such as one that comes too early.
      if (error instanceof AcpError) return;
      this.parts.output.printError(`Error: ${method}: ${messageOf(error)}`);
    });
  }

  private takeRequest(id: RequestId, method: string, params: unknown): void {
    if (this.received.has(id)) {
      this.fail(
        id,
        new AcpError(ACP_ERRORS.invalidRequest, `id: ${JSON.stringify(id)} names a request that still runs.`),
      );
      return;
    }
    const controller = new AbortController();
    const { signal } = controller;
    const started = this.inOrder(async () => {
      const { requests } = await this.parts.methodsFor(method);
      signal.throwIfAborted();
      const handler = Object.hasOwn(requests, method) ? requests[method] : undefined;
      if (handler === undefined) throw new AcpError(ACP_ERRORS.methodNotFound, `There is no method "${method}".`);
      if (!Check(handler.params, params)) throw invalidParams(describeMisfit(handler.params, params));
      return { work: handler.handle(params, signal) };
    });
    this.received.set(id, { controller, done: this.answer(id, signal, started) });
  }

  /** Never rejects. */
  private async answer(id: RequestId, signal: AbortSignal, started: Promise<StartedMethod>): Promise<void> {
    let answered: Answered;
    try {
      answered = await (await started).work;
    } catch (error) {
      const cancelled = new AcpError(ACP_ERRORS.requestCancelled, 'The request was cancelled.');
      this.fail(id, signal.aborted ? cancelled : error);
      return;
    } finally {
      this.received.delete(id);
    }
    this.send({ id, result: answered.result });
    if (!this.isClosed) answered.after?.();
  }

  /** Runs `begin` when everything that came before has begun. */
  private inOrder<T>(begin: () => Promise<T>): Promise<T> {
    const begun = this.starting.then(begin);
    this.starting = begun.then(
      () => undefined,
      () => undefined,
    );
    return begun;
  }
}

function isRequestId(value: unknown): value is RequestId {
  return typeof value === 'string' || typeof value === 'number' || value === null;
}

/** @throws {Error} for an error, or a result that does not fit; it says which request was answered so */
function checked<S extends TSchema>(method: string, answer: ClientAnswer, schema: S): Static<S> {
  if ('error' in answer) {
    const { message } = membersOf(answer.error);
    throw new Error(
      `The client could not answer ${method}: ${typeof message === 'string' ? message : 'no reason given'}`,
    );
  }
  if (Check(schema, answer.result)) return answer.result;
  throw new Error(`The client's answer to ${method} does not fit: ${describeMisfit(schema, answer.result)}`);
}

function clientIsGone(): Error {
  return new Error('The client is gone.');
}
