import * as l10n from '@vscode/l10n';
import type { Answer } from '../../hook-contract/ui/ui';
import { recordedAnswer } from '../../hook-run/dispatch/secret-question';
import type { GateItem } from '../../protocol/chat-item';
import type { Question } from '../../session/ports/dialogs';
import type { QuestionChange } from '../../session/ports/session-events';
import { denialIn } from '../../session/questions/hook-questions';
import { answerText } from '../cards/present-verdict';
import type { ToolCards } from '../cards/tool-cards';
import type { ChatModel } from '../model/chat-model';

type Card = Omit<GateItem, 'state'>;

/** The cards of questions in the chat. */
export class GateCards {
  /** By the id of the question, until its hook goes on. */
  private readonly shown = new Map<string, Card>();

  constructor(
    private readonly chat: ChatModel,
    private readonly cards: ToolCards,
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
        this.draw(card, { type: 'open' });
        if (toolCallId !== undefined) this.cards.setState(toolCallId, { type: 'asking', hook: question.hook });
        return;
      case 'over':
        if (question.isTrial === true) this.chat.apply({ type: 'remove', id });
        else this.draw(card, stateAfter(question, change.answer));
        return;
      case 'settled':
        this.shown.delete(id);
        if (toolCallId !== undefined) this.cards.stopsAsking(toolCallId);
    }
  }

  private cardOf({ id, hook, title, message, dialog, canDeny, toolCallId }: Question): Card {
    const toolItem = toolCallId === undefined ? undefined : this.cards.itemIdOf(toolCallId);
    return { kind: 'gate', id, hook, toolItem, title, message, dialog, ...(canDeny === true ? { canDeny } : {}) };
  }

  private draw(card: Card, state: GateItem['state']): void {
    this.chat.apply({ type: 'item', item: { ...card, state } });
  }
}

/** What a card says once its question is over; of a secret only that there was one. */
function stateAfter({ title, dialog }: Question, answer: Answer): GateItem['state'] {
  const denial = denialIn(answer);
  if (denial !== undefined) return { type: 'answered', answer: l10n.t('Denied: {0}', denial) };
  const given = typeof answer === 'object' && dialog.type === 'confirm' ? false : answer;
  const hint = dialog.type === 'input' ? dialog.placeholder : undefined;
  const text = answerText(recordedAnswer({ kind: dialog.type, title }, hint, given));
  return text === undefined ? { type: 'cancelled' } : { type: 'answered', answer: text };
}
