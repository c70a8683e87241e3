import * as l10n from '@vscode/l10n';
import { defined } from '../../base/defined';
import { shownPath } from '../../base/files/shown-path';
import type { Answer, QuestionSubject } from '../../hook-contract/ui/ui';
import { recordedAnswer } from '../../hook-run/dispatch/secret-question';
import type { GateItem, GateSubject, ToolState } from '../../protocol/items/chat-item';
import { argumentsOf } from '../../session/approvals/call-in-words';
import { changeForEditor } from '../../session/approvals/edited-call';
import { askedWrite } from '../../session/ports/asked-write';
import type { Question } from '../../session/ports/dialogs';
import type { QuestionChange } from '../../session/ports/session-events';
import { denialIn } from '../../session/questions/hook-questions';
import { answerText } from '../cards/present-verdict';
import type { ShownCall, ToolCards } from '../cards/tool-cards';
import type { ChatModel } from '../model/chat-model';

type Card = Omit<GateItem, 'state'>;

/** The cards of questions in the chat. */
export class GateCards {
  /** By the id of the question, until its hook goes on. */
  private readonly shown = new Map<string, Card>();

  constructor(
    private readonly chat: ChatModel,
    private readonly cards: ToolCards,
    /** The folder of the conversation. */
    private readonly cwd: string,
  ) {}

  follow(question: Question, change: QuestionChange): void {
    const { id, toolCallId } = question;
    const card = this.shown.get(id) ?? this.cardOf(question);
    this.shown.set(id, card);
    switch (change.type) {
      case 'waiting':
        this.draw(card, { type: 'queued' });
        return;
      case 'open':
        void this.offerDiff(question, card);
        if (toolCallId !== undefined) this.cards.setState(toolCallId, askingState(card));
        return;
      case 'over':
        if (question.isTrial === true) this.chat.apply({ type: 'remove', id });
        else this.draw(withoutPlan(card), stateAfter(question, change.answer));
        return;
      case 'settled':
        this.shown.delete(id);
        if (toolCallId !== undefined) this.cards.stopsAsking(toolCallId);
    }
  }

  /** Draws the card at once, and again when it is known whether the files can be compared. Never rejects. */
  private async offerDiff(question: Question, card: Card): Promise<void> {
    const write = askedWrite(question);
    this.draw(write === undefined ? card : { ...card, opensDiff: false }, { type: 'open' });
    if (write === undefined) return;
    const change = await changeForEditor(write);
    const drawn = this.chat.get(card.id);
    if (drawn?.kind !== 'gate' || drawn.state.type !== 'open') return;
    this.draw(change?.type === 'change' ? { ...card, opensDiff: true } : card, { type: 'open' });
  }

  private cardOf({ id, hook, title, message, dialog, canDeny, toolCallId, subject }: Question): Card {
    const call = toolCallId === undefined ? undefined : this.cards.shownCall(toolCallId);
    const isNested = call?.isNested === true || (subject?.type === 'call' && subject.isOfSubagent);
    return {
      kind: 'gate',
      id,
      hook,
      title,
      // A plan would be there twice.
      message: subject?.type === 'plan' ? '' : message,
      dialog,
      ...defined({
        toolItem: toolCallId === undefined ? undefined : this.cards.itemIdOf(toolCallId),
        isNested: isNested ? (true as const) : undefined,
        about: call && aboutCall(call, subject === undefined && canDeny === true),
        subject: subject && subjectOf(subject, this.cwd),
        canDeny,
      }),
    };
  }

  private draw(card: Card, state: GateItem['state']): void {
    this.chat.apply({ type: 'item', item: { ...card, state } });
  }
}

/** `mayRun`: a hook asks before the call runs. */
function aboutCall({ name: tool, summary, summaryKind }: ShownCall, mayRun: boolean): GateItem['about'] {
  return { tool, summary, ...(mayRun && summaryKind === 'command' ? { isCommand: true } : {}) };
}

/** The state of the call while the question of a card is open. */
function askingState({ hook, isNested, subject, about }: Card): ToolState {
  const isShown = isNested !== true && (subject?.type === 'call' || about?.isCommand === true);
  return { type: 'asking', hook, ...(isShown ? { isShown } : {}) };
}

/** What is kept of a question that is over: the card of the call has the plan. */
function withoutPlan({ subject, ...card }: Card): Card {
  return subject === undefined || subject.type === 'plan' ? card : { ...card, subject };
}

function subjectOf(about: QuestionSubject, folder: string): GateSubject {
  if (about.type === 'plan') return about;
  const { call, diff, remarks } = about;
  const { toolName: tool, kind, command, cwd, file, input } = call;
  const written = kind === 'writes' ? file : undefined;
  return {
    type: 'call',
    tool,
    ...defined({
      command: command?.line,
      cwd: cwd === folder ? undefined : shownPath(cwd, folder),
      path: written && shownPath(written.real, folder),
      diff,
      args: command === undefined && written === undefined ? argumentsOf(input) : undefined,
    }),
    remarks,
  };
}

/** What a card says once its question is over; of a secret only that there was one. */
function stateAfter({ title, dialog, subject }: Question, answer: Answer): GateItem['state'] {
  const denial = denialIn(answer);
  if (denial !== undefined) {
    // The card of the call says the message, too. A call of an agent that a hook started has no card.
    const isElsewhere = subject?.type === 'call' && subject.isOfSubagent;
    return { type: 'answered', answer: isElsewhere ? l10n.t('Denied: {0}', denial) : l10n.t('Denied') };
  }
  if (typeof answer === 'object' && 'edited' in answer) {
    return { type: 'answered', answer: l10n.t('Allowed once, changed by you') };
  }
  const given = typeof answer === 'object' && dialog.type === 'confirm' ? false : answer;
  const hint = dialog.type === 'input' ? dialog.placeholder : undefined;
  const text = answerText(recordedAnswer({ kind: dialog.type, title }, hint, given));
  return text === undefined ? { type: 'cancelled' } : { type: 'answered', answer: text };
}
