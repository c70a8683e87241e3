import assert from 'node:assert/strict';
import type { ChildProcessWithoutNullStreams } from 'node:child_process';
import type {
  AuthenticateResponse,
  ClientCapabilities,
  CreateElicitationRequest,
  InitializeResponse,
  ListSessionsResponse,
  LoadSessionResponse,
  NewSessionResponse,
  PromptResponse,
  RequestPermissionRequest,
  ResumeSessionResponse,
  SessionUpdate,
  SetSessionConfigOptionResponse,
  StopReason,
} from '@agentclientprotocol/sdk';
import type { ForkSessionResponse } from '@agentclientprotocol/sdk/unstable';
import { wrongError, wrongMessage, wrongResult, type Json } from './acp-schema';
import { ended, type CliPlace, type Ended, type RunOptions } from './cli';

/** What editors can do, from everything to nothing. */
export const ACP_PROFILES = {
  everything: {
    fs: { readTextFile: true, writeTextFile: true },
    terminal: true,
    auth: { terminal: true },
    elicitation: { form: {}, url: {} },
    session: { configOptions: { boolean: {} }, notices: {}, compaction: {} },
    _meta: { terminal_output: true, hookline: {} },
  },
  nothing: {},
  'no elicitation': {
    fs: { readTextFile: true, writeTextFile: true },
    terminal: true,
    session: { notices: {} },
    _meta: { terminal_output: true },
  },
  'no terminal output': {
    fs: { readTextFile: true, writeTextFile: true },
    elicitation: { form: {} },
    session: { configOptions: { boolean: {} } },
  },
} satisfies Readonly<Record<string, ClientCapabilities>>;

export type AcpProfile = keyof typeof ACP_PROFILES;

/** Nothing here may take longer, ms; only reached when something hangs. */
const GUARD_MS = 30_000;

interface Results {
  readonly initialize: InitializeResponse;
  readonly authenticate: AuthenticateResponse;
  readonly 'session/new': NewSessionResponse;
  readonly 'session/load': LoadSessionResponse;
  readonly 'session/resume': ResumeSessionResponse;
  readonly 'session/list': ListSessionsResponse;
  readonly 'session/prompt': PromptResponse;
  readonly 'session/set_config_option': SetSessionConfigOptionResponse;
  readonly 'session/fork': ForkSessionResponse;
  readonly '_session/steering': { readonly outcome: 'injected' | 'promptRequired' };
}

type ResultOf<M extends string> = M extends keyof Results ? Results[M] : Json;

/** An error that one side answered a request with. */
export class AnsweredError extends Error {
  constructor(
    readonly code: number,
    message: string,
    readonly data?: unknown,
  ) {
    super(message);
  }
}

/** What a script returns for a question that the editor leaves without an answer. */
export const NO_ANSWER = Symbol('no answer');

/**
 * How the editor answers a question of the agent. What it returns is sent as it is, also if it is malformed; an
 * {@link AnsweredError} that it throws is sent as an error. `signal` is aborted when the agent withdraws the question.
 */
export type AnswerScript<P> = (params: P, signal: AbortSignal) => unknown;

export interface EditorOptions extends Pick<RunOptions, 'cwd' | 'env' | 'cli'> {
  readonly profile?: AcpProfile;
  /** Instead of a profile. */
  readonly capabilities?: ClientCapabilities;
  /** Instead of `acp`. */
  readonly command?: readonly string[];
  /** After the command. */
  readonly args?: readonly string[];
}

interface Waiting {
  readonly method: string;
  readonly resolve: (result: unknown) => void;
  readonly reject: (error: Error) => void;
}

/**
 * An editor that has started the built command line as its agent. It checks each message of the agent against the schema of
 * the protocol, and against what this editor offers. A wrong message fails everything that waits, and {@link AcpEditor.end}.
 */
