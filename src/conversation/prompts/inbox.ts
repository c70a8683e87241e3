import { isDeepStrictEqual } from 'node:util';
import * as l10n from '@vscode/l10n';
import type { ImageContent } from '@mariozechner/pi-ai';
import type { AgentMessage, ContentPart, CustomMessage, UserMessage } from '../../agent/messages';
import { messageOf } from '../../base/errors';
import { unlessAborted, isAborted } from '../../base/wait';
import { canAsk, type BusyUntil, type HookDelivery } from '../../hooks/conversation-port';
import { copyData } from '../../hooks/dispatch/copy';
import type { CustomMessageDraft } from '../../hooks/events/hook-event';
import type { Delivery } from '../../protocol/composer';
import type { Presenter } from '../cards/presenter';
import type { SessionChanges } from '../changes/session-changes';
import type { ComposerState } from '../composer/composer-state';
import { parseCommand } from './slash-commands';
import {
  askBeforeRun,
  customMessage,
  expandOrWarn,
  fileParts,
  route,
  withFittedImages,
  userMessage,
  type PipelineParts,
  type Routed,
  type Submission,
} from './prompt-pipeline';
import { RefusedError, refusalOf } from './refusal';
import type { StoppedBy } from '../run/run-control';
import type { Toolset } from '../run/toolset';
import { CommandNotRun } from './user-bash';
import { WaitingMessages, type Attached } from './waiting-messages';
import type { SessionState } from '../session/session-state';

const ALREADY_PROCESSING =
  "Agent is already processing. Specify streamingBehavior ('steer' or 'followUp') to queue the message.";

export interface InboxParts extends PipelineParts {
  readonly state: SessionState;
  readonly presenter: Presenter;
  readonly composer: ComposerState;
  readonly toolset: Toolset;
  /** Undefined where changes are not kept. */
  readonly changes: SessionChanges | undefined;
}

/** The entry point of every text for the agent, from users and from hooks. No text is ever lost. */
export class Inbox {
  /** A run is being prepared: further messages are queued as if it were running. */
  private opening = false;
  /** A stopped run leaves waiting messages in the queue for the next run. */
  private keepsQueue = false;
  /** Who stopped the last run. */
  private stoppedBy: StoppedBy = 'person';
  private started = 0;
  /** Settles when all texts submitted for the queue so far are in it. */
  private queueing: Promise<void> = Promise.resolve();
  /** Texts that are being prepared: when the user stops, they return to the composer. */
  private readonly preparing = new Set<AbortController>();
  /** Messages that wait for the agent. */
  readonly waiting: WaitingMessages;

  constructor(private readonly parts: InboxParts) {
    this.waiting = new WaitingMessages(parts);
    parts.control.onWillStop(by => {
      this.stoppedBy = by;
      this.keepsQueue = by === 'program';
      if (!this.keepsQueue) this.waiting.giveAllBack();
      // A hook may stop a run in order to send a text of its own.
      if (by !== 'hook') for (const abort of this.preparing) abort.abort();
    });
  }

  /**
   * Sends what a user typed: a command, a prompt, or a message for the running agent. Resolves when everything that
   * follows from it is done; failures are shown, never thrown.
   */
  async submit(
    text: string,
    options: Partial<Attached> & {
      readonly delivery?: Delivery;
      /** The text does not come from the draft, so the draft stays. */
      readonly keepsDraft?: boolean;
      /** See {@link Submission}. */
      readonly literal?: boolean;
    } = {},
  ): Promise<void> {
    const { ports, chat, composer, changes } = this.parts;
    const { images = [], files = [], delivery = 'steer', literal = false } = options;
    if (options.keepsDraft !== true) composer.clear();
    changes?.warm();
    const submission = { text, images, files, source: 'interactive', delivery, fromComposer: true, literal } as const;
    try {
      await this.accept(submission);
    } catch (error) {
      if (error instanceof RefusedError) {
        this.waiting.giveSubmissionBack(submission);
        this.reportRefusal(error);
        return;
      }
      if (error instanceof CommandNotRun) {
        this.waiting.giveSubmissionBack(submission);
        chat.notice('error', l10n.t('The command was not run, because a hook failed: {0}', error.message));
        return;
      }
      ports.log.error('A submitted text could not be processed', error);
      chat.notice('error', messageOf(error));
    }
  }

