import { deferred } from '../base/wait';
import type { AgentEvent } from './events';
import { runLoop, type Run, type AnswerWatcher, type StreamFn, type TurnSettings } from './loop';
import { MessageQueue, type QueueMode } from './message-queue';
import type { AgentMessage } from './messages';
import type { CallOrder } from './tool-calls';

/** The functions that an agent needs from its conversation. */
export interface AgentPorts {
  readonly stream: StreamFn;
  /** Model, system prompt, tools and options of the next request; throws when no model is chosen. */
  readonly settings: () => TurnSettings;
  readonly toContext: Run['toContext'];
  /** See `Run.prepare`. */
  readonly prepare?: Run['prepare'];
  /** See `Run.promptChange`. */
  readonly promptChange?: Run['promptChange'];
  /** Gets every event in order; the run waits for it. A throw here is a bug: it ends the run and rejects `prompt`. */
  readonly handle: (event: AgentEvent) => void | Promise<void>;
  readonly steeringMode: () => QueueMode;
  readonly followUpMode: () => QueueMode;
  /** See `Run.finishTurn`. */
  readonly finishTurn?: Run['finishTurn'];
  /** See `Run.betweenTurns`. */
  readonly betweenTurns?: Run['betweenTurns'];
  /** See `Run.callOrder`. */
  readonly callOrder: () => CallOrder;
  /** See `Run.watchAnswer`. */
  readonly watchAnswer?: () => AnswerWatcher | undefined;
  /** See `Run.nestedOf`. */
  readonly nestedOf?: Run['nestedOf'];
}

/** The state of one conversation with a model, and at most one run on it at a time. */
export class Agent {
  readonly steering: MessageQueue;
  readonly followUps: MessageQueue;
  private context: AgentMessage[] = [];
  private running: { readonly abort: AbortController; readonly ended: Promise<void> } | undefined;
  private ended: AbortController | undefined;

  constructor(private readonly ports: AgentPorts) {
    this.steering = new MessageQueue(ports.steeringMode);
    this.followUps = new MessageQueue(ports.followUpMode);
  }

  /** The context as it stands, owned by the agent: do not change it. */
  get messages(): readonly AgentMessage[] {
    return this.context;
  }

  get isRunning(): boolean {
    return this.running !== undefined;
  }

  /** Signal of the current run. */
  get signal(): AbortSignal | undefined {
    return this.running?.abort.signal;
  }

  /** Signal of the run whose end is being emitted. */
  get endedSignal(): AbortSignal | undefined {
    return this.ended?.signal;
  }

  /** Replaces the context (resume, branch, compaction). Throws while a run is going on. */
  setMessages(messages: readonly AgentMessage[]): void {
    if (this.running !== undefined) throw new Error('The context cannot be replaced while the agent is running.');
    this.context = [...messages];
  }

  /** Adds a message without starting a run. */
  append(message: AgentMessage): void {
    this.context.push(message);
  }

  /** Runs on new messages until the agent stops. Rejects at once when a run is going on. */
  prompt(messages: readonly AgentMessage[]): Promise<void> {
    return this.start(messages);
  }

  /** Runs on the current context: after a retry or a compaction. */
  resume(): Promise<void> {
    return this.start([]);
  }

  /** Aborts the current run; resolves when it has ended. */
  async abort(): Promise<void> {
    const run = this.running;
    run?.abort.abort();
    await run?.ended;
  }

  /** Resolves when no run is going on; never rejects. */
  async waitForIdle(): Promise<void> {
    while (this.running !== undefined) await this.running.ended;
  }

  private async start(prompts: readonly AgentMessage[]): Promise<void> {
    if (this.running !== undefined) throw new Error('Agent is already processing.');
    const abort = new AbortController();
    const ended = deferred();
    this.running = { abort, ended: ended.promise };
    let last: AgentEvent | undefined;
    try {
      for await (const event of this.events(prompts, abort.signal)) {
        if (event.type === 'agent_end') last = event;
        else await this.ports.handle(event);
      }
    } finally {
      this.running = undefined;
      ended.resolve();
    }
    // The agent is idle before it emits the last event: a handler of `agent_end` may wait for idle or start the next run.
    if (last === undefined) return;
    this.ended = abort;
    try {
      await this.ports.handle(last);
    } finally {
      if (this.ended === abort) this.ended = undefined;
    }
  }

  private events(prompts: readonly AgentMessage[], signal: AbortSignal): AsyncGenerator<AgentEvent, void> {
    return runLoop({
      messages: this.context,
      prompts,
      signal,
      stream: this.ports.stream,
      settings: this.ports.settings,
      prepare: this.ports.prepare,
      toContext: this.ports.toContext,
      promptChange: this.ports.promptChange,
      takeSteering: () => this.steering.take(),
      takeFollowUps: () => this.followUps.take(),
      finishTurn: this.ports.finishTurn,
      betweenTurns: this.ports.betweenTurns,
      callOrder: this.ports.callOrder,
      watchAnswer: this.ports.watchAnswer,
      nestedOf: this.ports.nestedOf,
    });
  }
}
