import { deferred } from '../../base/async/wait';
import type { AgentEvent } from './events';
import { runLoop, type Run, type RunPorts } from './loop';
import { MessageQueue } from './message-queue';
import type { QueueMode } from '../settings/pi-settings';
import type { AgentMessage } from '../messages';

/** The functions that an agent needs from its conversation. */
export interface AgentPorts extends RunPorts {
  /**
   * Is called with every event in order, and the run waits for it. If it throws, that is a bug: the run ends and `prompt`
   * rejects.
   */
  readonly handle: (event: AgentEvent) => void | Promise<void>;
  readonly steeringMode: () => QueueMode;
  readonly followUpMode: () => QueueMode;
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

  /** The current context. It belongs to the agent: do not change it. */
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

  /**
   * Runs on new messages until the agent stops; without any, on the current context, as after a retry or a compaction.
   * Rejects at once when a run is going on.
   */
  async prompt(prompts: readonly AgentMessage[]): Promise<void> {
    if (this.running !== undefined) throw new Error('Agent is already processing.');
    const abort = new AbortController();
    const ended = deferred();
    this.running = { abort, ended: ended.promise };
    let last: AgentEvent | undefined;
    try {
      for await (const event of runLoop(this.run(prompts, abort.signal))) {
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

  private run(prompts: readonly AgentMessage[], signal: AbortSignal): Run {
    const { ports, context: messages, steering, followUps } = this;
    return { ...ports, messages, prompts, signal, steering, followUps };
  }
}
