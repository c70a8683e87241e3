import { Emitter } from '../../base/event';
import type { AgentMessage } from '../messages';
import type { QueueMode } from '../settings/pi-settings';

/** Messages that wait for the running agent, oldest first. */
export class MessageQueue {
  private waiting: AgentMessage[] = [];
  /** Taken, but not started yet. */
  private taken: readonly AgentMessage[] = [];
  private readonly changeEmitter = new Emitter<void>();
  readonly onDidChange = this.changeEmitter.event;

  constructor(private readonly mode: () => QueueMode) {}

  get messages(): readonly AgentMessage[] {
    return this.waiting;
  }

  /** The waiting messages as pi reports them: a message that is taken counts until it begins. */
  get unbegun(): readonly AgentMessage[] {
    return [...this.taken, ...this.waiting];
  }

  /** To be called when a message begins, wherever it comes from. */
  begin(message: AgentMessage): void {
    if (!this.taken.includes(message)) return;
    this.taken = this.taken.filter(other => other !== message);
    this.changeEmitter.fire();
  }

  add(message: AgentMessage): void {
    this.waiting.push(message);
    this.changeEmitter.fire();
  }

  /** Takes the messages that the mode allows to deliver now. */
  take(): readonly AgentMessage[] {
    if (this.waiting.length === 0) return [];
    const taken = this.waiting.splice(0, this.mode() === 'all' ? this.waiting.length : 1);
    this.taken = [...this.taken, ...taken];
    this.changeEmitter.fire();
    return taken;
  }

  /** Removes one message. False if it does not wait here. */
  remove(message: AgentMessage): boolean {
    const index = this.waiting.indexOf(message);
    if (index < 0) return false;
    this.waiting.splice(index, 1);
    this.changeEmitter.fire();
    return true;
  }

  /** Takes all messages, to give them back to the user. */
  clear(): readonly AgentMessage[] {
    if (this.waiting.length === 0) return [];
    const all = this.waiting;
    this.waiting = [];
    this.changeEmitter.fire();
    return all;
  }
}
