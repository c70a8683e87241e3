import * as l10n from '@vscode/l10n';
import type { ImageContent } from '@mariozechner/pi-ai';
import type { ContentPart, UserMessage } from '../../agent/messages';
import { messageOf } from '../../base/errors';
import { canAsk, type BusyUntil, type HookDelivery } from '../../hook-contract/conversation-port';
import type { CustomMessageDraft } from '../../hook-contract/hook-event';
import type { Delivery } from '../../protocol/composer/composer';
import { parseCommand } from '../ports/slash-command';
import {
  customMessage,
  expandOrWarn,
  route,
  withFittedImages,
  userMessage,
  type PipelineParts,
  type Routed,
  type Submission,
} from './prompt-pipeline';
import { returningTexts, textPart } from '../attachments/attached-files';
import { withoutCopies } from '../attachments/without-copies';
import { RefusedError, refusalOf, showRefusal } from '../state/refusal';
import { RunStarts } from './run-starts';
import type { Toolset } from '../run/toolset';
import { CommandNotRun } from './user-bash';
import { WaitingMessages, type Attached } from './waiting-messages';
import type { SessionState } from '../state/session-state';

const ALREADY_PROCESSING =
  "Agent is already processing. Specify streamingBehavior ('steer' or 'followUp') to queue the message.";

export interface InboxParts extends PipelineParts {
  readonly state: SessionState;
  readonly toolset: Toolset;
}

/** The entry point of every text for the agent, from users and from hooks. No text is ever lost. */
export class Inbox {
  /** Settles when all texts submitted for the queue so far are in it. */
  private queueing: Promise<void> = Promise.resolve();
  /** Texts that are being prepared: when the user stops, they are returned. */
  private readonly preparing = new Set<AbortController>();
  /** Messages that wait for the agent. */
  readonly waiting: WaitingMessages;
  private readonly starts: RunStarts;

  constructor(private readonly parts: InboxParts) {
    this.waiting = new WaitingMessages(parts);
    this.starts = new RunStarts({ ...parts, waiting: this.waiting });
    parts.control.onWillStop(by => {
      // A hook may stop a run in order to send a text of its own.
      if (by !== 'hook') for (const abort of this.preparing) abort.abort();
    });
  }

  /**
   * Sends what a user typed: a command, a prompt, or a message for the running agent. Resolves when everything that
   * follows from it is done, or when it waits for the running agent, with the message that it became; undefined when it
   * became none. Failures are shown, never thrown.
   */
  async submit(
    text: string,
    options: Partial<Attached> & {
      readonly delivery?: Delivery;
    } & Pick<Submission, 'literal' | 'ofEditor'> = {},
  ): Promise<UserMessage | undefined> {
    const { ports, events } = this.parts;
    const { images = [], files = [], delivery = 'steer', literal = false, ofEditor } = options;
    const attached = { images, files, ofEditor };
    const submission = { text, ...attached, source: 'interactive', delivery, fromComposer: true, literal } as const;
    try {
      return await this.take(submission);
    } catch (error) {
      if (error instanceof RefusedError) {
        this.waiting.giveSubmissionBack(submission);
        showRefusal(error, events);
        return undefined;
      }
      if (error instanceof CommandNotRun) {
        this.waiting.giveSubmissionBack(submission);
        events.notice('error', l10n.t('The command was not run, because a hook failed: {0}', error.message));
        return undefined;
      }
      ports.log.error('A submitted text could not be processed', error);
      events.notice('error', messageOf(error));
      return undefined;
    }
  }

  /** Whether a prompt would be refused now; the reason is shown. */
  async refuses(): Promise<boolean> {
    const refusal = await refusalOf(this.parts.state, this.parts.ports.models);
    if (refusal !== undefined) showRefusal(refusal, this.parts.events);
    return refusal !== undefined;
  }

  /**
   * Sends a text from outside of a chat. Rejects when it cannot be delivered; resolves when everything that it started
   * is done.
   */
  async send(submission: Omit<Submission, 'fromComposer'>): Promise<void> {
    await this.take({ ...submission, fromComposer: false });
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
    const { resources, events } = this.parts;
    const submission = { text, images, source: 'rpc', delivery, fromComposer: false } as const;
    const queued = this.queueing.then(async () => {
      const routed = asks
        ? await route(submission, this.parts, { isBusy: this.starts.isBusy, isShown: false })
        : await withFittedImages(
            { text: await expandOrWarn(text, resources.current, events), images },
            this.parts.ports,
          );
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
      this.parts.events.notice('warning', 'pi.send() is not supported in print mode');
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
    const isBusy = this.starts.isBusyUntil(busyUntil);
    const command = options.expands === true ? parseCommand(text) : undefined;
    const isCommand = command !== undefined && this.parts.ports.hooks.commands.has(command.name);
    // In today's dialect, `input` handlers run before the text is refused.
    const isRefused = isBusy && delivery === undefined && !isCommand;
    if (isRefused && busyUntil !== 'settled') throw new Error(ALREADY_PROCESSING);
    const fromSend = options.queueWhenStreaming && !isBusy ? 'templates' : undefined;
    const expands = options.expands === true ? 'all' : fromSend;
    await this.take({ text, images, source: 'extension', delivery, fromComposer: false, expands, busyUntil });
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
    } else if (!options.triggerTurn && this.starts.isBetweenRuns(options.busyUntil)) {
      control.boundaries.add(message);
    } else if (this.starts.isBusy && options.afterTurn === true) {
      control.boundaries.addAfterTurn(message);
    } else if (this.starts.isBusy || (options.triggerTurn && this.starts.isBusyUntil(options.busyUntil))) {
      const queue = options.deliverAs === 'followUp' ? control.agent.followUps : control.agent.steering;
      queue.add(message);
      if (options.triggerTurn) void this.starts.afterwards(message);
    } else if (options.triggerTurn) {
      await this.starts.withMessage(message);
    } else {
      control.boundaries.add(message);
    }
  }

  /**
   * Follows a text: what is left of it after commands, handlers and templates starts a run, or waits for the one that goes
   * on. A stop meanwhile returns it to the composer. Resolves with the message that it became, if any.
   */
  private async take(submission: Submission): Promise<UserMessage | undefined> {
    const { state } = this.parts;
    const { files = [], delivery, busyUntil, onAccepted } = submission;
    const stop = new AbortController();
    this.preparing.add(stop);
    let routed: Routed;
    try {
      await state.switched();
      const isBusy = this.starts.isBusyUntil(busyUntil);
      routed = await route(submission, this.parts, { signal: stop.signal, isBusy, isShown: true });
      if (routed === undefined) return undefined;
      // A command may have switched the session; a run must not begin between two sessions.
      await state.switched();
    } finally {
      this.preparing.delete(stop);
    }
    if (stop.signal.aborted) {
      onAccepted?.('handled');
      this.waiting.giveSubmissionBack(submission);
      return undefined;
    }
    const along = withoutCopies({ files, images: routed.images, named: routed.files ?? [] });
    const message = userMessage(routed.text, along.images, [...along.files.map(textPart), ...along.named]);
    this.waiting.remember(message, { ...submission, files: [...files, ...returningTexts(along.named)] });
    if (!this.starts.isBusyUntil(busyUntil)) {
      await this.starts.withPrompt(message, onAccepted);
      return message;
    }
    if (delivery === undefined) throw new Error(ALREADY_PROCESSING);
    this.waiting.add(message, delivery);
    onAccepted?.('queued');
    void this.starts.afterwards(message);
    return message;
  }
}
