import { setImmediate } from 'node:timers/promises';
import type { StopReason } from '@agentclientprotocol/sdk';
import type { AssistantMessage } from '../../../agent/messages';
import { isDeclined } from '../../../agent/models/requests/request-failure';
import { deferred, isAborted, unlessAborted } from '../../../base/async/wait';
import type { Conversation } from '../../../session/conversation';
import { parseCommand } from '../../../session/ports/slash-command';
import type { Submission } from '../../../session/prompts/prompt-pipeline';

/** How long the end of what was cancelled is waited for before its prompt is answered, in ms. */
const CANCEL_GRACE_MS = 300;

/** What a client sent: the text of a prompt and what is attached to it. */
export type TurnInput = Pick<Submission, 'text' | 'images' | 'files'>;

/** How all texts of clients are sent. */
const FROM_CLIENT = { source: 'rpc', namesFiles: true } as const;

/** A command that a session has beside those of hooks; it has a turn of its own. Rejects with the reason when it fails. */
export type OwnCommand = () => Promise<void>;

/** A prompt that was not answered; fires when it is cancelled. */
type Turn = AbortController;

/** The last answer of a turn failed. */
export class AnswerFailed extends Error {
  override readonly name = 'AnswerFailed';
}

/**
 * The prompts of one session, one turn after the other. Commands of hooks have no turn: they run at once, so that one
 * that never returns holds up nothing.
 */
export class Turns {
  private readonly open = new Set<Turn>();
  /** The turn that runs; undefined between turns. */
  private current: Turn | undefined;
  /** Settles when the last turn was answered; never rejects. */
  private last: Promise<unknown>;

  constructor(
    private readonly conversation: Conversation,
    /** The command of Hookline itself that a text names; undefined when it names none. */
    private readonly ownCommand: (text: string) => OwnCommand | undefined,
    /** Settles when hooks have heard of the session; must not reject. */
    private readonly begun: Promise<void>,
  ) {
    this.last = begun;
  }

  /**
   * Resolves with the stop reason when all that follows from the prompt is done. An aborted `signal` cancels this prompt
   * alone.
   * @throws {AnswerFailed} with what the provider said; RefusedError, when the prompt cannot be sent
   */
  async prompt(input: TurnInput, signal?: AbortSignal): Promise<StopReason> {
    const turn = new AbortController();
    const isCommand = this.namesHookCommand(input.text);
    const withdraw = (): void => {
      turn.abort();
      const isRunning = isCommand ? this.current === undefined : this.current === turn;
      if (isRunning) void this.stop();
    };
    this.open.add(turn);
    signal?.addEventListener('abort', withdraw, { once: true });
    try {
      if (signal?.aborted === true) return 'cancelled';
      if (!isCommand) return await this.inOrder(turn, input);
      return await unlessAborted(this.runCommand(turn, input), turn.signal, cancelled, CANCEL_GRACE_MS);
    } finally {
      signal?.removeEventListener('abort', withdraw);
      this.open.delete(turn);
    }
  }

  /**
   * Gives a message to the run that goes on. `promptRequired`: there is none, or the text is a command, which cannot join a
   * run; nothing was done then. Rejects as {@link prompt}.
   */
  async steer(input: TurnInput): Promise<'injected' | 'promptRequired'> {
    const { inbox, run } = this.conversation;
    const isCommand = this.namesHookCommand(input.text) || this.ownCommand(input.text) !== undefined;
    if (run.isSettled || isCommand) return 'promptRequired';
    const taken = deferred();
    const sent = inbox.send({
      ...input,
      ...FROM_CLIENT,
      delivery: 'steer',
      onAccepted: () => taken.resolve(),
    });
    await Promise.race([sent, taken.promise]);
    return 'injected';
  }

  /** Cancels everything: open questions, the run, and all prompts that were not answered. Resolves when the run ended. */
  cancel(): Promise<void> {
    for (const turn of this.open) turn.abort();
    return this.stop();
  }

  private stop(): Promise<void> {
    this.conversation.questions.cancelAll();
    return this.conversation.run.stop();
  }

  private namesHookCommand(text: string): boolean {
    const command = parseCommand(text);
    return command !== undefined && this.conversation.ports.hooks.commands.has(command.name);
  }

  /** A run that a command begins belongs to it, unless it joins the turn of a prompt. */
  private async runCommand({ signal }: Turn, input: TurnInput): Promise<StopReason> {
    await this.begun;
    if (signal.aborted) return 'cancelled';
    await this.conversation.inbox.send({ ...input, ...FROM_CLIENT, delivery: 'followUp' });
    await setImmediate(); // What the command sent is on its way to a run.
    if (this.current === undefined) await this.settled();
    return isAborted(signal) ? 'cancelled' : 'end_turn';
  }

  /** Waits until earlier prompts were answered; a prompt that was cancelled by then never begins. */
  private async inOrder(turn: Turn, input: TurnInput): Promise<StopReason> {
    const answered = deferred();
    const before = this.last;
    this.last = before.then(() => answered.promise);
    try {
      await unlessAborted(
        before.then(() => this.settled()),
        turn.signal,
        cancelled,
      );
      if (turn.signal.aborted) return 'cancelled';
      this.current = turn;
      return await unlessAborted(this.run(turn, input), turn.signal, cancelled, CANCEL_GRACE_MS);
    } finally {
      if (this.current === turn) this.current = undefined;
      answered.resolve();
    }
  }

  private async run({ signal }: Turn, input: TurnInput): Promise<StopReason> {
    const { conversation } = this;
    let answer: AssistantMessage | undefined;
    const listening = conversation.onDidHappen(event => {
      if (event.type === 'message_end' && event.message.role === 'assistant') answer = event.message;
    });
    try {
      const own = this.ownCommand(input.text);
      // A run of a hook may have begun meanwhile: the prompt follows it.
      await (own?.() ?? conversation.inbox.send({ ...input, ...FROM_CLIENT, delivery: 'followUp' }));
      await this.settled();
    } catch (error) {
      if (signal.aborted) return 'cancelled';
      throw error;
    } finally {
      listening.dispose();
    }
    return signal.aborted ? 'cancelled' : stopReasonOf(answer);
  }

  /** Resolves when no run is going on, and nothing follows the last one. */
  private async settled(): Promise<void> {
    const { run } = this.conversation;
    while (!run.isSettled) await run.waitForSettled();
  }
}

function cancelled(): StopReason {
  return 'cancelled';
}

/** @throws {AnswerFailed} when the answer is an error */
function stopReasonOf(answer: AssistantMessage | undefined): StopReason {
  if (answer === undefined) return 'end_turn'; // A hook handled the prompt.
  if (isDeclined(answer)) return 'refusal';
  const { stopReason, errorMessage = 'The provider gave no reason.' } = answer;
  if (stopReason === 'error') throw new AnswerFailed(errorMessage);
  if (stopReason === 'aborted') return 'cancelled';
  return stopReason === 'length' ? 'max_tokens' : 'end_turn';
}