  /** Whether a prompt would be refused now; the reason is shown. */
  async refuses(): Promise<boolean> {
    const refusal = await refusalOf(this.parts.state, this.parts.ports.models);
    if (refusal !== undefined) this.reportRefusal(refusal);
    return refusal !== undefined;
  }

  /**
   * Sends a text from outside of a chat. Rejects when it cannot be delivered; resolves when everything that it started
   * is done.
   */
  send(submission: Omit<Submission, 'fromComposer'>): Promise<void> {
    return this.accept({ ...submission, fromComposer: false });
  }

  /**
   * Queues a text whether or not a run is going on, as pi's `steer` and `follow_up` do; an idle agent gets it with its
   * next run. As in pi, a skill or a template that the text names replaces it. Texts are queued in the order of the
   * calls; resolves when this one is. `asks`: `input` handlers run first and may handle it. Rejects for a command of a
   * hook, which cannot wait.
   */
  async queue(
    text: string,
    images: readonly ImageContent[],
    delivery: Delivery,
    { asks = false }: { readonly asks?: boolean } = {},
  ): Promise<'queued' | 'handled'> {
    const command = parseCommand(text);
    if (command !== undefined && this.parts.ports.hooks.commands.has(command.name)) {
      throw new Error(`Hook command "/${command.name}" cannot be queued. Send it as a prompt.`);
    }
    const { resources, chat } = this.parts;
    const submission = { text, images, source: 'rpc', delivery, fromComposer: false } as const;
    const queued = this.queueing.then(async () => {
      const routed = asks
        ? await route(submission, this.parts, { isBusy: this.isBusy, isShown: false })
        : await withFittedImages({ text: await expandOrWarn(text, resources.current, chat), images }, this.parts.ports);
      if (routed === undefined) return 'handled';
      this.waiting.add(userMessage(routed.text, routed.images), delivery);
      return 'queued';
    });
    this.queueing = queued.then(
      () => undefined,
      () => undefined, // The sender gets the error.
    );
    return queued;
  }

  /**
   * Sends a text of a hook. Rejects when it cannot be delivered, in dialects whose function rejects (docs/dialects.md).
   */
  async sendFromHook(
    content: string | ContentPart[],
    options: {
      readonly deliverAs?: Delivery;
      readonly queueWhenStreaming: boolean;
      readonly expands?: boolean;
      readonly busyUntil?: BusyUntil;
    },
  ): Promise<void> {
    // Such a process ends with its prompt.
    if (!canAsk(this.parts.ports.mode) && options.queueWhenStreaming) {
      this.parts.chat.notice('warning', 'pi.send() is not supported in print mode');
      return;
    }
    const parts = typeof content === 'string' ? [] : content;
    const text =
      typeof content === 'string'
        ? content
        : parts.flatMap(part => (part.type === 'text' ? [part.text] : [])).join('\n');
    const images = parts.filter(part => part.type === 'image');
    const delivery = options.deliverAs ?? (options.queueWhenStreaming ? 'steer' : undefined);
    const { busyUntil } = options;
    const isBusy = this.isBusyUntil(busyUntil);
    const command = options.expands === true ? parseCommand(text) : undefined;
    const isCommand = command !== undefined && this.parts.ports.hooks.commands.has(command.name);
    // In today's dialect, `input` handlers run before the text is refused.
    const isRefused = isBusy && delivery === undefined && !isCommand;
    if (isRefused && busyUntil !== 'settled') throw new Error(ALREADY_PROCESSING);
    const fromSend = options.queueWhenStreaming && !isBusy ? 'templates' : undefined;
    const expands = options.expands === true ? 'all' : fromSend;
    await this.accept({ text, images, source: 'extension', delivery, fromComposer: false, expands, busyUntil });
  }

