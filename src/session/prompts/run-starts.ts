import { isDeepStrictEqual } from 'node:util';
import type { AgentMessage, CustomMessage, ImageContent, UserMessage } from '../../agent/messages';
import { wholePrompt } from '../../agent/prompt/system-prompt';
import { messageOf } from '../../base/errors';
import { isAborted, unlessAborted } from '../../base/async/wait';
import type { BusyUntil, HookConversation } from '../../hook-contract/conversation-port';
import { copyData } from '../../hook-contract/copy';
import type { ConversationPorts } from '../ports/ports';
import type { SessionEvents } from '../ports/session-events';
import type { RunControl, StoppedBy } from '../run/run-control';
import type { Toolset } from '../run/toolset';
import type { SessionState } from '../state/session-state';
import { customMessage, type Submission } from './prompt-pipeline';
import { refusalOf, showRefusal } from '../state/refusal';
import type { WaitingMessages } from './waiting-messages';

export interface RunStartsParts {
  readonly ports: ConversationPorts;
  /** The conversation as hooks see it. */
  readonly conversation: HookConversation;
  readonly state: SessionState;
  readonly events: SessionEvents;
  readonly toolset: Toolset;
  readonly control: RunControl;
  readonly waiting: WaitingMessages;
}

/** A message that a run answers first. */
type FirstMessage = UserMessage | CustomMessage;

/** Starts runs: does everything between a message and the run that answers it, and returns messages that no run took. */
export class RunStarts {
  /** A run is being prepared: further messages are queued as if it were running. */
  private opening = false;
  /** Who stopped last, since a run began; a person until then. */
  private stoppedBy: StoppedBy = 'person';
  private started = 0;

  constructor(private readonly parts: RunStartsParts) {
    parts.control.onWillStop(by => {
      this.stoppedBy = by;
      if (!this.keepsQueue) parts.waiting.giveAllBack();
    });
  }

  /** A run that a program stopped leaves waiting messages in the queue for the next run. */
  private get keepsQueue(): boolean {
    return this.stoppedBy === 'program';
  }

  /** The agent works or is about to: a message has to wait. */
  get isBusy(): boolean {
    return this.opening || !this.parts.control.isIdle;
  }

  isBusyUntil(end: BusyUntil = 'end'): boolean {
    return this.isBusy || (end === 'settled' && !this.parts.control.isSettled);
  }

  /** No run is going on or being prepared, whatever else is. */
  isBetweenRuns(until: BusyUntil | undefined): boolean {
    return !this.opening && this.parts.control.isBetweenRuns(until);
  }

  /** Starts a run with a prompt and waits for its end. Rejects with the reason when the prompt is refused. */
  withPrompt(message: UserMessage, onAccepted: Submission['onAccepted']): Promise<void> {
    const { state, ports, events } = this.parts;
    return this.start(async () => {
      const refusal = await refusalOf(state, ports.models);
      if (refusal !== undefined) throw refusal;
      onAccepted?.('started');
      events.fire({ type: 'message_announced', message, state: 'sent' });
      return message;
    });
  }

  /** Starts a run with a message of a hook and waits for its end. */
  withMessage(message: CustomMessage): Promise<void> {
    return this.start(() => Promise.resolve(message));
  }

  /**
   * Starts a run with what waits once the agent is idle, if no run takes this queued message: during a compaction or a summary that
   * was asked for, there is none. After a stop, the message waits for the next run or was given back. Never rejects.
   */
  async afterwards(queued: AgentMessage): Promise<void> {
    const { control, waiting, ports, events } = this.parts;
    if (this.opening || control.hasRun) return;
    const stop = new AbortController();
    const stops = control.onWillStop(() => stop.abort());
    await control.waitForIdle();
    stops.dispose();
    if (stop.signal.aborted || this.isBusy || !waiting.has(queued)) return;
    try {
      await this.start(() => this.firstWaiting());
    } catch (error) {
      ports.log.error('A submitted text could not be processed', error);
      events.notice('error', messageOf(error));
    }
  }