export class AcpEditor {
  /** Each message of the agent, in order. */
  readonly received: Json[] = [];
  /** Questions of the agent, in order. */
  readonly permissions: RequestPermissionRequest[] = [];
  readonly elicitations: CreateElicitationRequest[] = [];
  /** Questions that the agent withdrew by `$/cancel_request`, in order: their method and params. */
  readonly withdrawn: { readonly method: string; readonly params: Json }[] = [];
  stderr = '';
  /** Answers permissions. Without a script, a question is a mistake of the agent. */
  onPermission: AnswerScript<RequestPermissionRequest> | undefined;
  onElicitation: AnswerScript<CreateElicitationRequest> | undefined;
  /** Resolves when the process has ended. */
  readonly gone: Promise<Ended>;
  private readonly waiting = new Map<unknown, Waiting>();
  private readonly asked = new Map<unknown, { readonly method: string; params: Json; controller: AbortController }>();
  private readonly sessions = new Map<string, SessionUpdate[]>();
  /** Session -> how many updates came before it was last loaded, which announces its calls again. */
  private readonly loads = new Map<string, number>();
  private readonly watchers = new Set<() => void>();
  /** What was wrong in the messages so far. */
  private readonly wrong: string[] = [];
  private hasEnded = false;
  /** Lines that were sent as they are, whose errors may have any id. */
  private linesToAnswer = 0;
  private rest = '';
  private lastId = 0;

  private constructor(
    private readonly agent: ChildProcessWithoutNullStreams,
    private readonly capabilities: ClientCapabilities,
    private readonly cwd: string,
  ) {
    this.gone = ended(agent);
    const onEnd = (): void => {
      this.hasEnded = true;
      this.failWaiting('the agent has ended');
    };
    this.gone.then(onEnd, onEnd);
    agent.stdout.on('data', (text: string) => {
      const lines = (this.rest + text).split('\n');
      this.rest = lines.pop() ?? '';
      for (const line of lines) this.take(line);
    });
    agent.stderr.on('data', (text: string) => (this.stderr += text));
    agent.stdin.on('error', () => undefined); // The agent may be gone.
  }

  /** Starts an agent and leaves it without `initialize`. */
  static start(place: CliPlace, options: EditorOptions = {}): AcpEditor {
    const { profile = 'everything', command = ['acp'], args = [], ...others } = options;
    const agent = place.start([...command, ...args], others);
    return new AcpEditor(agent, options.capabilities ?? ACP_PROFILES[profile], place.cwd);
  }

  /** Starts an agent and initializes it. */
  static async open(place: CliPlace, options: EditorOptions = {}): Promise<AcpEditor> {
    const editor = AcpEditor.start(place, options);
    await editor.initialize();
    return editor;
  }

  initialize(protocolVersion = 1): Promise<InitializeResponse> {
    const clientInfo = { name: 'test', version: '1.0.0' };
    return this.request('initialize', { protocolVersion, clientCapabilities: this.capabilities, clientInfo });
  }

  /** Begins a session in the folder of the place, if `more` names no other, and resolves with its id. */
  async create(more: object = {}): Promise<string> {
    return (await this.request('session/new', { cwd: this.cwd, mcpServers: [], ...more })).sessionId;
  }

  /** Sends a prompt of one text; resolves when it is answered. */
  async prompt(sessionId: string, text: string): Promise<StopReason> {
    return (await this.request('session/prompt', { sessionId, prompt: [{ type: 'text', text }] })).stopReason;
  }

  /** Sends a request. Rejects with an {@link AnsweredError} when the agent answers with an error. */
  request<M extends string>(method: M, params: object): Promise<ResultOf<M>> {
    return this.begin(method, params).answer;
  }

  /** The same, for a request that will be cancelled. */
  begin<M extends string>(method: M, params: object): { readonly id: number; readonly answer: Promise<ResultOf<M>> } {
    const id = (this.lastId += 1);
    const { sessionId } = params as { readonly sessionId?: string };
    if (sessionId !== undefined && /^session\/(load|resume)$/.test(method)) this.know(sessionId);
    if (sessionId !== undefined && method === 'session/load') this.loads.set(sessionId, this.updates(sessionId).length);
    const answer = new Promise<unknown>((resolve, reject) => this.waiting.set(id, { method, resolve, reject }));
    this.send({ id, method, params });
    return { id, answer: this.guarded(answer, `the answer to ${method}`) as Promise<ResultOf<M>> };
  }

  notify(method: string, params: object): void {
    this.send({ method, params });
  }

  cancelRequest(requestId: number): void {
    this.notify('$/cancel_request', { requestId });
  }