  /** Sends a custom message of a hook. */
  async sendCustom(
    draft: CustomMessageDraft,
    options: {
      readonly triggerTurn: boolean;
      readonly deliverAs?: HookDelivery;
      readonly afterTurn?: boolean;
      readonly busyUntil?: BusyUntil;
    },
  ): Promise<void> {
    const { control, state } = this.parts;
    const message = customMessage(draft);
    const moving = options.triggerTurn && options.deliverAs !== 'nextTurn' ? state.switched() : undefined;
    if (moving !== undefined) await moving;
    if (options.deliverAs === 'nextTurn') {
      state.nextTurn.push(message);
    } else if (!options.triggerTurn && !this.opening && control.isBetweenRuns(options.busyUntil)) {
      control.boundaries.add(message);
    } else if (this.isBusy && options.afterTurn === true) {
      control.boundaries.addAfterTurn(message);
    } else if (this.isBusy || (options.triggerTurn && this.isBusyUntil(options.busyUntil))) {
      const queue = options.deliverAs === 'followUp' ? control.agent.followUps : control.agent.steering;
      queue.add(message);
      if (options.triggerTurn) void this.startAfterwards(message);
    } else if (options.triggerTurn) {
      await this.begin(signal => this.open(message, signal));
    } else {
      control.boundaries.add(message);
    }
  }

  private get isBusy(): boolean {
    return this.opening || !this.parts.control.isIdle;
  }

  private isBusyUntil(end: BusyUntil = 'end'): boolean {
    return this.isBusy || (end === 'settled' && !this.parts.control.isSettled);
  }

  private async accept(submission: Submission): Promise<void> {
    const routed = await this.prepare(submission);
    if (routed === undefined) return;
    const { files = [] } = submission;
    const message = userMessage(routed.text, routed.images, [...fileParts(files), ...(routed.files ?? [])]);
    this.waiting.remember(message, submission);
    if (!this.isBusyUntil(submission.busyUntil)) {
      await this.prompt(message, submission);
      return;
    }
    if (submission.delivery === undefined) throw new Error(ALREADY_PROCESSING);
    this.waiting.add(message, submission.delivery);
    submission.onAccepted?.('queued');
    void this.startAfterwards(message);
  }

  /** Returns the prompt to send; undefined if nothing is sent, for example because a stop returned the text. */
  private async prepare(submission: Submission): Promise<Routed> {
    const { state } = this.parts;
    const abort = new AbortController();
    const { signal } = abort;
    this.preparing.add(abort);
    try {
      await state.switched();
      const routed = await route(submission, this.parts, {
        signal,
        isBusy: this.isBusyUntil(submission.busyUntil),
        isShown: true,
      });
      // A command may have switched the session; a run must not begin between two sessions.
      if (routed !== undefined) await state.switched();
      if (routed === undefined || !isAborted(signal)) return routed;
    } finally {
      this.preparing.delete(abort);
    }
    submission.onAccepted?.('handled');
    this.waiting.giveSubmissionBack(submission);
    return undefined;
  }

  private async prompt(message: UserMessage, submission: Submission): Promise<void> {
    const { state, ports, presenter } = this.parts;
    await this.begin(async signal => {
      const refusal = await refusalOf(state, ports.models);
      if (refusal !== undefined) throw refusal;
      submission.onAccepted?.('started');
      presenter.announce(message, 'sent');
      return this.open(message, signal);
    });
  }

  /**
   * Begins a run with what waits once the agent is idle, if no run takes this queued message: during a compaction or a summary that
   * was asked for, there is none. After a stop, the message waits for the next run or was given back. Never rejects.
   */
  private async startAfterwards(queued: AgentMessage): Promise<void> {
    const { control, ports, chat } = this.parts;
    if (this.opening || control.hasRun) return;
    const stop = new AbortController();
    const stops = control.onWillStop(() => stop.abort());
    await control.waitForIdle();
    stops.dispose();
    if (stop.signal.aborted || this.isBusy || !this.waiting.has(queued)) return;
    try {
      await this.begin(signal => this.openWaiting(signal));
    } catch (error) {
      ports.log.error('A submitted text could not be processed', error);
      chat.notice('error', messageOf(error));
    }
  }