  /** The message that waits longest; the run takes the others. If it is refused, all texts are given back. */
  private async firstWaiting(): Promise<FirstMessage | undefined> {
    const { state, ports, events, waiting } = this.parts;
    const refusal = await refusalOf(state, ports.models);
    if (refusal === undefined) return waiting.takeFirst();
    waiting.giveAllBack();
    showRefusal(refusal, events);
    return undefined;
  }

  /** Prepares a run and waits for its end. */
  private async start(takeFirst: () => Promise<FirstMessage | undefined>): Promise<void> {
    this.opening = true;
    try {
      const begun = await this.parts.control.beside({ type: 'running', message: '' }, async signal => {
        const first = await takeFirst();
        return first && this.open(first, signal);
      });
      this.opening = false;
      await begun?.run;
    } finally {
      this.opening = false;
    }
  }

  /**
   * Does everything before the first request and starts the run. Undefined when there is no run: then the text is
   * returned, and a message of a hook waits for the next run. The run starts in here, so that a stop always
   * finds something to end.
   */
  private async open(first: FirstMessage, signal: AbortSignal): Promise<{ readonly run: Promise<void> } | undefined> {
    const { state, events, control, waiting } = this.parts;
    await control.beforePrompt(signal);
    const next = state.nextTurn.splice(0);
    const added = signal.aborted ? undefined : await this.askHooks(first, signal);
    if (added !== undefined) return { run: this.run([first, ...next, ...added]) };
    // Only a user gets the text back. For hooks and programs a run starts and ends at once.
    const { stoppedBy } = this;
    if (stoppedBy !== 'person') {
      const run = this.run([first, ...next]);
      void control.stop(stoppedBy);
      return { run };
    }
    state.nextTurn.unshift(...next);
    if (first.role === 'custom') {
      state.nextTurn.push(first);
      return undefined;
    }
    events.fire({ type: 'message_withdrawn', message: first });
    waiting.giveMessageBack(first);
    return undefined;
  }

  /**
   * The messages that hooks add at the start of a run. Hooks may also change its prompt and tools. Undefined after a
   * stop.
   */
  private async askHooks(first: FirstMessage, signal: AbortSignal): Promise<readonly CustomMessage[] | undefined> {
    const { state, control, ports, conversation, toolset } = this.parts;
    const { runner } = ports.hooks;
    if (!runner.hasHandlers('before_agent_start')) return [];
    const { base } = control.prompt;
    const options = copyData(base);
    const heldBack = toolset.activeNames().filter(name => !base.selectedTools.includes(name));
    state.openingPrompt = options;
    try {
      const starts = first.role === 'custom' ? { prompt: '', message: first } : promptIn(first);
      const event = { type: 'before_agent_start', ...starts, systemPrompt: wholePrompt(options), options } as const;
      const answer = await unlessAborted(runner.emit(event, conversation), signal, () => undefined);
      if (answer === undefined || isAborted(signal)) return undefined;
      const made = copyData(options);
      if (!isDeepStrictEqual(made.selectedTools, base.selectedTools)) {
        toolset.setActive([...made.selectedTools, ...heldBack]);
      }
      // If hooks did not change the prompt, it keeps following tools, skills and files.
      if (!isDeepStrictEqual(made, base)) state.runPrompt = made;
      return answer.messages.map(customMessage);
    } finally {
      state.openingPrompt = undefined;
    }
  }

  private async run(messages: readonly AgentMessage[]): Promise<void> {
    const { control, state, waiting } = this.parts;
    const mine = ++this.started;
    // From here on, messages that still wait when a run ends return to their source.
    this.stoppedBy = 'person';
    try {
      await control.run(messages);
    } finally {
      // A listener to the end may have started the next run already.
      if (this.started === mine) state.runPrompt = undefined;
      if (control.isIdle && !this.keepsQueue) waiting.giveAllBack();
    }
  }
}

function promptIn(message: UserMessage): { readonly prompt: string; readonly images?: readonly ImageContent[] } {
  const content = typeof message.content === 'string' ? [] : message.content;
  const images = content.filter(part => part.type === 'image');
  const texts = content.flatMap(part => (part.type === 'text' ? [part.text] : []));
  return { prompt: texts.join('\n'), ...(images.length > 0 ? { images } : {}) };
}
