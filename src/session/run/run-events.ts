import type { Agent } from '../../agent/run/agent';
import { toPiEvent, type AgentEvent } from '../../agent/run/events';
import type { AgentMessage } from '../../agent/messages';
import type { Rule } from '../../agent/resources/stream-rule';
import { toolCallsOf } from '../../agent/run/tool-calls';
import { unlessAborted } from '../../base/async/wait';
import type { Retries } from './request/retry-loop';
import { queueForHooks, type RunParts } from './run-parts';
import type { RunSpans } from './run-spans';
import type { TurnBoundaries } from './turn-boundary';

/**
 * Steps that wait for handlers (docs/dialects.md, D4). Handlers of all others run in order without delaying the run.
 */
const WAITED: ReadonlySet<AgentEvent['type']> = new Set(['agent_start', 'agent_end', 'turn_start']);

/** Passes each event of the agent on, in order: to the session file, the chat, hooks and clients. */
export class RunEvents {
  /** A stream rule aborted the current answer. */
  private interrupted = false;

  constructor(
    private readonly parts: RunParts,
    private readonly agent: Agent,
    private readonly spans: RunSpans,
    private readonly boundaries: TurnBoundaries,
    private readonly retries: Retries,
  ) {
    parts.toolset.nested.onDidHappen(event => this.forwardNested(event));
    parts.rules.onDidTrigger(broken => this.breakOff(broken));
  }

  async handle(event: AgentEvent, signal: AbortSignal): Promise<void> {
    this.spans.follow(event);
    if (event.type === 'message_end') await this.endMessage(event.message, signal);
    this.show(event);
    if (event.type === 'message_end') await this.parts.writing.written();
    this.queueStep(event);
    if (event.type === 'message_start') {
      for (const queue of [this.agent.steering, this.agent.followUps]) queue.begin(event.message);
    }
    // Clients of pi get a step after hooks handled it.
    if (WAITED.has(event.type)) await this.parts.hookEvents.whenDelivered(signal);
    this.notifyClients(event);
    if (event.type === 'turn_end') this.boundaries.addWaiting();
    if (event.type === 'message_end') this.retries.noteProgress(event.message);
    const taken = this.parts.ports.whenDrained?.();
    if (taken !== undefined) await unlessAborted(taken, signal, () => undefined);
  }

  /** A call that the user repeats is only drawn, and so are the calls of its tool. */
  private forwardNested(event: AgentEvent): void {
    this.show(event);
    if (!this.agent.isRunning) return;
    this.notifyClients(event);
    this.queueStep(event);
  }

  private show(step: AgentEvent): void {
    this.parts.events.fire({ type: 'step', step, byUser: false });
  }

  private notifyClients(event: AgentEvent): void {
    const piEvent = toPiEvent(event);
    this.parts.events.fire(piEvent.type === 'agent_end' ? { ...piEvent, willRetry: this.retries.willFollow } : piEvent);
  }

  /** Hooks already handled the ends of messages and turns. */
  private queueStep(event: AgentEvent): void {
    if (event.type !== 'message_end' && event.type !== 'turn_end') queueForHooks(this.parts, event);
  }

  private async endMessage(message: AgentMessage, signal: AbortSignal): Promise<void> {
    const before = message.role === 'assistant' ? toolCallsOf(message) : [];
    if (await this.boundaries.endMessage(message, signal)) {
      this.parts.events.fire({ type: 'message_replaced', message, calls: before });
    }
    // An answer that a rule aborted stays in the file, on a side branch, and is not part of any later context.
    const aside = this.interrupted && message.role === 'assistant';
    if (aside) this.interrupted = false;
    this.parts.writing.persist(message, aside ? 'aside' : undefined);
  }

  private breakOff(rules: readonly Rule[]): void {
    this.interrupted = true;
    queueForHooks(this.parts, { type: 'ttsr_triggered', rules });
  }
}