  /** Sends a line as it is, and resolves with the error that it is answered with, whatever id that has. */
  async sendLine(line: string): Promise<AnsweredError> {
    const from = this.received.length;
    this.linesToAnswer += 1;
    this.agent.stdin.write(`${line}\n`);
    const isAnswer = ({ error }: Json): boolean => error !== undefined;
    await this.until(() => this.received.slice(from).some(isAnswer), 'an error');
    this.linesToAnswer -= 1;
    return errorIn(this.received.slice(from).find(isAnswer) ?? {});
  }

  /** Sends bytes as they are; resolves when they were passed on. */
  write(bytes: string | Uint8Array): Promise<void> {
    return new Promise(resolve => this.agent.stdin.write(bytes, () => resolve()));
  }

  /** The updates of a session so far. */
  updates(sessionId: string): readonly SessionUpdate[] {
    return this.sessions.get(sessionId) ?? [];
  }

  /** The first update of a kind that matches, from the update with the index `from` on; waits for it. */
  async update<K extends SessionUpdate['sessionUpdate']>(
    sessionId: string,
    kind: K,
    matches: (update: Extract<SessionUpdate, { sessionUpdate: K }>) => boolean = () => true,
    from = 0,
  ): Promise<Extract<SessionUpdate, { sessionUpdate: K }>> {
    type Kind = Extract<SessionUpdate, { sessionUpdate: K }>;
    const isIt = (update: SessionUpdate): update is Kind => update.sessionUpdate === kind && matches(update as Kind);
    const find = (): Kind | undefined => this.updates(sessionId).slice(from).find(isIt);
    await this.until(() => find() !== undefined, `an update ${kind} of ${sessionId}`);
    return find() as Kind;
  }

  /** The text of the agent's messages in a session. */
  said(sessionId: string): string {
    return this.updates(sessionId)
      .map(update => (update.sessionUpdate === 'agent_message_chunk' ? update.content : undefined))
      .map(content => (content?.type === 'text' ? content.text : ''))
      .join('');
  }

  /** Resolves when the condition is true; it is asked after each message of the agent. */
  async until(isTrue: () => boolean, what: string): Promise<void> {
    let watch: () => void = () => undefined;
    const met = new Promise<void>((resolve, reject) => {
      watch = () => {
        if (this.wrong.length > 0) reject(new Error(this.wrong.join('\n')));
        else if (isTrue()) resolve();
        else if (this.hasEnded) reject(new Error(`the agent has ended before ${what}`));
      };
      this.watchers.add(watch);
      watch();
    });
    try {
      await this.guarded(met, what);
    } finally {
      this.watchers.delete(watch);
    }
  }

  /** Stops or goes on to read what the agent sends. */
  read(reads: boolean): void {
    if (reads) this.agent.stdout.resume();
    else this.agent.stdout.pause();
  }

  closeStdin(): void {
    this.agent.stdin.end();
  }

  /** Reads nothing more, which the agent notices when it writes. */
  closeStdout(): void {
    this.agent.stdout.destroy();
  }

  kill(signal: NodeJS.Signals): void {
    this.agent.kill(signal);
  }

  get pid(): number {
    return this.agent.pid ?? 0;
  }

  /** Closes stdin, and checks that the agent ends well and that all of its messages were right. */
  async end(): Promise<Ended> {
    this.closeStdin();
    const end = await this.gone;
    assert.deepEqual(this.wrong, []);
    assert.equal(this.rest, '', 'the last line is whole');
    assert.equal(end.code, 0, this.stderr);
    return end;
  }

  private send(message: object): void {
    this.agent.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
  }

  private take(line: string): void {
    let message: Json;
    try {
      message = JSON.parse(line) as Json;
      assert.equal(message['jsonrpc'], '2.0');
    } catch {
      this.lose(`this is no message of JSON-RPC: ${line}`);
      return;
    }
    this.received.push(message);
    const wrong = 'method' in message ? this.takeCall(message) : this.takeAnswer(message);
    if (wrong !== undefined) this.lose(`${wrong}\n${line}`);
    for (const watch of this.watchers) watch();
  }

  private takeAnswer(message: Json): string | undefined {
    const { id, result } = message;
    const waiting = this.waiting.get(id);
    this.waiting.delete(id);
    if ('error' in message) {
      const error = errorIn(message);
      waiting?.reject(error);
      return (
        wrongError(message['error']) ??
        (waiting === undefined && this.linesToAnswer === 0 ? 'nobody asked for it' : undefined)
      );
    }
    if (waiting === undefined) return 'nobody asked for it';
    const { sessionId } = result as { readonly sessionId?: string };
    if (sessionId !== undefined) this.know(sessionId);
    waiting.resolve(result);
    return wrongResult(waiting.method, result);
  }

