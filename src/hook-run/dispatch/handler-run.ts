import { performance } from 'node:perf_hooks';
import { defined } from '../../base/defined';
import type { Deadline } from './clock';
import type { HookConversation } from '../../hook-contract/conversation-port';
import type { LoadedHook } from '../../hook-contract/loaded-hook';
import type { Wait } from '../../hook-contract/record';
import type { DialogAnswer, Asker, DialogOrigin } from '../../hook-contract/ui/ui';
import { recordedAnswer } from './secret-question';
import type { ApprovedInput } from '../../gate/calls/approved-input';
import type { ApprovalReason } from '../../hook-contract/approvals/approval-reason';

/** Number of questions that are recorded per call. A call with more questions cannot be replayed completely. */
const MOST_ANSWERS = 50;

/**
 * What hangs on a call of hook code. `deciding`: its result blocks or changes something, or is sent to the model.
 * `listening`: its result changes nothing. `command`: the user started it.
 */
export type RunRole = Exclude<Asker['type'], 'gate'>;

/** What a call of hook code is about; its dialogs and records carry all of this. */
export interface RunSubject {
  /** Canonical event, `command:<name>`, `shortcut:<key>` or `tool:<name>`. */
  readonly event: string;
  readonly role: RunRole;
  readonly conversation: HookConversation | undefined;
  readonly toolCallId?: string | undefined;
  readonly toolName?: string | undefined;
  /** See `DialogOrigin.input`. */
  readonly input?: Readonly<Record<string, unknown>> | undefined;
  /** Records whether the user approves the call. */
  readonly approved?: ApprovedInput | undefined;
  /** When it fires, dialogs of the run close as cancelled. */
  readonly signal?: AbortSignal | undefined;
}

/** A dialog, as far as a run records it. */
export interface OpenedDialog extends Pick<DialogAnswer, 'kind' | 'title'> {
  /** What the dialog says beside its title, if the answer is a text of the user. */
  readonly hint?: string | undefined;
  /** All that the dialog shows, if the answer can approve a call. */
  readonly texts?: readonly string[];
}

/** One call of one function of a hook, from its start until it settles or is abandoned. */
export class HandlerRun {
  /** ms spent waiting for the user */
  askedMs = 0;
  /** See `DispatchRecord.waits`. */
  waits: Wait[] | undefined;
  /** See `DispatchRecord.askedInVain`. */
  askedInVain = false;
  /** See `DispatchRecord.dialogs`. */
  dialogs: DialogAnswer[] | undefined;
  /** Why the built-in gate decided as it did. */
  approvalReason: ApprovalReason | undefined;
  private deadline: Deadline | undefined;
  private asking = 0;
  private askedSince = 0;
  private actedAt = performance.now();
  private hasSettled = false;

  constructor(
    readonly hook: LoadedHook,
    readonly subject: RunSubject,
  ) {}

  /** A run of the same subject in a hook that was loaded again; the user did not do anything meanwhile. */
  goOnIn(hook: LoadedHook): HandlerRun {
    const run = new HandlerRun(hook, this.subject);
    run.actedAt = this.actedAt;
    return run;
  }

  get origin(): DialogOrigin {
    const { event, toolCallId, toolName, input } = this.subject;
    return { hookPath: this.hook.path, event, ...defined({ toolCallId, toolName, input }) };
  }

  /** Who asks with a dialog of this run. */
  get asker(): Asker {
    const { role } = this.subject;
    return role === 'command' ? { type: role, actedAt: this.actedAt } : { type: role };
  }

  /** The user has answered a dialog of this run. */
  noteAnswer(): void {
    this.actedAt = performance.now();
  }

  /** The handler has settled: from now on its dialogs decide nothing. */
  settle(): void {
    this.hasSettled = true;
  }

  /** Puts the run under a deadline instead of the one before; it stands still if the user is being asked already. */
  limitBy(deadline: Deadline | undefined): void {
    if (this.deadline !== undefined) this.deadline.end();
    this.deadline = deadline;
    if (deadline === undefined) return;
    for (let open = 0; open < this.asking; open++) deadline.pause();
  }

  /**
   * Waits for the user; meanwhile the handler's clock stands still. Several questions may be open at once.
   */
  async asks<V>(question: () => Promise<V>, { kind, title, hint, texts }: OpenedDialog): Promise<V> {
    const { approved, input } = this.subject;
    const approve = texts === undefined || input === undefined ? undefined : approved?.dialog(input, texts);
    if (this.subject.conversation?.hasUI === false) this.askedInVain = true;
    if (this.asking++ === 0) this.askedSince = performance.now();
    this.deadline?.pause();
    try {
      const answer = await question();
      if (!this.hasSettled) approve?.(isYes(answer));
      this.dialogs ??= [];
      if (this.dialogs.length < MOST_ANSWERS) {
        this.dialogs.push({ kind, title, answer: recordedAnswer({ kind, title }, hint, answer) });
      }
      return answer;
    } finally {
      if (--this.asking === 0) this.noteWait();
      this.deadline?.resume();
    }
  }

  private noteWait(): void {
    const ms = performance.now() - this.askedSince;
    this.askedMs += ms;
    this.waits ??= [];
    if (this.waits.length < MOST_ANSWERS) this.waits.push({ at: performance.timeOrigin + this.askedSince, ms });
  }
}

/** Only the hook knows whether a choice of a `select` is an approval: it is one when the hook lets the call pass. */
function isYes(answer: unknown): boolean {
  return answer === true || typeof answer === 'string';
}