  /** Opens a run with the message that waits longest; the run takes the others. If it is refused, all texts are given back. */
  private async openWaiting(signal: AbortSignal): ReturnType<Inbox['open']> {
    const { state, ports } = this.parts;
    const refusal = await refusalOf(state, ports.models);
    if (refusal !== undefined) {
      this.waiting.giveAllBack();
      this.reportRefusal(refusal);
      return undefined;
    }
    const first = this.waiting.takeFirst();
    return first && this.open(first, signal);
  }

  /** Prepares a run and waits for its end. */
  private async begin(
    open: (signal: AbortSignal) => Promise<{ readonly run: Promise<void> } | undefined>,
  ): Promise<void> {
    this.opening = true;
    try {
      const begun = await this.parts.control.beside({ type: 'running', message: '' }, open);
      this.opening = false;
      await begun?.run;
    } finally {
      this.opening = false;
    }
  }

  /**
   * Does everything before the first request and starts the run. Undefined when there is no run: then the text is back
   * in the composer, and a message of a hook waits for the next run. The run starts in here, so that a stop always
   * finds something to end.
   */
  private async open(
    message: UserMessage | CustomMessage,
    signal: AbortSignal,
  ): Promise<{ readonly run: Promise<void> } | undefined> {
    const { state, presenter, control } = this.parts;
    await control.beforePrompt(signal);
    const waiting = state.nextTurn.splice(0);
    const added = signal.aborted ? undefined : await this.askHooks(message, signal);
    if (added !== undefined) return { run: this.start([message, ...waiting, ...added]) };
    // Only a user gets the text back. For hooks and programs a run starts and ends at once.
    if (this.stoppedBy !== 'person') {
      const run = this.start([message, ...waiting]);
      void control.stop(this.stoppedBy);
      return { run };
    }
    state.nextTurn.unshift(...waiting);
    if (message.role === 'custom') {
      state.nextTurn.push(message);
      return undefined;
    }
    presenter.withdraw(message);
    this.waiting.giveMessageBack(message);
    return undefined;
  }

  /**
   * The messages that hooks add at the start of a run. Hooks may also change its prompt and tools. Undefined after a
   * stop.
   */
  private async askHooks(
    message: UserMessage | CustomMessage,
    signal: AbortSignal,
  ): Promise<readonly CustomMessage[] | undefined> {
    const { state, control, ports, toolset } = this.parts;
    if (!ports.hooks.runner.hasHandlers('before_agent_start')) return [];
    const base = control.prompt.base;
    const options = copyData(base);
    state.openingPrompt = options;
    try {
      const asked = askBeforeRun(message, options, this.parts);
      const added = await unlessAborted(asked, signal, () => undefined);
      if (added === undefined || isAborted(signal)) return undefined;
      const made = copyData(options);
      if (!isDeepStrictEqual(made.selectedTools, base.selectedTools)) toolset.setActive(made.selectedTools);
      // If hooks did not change the prompt, it keeps following tools, skills and files.
      if (!isDeepStrictEqual(made, base)) state.runPrompt = made;
      return added;
    } finally {
      state.openingPrompt = undefined;
    }
  }

  private reportRefusal({ message, more }: RefusedError): void {
    this.parts.chat.notice('error', message, more);
  }

  private async start(messages: readonly AgentMessage[]): Promise<void> {
    const { control, state } = this.parts;
    this.started += 1;
    this.takeBackAtEnd();
    const mine = this.started;
    try {
      await control.run(messages);
    } finally {
      // A listener to the end may have started the next run already.
      if (this.started === mine) state.runPrompt = undefined;
      if (control.isIdle && !this.keepsQueue) this.waiting.giveAllBack();
    }
  }

  /** From here on, messages that still wait when a run ends return to their source. */
  private takeBackAtEnd(): void {
    this.keepsQueue = false;
  }
}
