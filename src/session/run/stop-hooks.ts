import type { Agent } from '../../agent/run/agent';
import type { AssistantMessage, CustomMessage } from '../../agent/messages';
import { toolCallsOf } from '../../agent/run/tool-calls';
import { defined } from '../../base/defined';
import type { HookResults } from '../../hook-contract/hook-event';
import type { RunParts } from './run-parts';

/** How often in a row hooks may ask to continue; blocks only count after an error, which could follow each of them. */
const MAX_CONTINUATIONS = 8;

/** Asks the stop hooks of oh-my-pi whether the agent may stop, and counts how often it went on. */
export class StopHooks {
  /** Index in the last run of the turn that ended last. */
  lastTurn = 0;
  /** Hooks are being asked; the run is over for them. */
  isAsking = false;
  private continued = 0;
  /** The last answer follows from an answer of a stop hook. */
  private isActive = false;

  constructor(
    private readonly parts: RunParts,
    private readonly agent: Agent,
  ) {}

  /** A prompt begins: what hooks asked for before no longer counts. */
  begin(): void {
    this.continued = 0;
    this.isActive = false;
  }

  /** Whether hooks are asked after this answer: not if it has tool calls, after which a tool or a hook ended the run. */
  areAskedAfter(last: AssistantMessage): boolean {
    return this.parts.ports.hooks.runner.hasHandlers('session_stop') && toolCallsOf(last).length === 0;
  }

  /** The message with which the agent goes on; undefined when it may stop. */
  async ask(last: AssistantMessage, signal: AbortSignal): Promise<CustomMessage | undefined> {
    const { ports, conversation, state, hookEvents } = this.parts;
    await hookEvents.whenDelivered(signal);
    this.isAsking = true;
    const result: HookResults['session_stop'] = await ports.hooks.runner.emit(
      {
        type: 'session_stop',
        messages: this.agent.messages,
        turn_id: this.lastTurn,
        last_assistant_message: last,
        session_id: state.store.getSessionId(),
        ...defined({ session_file: state.store.getSessionFile() }),
        stop_hook_active: this.isActive,
        signal,
      },
      conversation,
      { signal },
    );
    this.isAsking = false;
    const text = signal.aborted ? undefined : this.count(result, last);
    if (text === undefined) {
      this.begin();
      return undefined;
    }
    this.isActive = true;
    const customType = 'session-stop-continuation';
    return { role: 'custom', customType, content: text, display: false, timestamp: Date.now() };
  }

  private count(
    { text, isBlock, by = '' }: HookResults['session_stop'],
    { stopReason }: AssistantMessage,
  ): string | undefined {
    if (text === undefined || (isBlock && stopReason !== 'error')) return text;
    if (this.continued < MAX_CONTINUATIONS) {
      this.continued += 1;
      return text;
    }
    const { ports, conversation } = this.parts;
    const message = `session_stop asked to continue more than ${MAX_CONTINUATIONS} times in a row`;
    ports.hooks.runner.services.report({ hookPath: by, event: 'session_stop', message, conversation: conversation.id });
    return undefined;
  }
}