  private takeCall(message: Json): string | undefined {
    const { id, method, params } = message as { readonly id?: unknown; readonly method: string; readonly params: Json };
    const wrong = wrongMessage(method, params, this.capabilities);
    if (wrong !== undefined) return wrong;
    if (method === '$/cancel_request') return this.withdraw(params['requestId']);
    const { sessionId, update } = params as { readonly sessionId?: string; readonly update?: SessionUpdate };
    const session = sessionId === undefined ? undefined : this.sessions.get(sessionId);
    if (sessionId !== undefined && session === undefined) return 'this session is not open yet';
    if (update !== undefined && session !== undefined) {
      const isTwice = (one: SessionUpdate): boolean =>
        one.sessionUpdate === 'tool_call' &&
        update.sessionUpdate === 'tool_call' &&
        one.toolCallId === update.toolCallId;
      const wasCalled = session.slice(this.loads.get(sessionId ?? '')).some(isTwice);
      session.push(update);
      return wasCalled ? 'this call was announced before' : undefined;
    }
    if (id !== undefined) void this.answer(id, method, params);
    return undefined;
  }

  private withdraw(id: unknown): string | undefined {
    const question = this.asked.get(id);
    if (question === undefined) return 'there is no such question';
    const { method, params, controller } = question;
    this.withdrawn.push({ method, params });
    controller.abort();
    return undefined;
  }

  private async answer(id: unknown, method: string, params: Json): Promise<void> {
    const controller = new AbortController();
    this.asked.set(id, { method, params, controller });
    try {
      const result = await this.script(method, params, controller.signal);
      if (result !== NO_ANSWER) this.send({ id, result });
    } catch (error) {
      const { code, message } = error instanceof AnsweredError ? error : new AnsweredError(-32_603, String(error));
      this.send({ id, error: { code, message } });
    }
  }

  private script(method: string, params: Json, signal: AbortSignal): unknown {
    if (method === 'session/request_permission') {
      const request = params as unknown as RequestPermissionRequest;
      this.permissions.push(request);
      if (this.onPermission !== undefined) return this.onPermission(request, signal);
    }
    if (method === 'elicitation/create') {
      const request = params as unknown as CreateElicitationRequest;
      this.elicitations.push(request);
      if (this.onElicitation !== undefined) return this.onElicitation(request, signal);
    }
    this.lose(`nobody expects this question: ${method} ${JSON.stringify(params)}`);
    return NO_ANSWER;
  }

  private know(sessionId: string): void {
    if (!this.sessions.has(sessionId)) this.sessions.set(sessionId, []);
  }

  private lose(problem: string): void {
    this.wrong.push(problem);
    this.failWaiting(problem);
  }

  private failWaiting(problem: string): void {
    for (const { method, reject } of this.waiting.values()) reject(new Error(`no answer to ${method}: ${problem}`));
    this.waiting.clear();
    for (const watch of this.watchers) watch();
  }

  private async guarded<T>(wait: Promise<T>, what: string): Promise<T> {
    let guard: NodeJS.Timeout | undefined;
    const late = new Promise<never>((_, reject) => {
      guard = setTimeout(() => {
        const last = this.received.slice(-20).map(message => JSON.stringify(message).slice(0, 500));
        reject(new Error(`waited in vain for ${what}\n${last.join('\n')}\n${this.stderr.slice(-2000)}`));
      }, GUARD_MS);
    });
    try {
      return await Promise.race([wait, late]);
    } finally {
      clearTimeout(guard);
    }
  }
}

/** The message of the error that a request is answered with. Fails when it is answered, or the error has another code. */
export async function refusal(request: Promise<unknown>, code: number): Promise<string> {
  const error: unknown = await request.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  assert.ok(error instanceof AnsweredError, 'it is refused');
  assert.equal(error.code, code, error.message);
  return error.message;
}

function errorIn(message: Json): AnsweredError {
  const { code, message: text, data } = (message['error'] ?? {}) as { code: number; message: string; data?: unknown };
  return new AnsweredError(code, text, data);
}
