import { type DialogAnswer, noUi, type Answer, type DialogOrigin, type HookUIContext } from '../../hook-contract/ui/ui';
import type { LogEntry } from '../recording/log-entry';

type Recorded = NonNullable<LogEntry['dialogs']>[number];

interface Left extends Recorded {
  readonly hook: string;
  taken: boolean;
}

/**
 * Answers the questions of hooks as the user did when the run was recorded. A question that is not in the recording is
 * answered as if it had been cancelled, and listed in {@link unanswered}.
 */
export class RecordedAnswers {
  private left: Left[] = [];
  /** The questions since {@link useAnswers} that have no recorded answer, with the hook that asked. */
  readonly unanswered: { readonly hookPath: string; readonly question: string }[] = [];

  readonly ui: HookUIContext = {
    ...noUi,
    ask: ({ dialog, title, origin }) => Promise.resolve(answerIn(this.answer(dialog.type, title, origin))),
    custom: (mount, origin) => ({
      ...noUi.custom(mount, origin),
      closed: Promise.resolve(this.answer('custom', '', origin)),
    }),
  };

  /** Uses these answers from now on. `hook` is the present path of the file that asked. */
  useAnswers(dialogs: readonly { readonly hook: string; readonly dialog: Recorded }[]): void {
    this.left = dialogs.map(({ hook, dialog }) => ({ ...dialog, hook, taken: false }));
    this.unanswered.length = 0;
  }

  private answer(kind: DialogAnswer['kind'], title: string, { hookPath }: DialogOrigin): unknown {
    const open = this.left.filter(each => !each.taken && each.hook === hookPath && each.kind === kind);
    const found = open.find(each => each.title === title);
    if (found === undefined) {
      this.unanswered.push({ hookPath, question: title === '' ? kind : `${kind} "${title}"` });
      return undefined;
    }
    found.taken = true;
    return found.answer;
  }
}

function answerIn(recorded: unknown): Answer {
  return typeof recorded === 'string' || typeof recorded === 'boolean' ? recorded : undefined;
}
