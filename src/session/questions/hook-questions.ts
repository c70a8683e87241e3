import * as l10n from '@vscode/l10n';
import { toolFacts } from '../../agent/tools';
import { defined } from '../../base/defined';
import type { Disposable } from '../../base/disposable';
import { Emitter } from '../../base/event';
import { anySignal } from '../../base/wait';
import type { Answer, DialogKind, DialogOrigin, HookQuestion } from '../../hook-contract/ui/ui';
import type { HookConversation } from '../../hook-contract/conversation-port';
import { recordedAnswer } from '../../hook-run/dispatch/secret-question';
import type { GateItem, HookRef } from '../../protocol/chat-item';
import type { ChatModel } from '../../chat/model/chat-model';
import { answerText } from '../../chat/cards/present-verdict';
import type { Presenter } from '../../chat/cards/presenter';
import { hookRef } from '../../transcript/hook-ref';
import type { Neighbours } from '../ports/ports';
import type { DialogQueue, Question, QuestionCard } from '../ports/dialogs';

export interface HookQuestionsParts {
  readonly chat: ChatModel;
  readonly presenter: Presenter;
  readonly dialogs: DialogQueue;
  /** The conversation as hooks see it. */
  readonly conversation: HookConversation;
  /** Absent where there is but one conversation. */
  readonly neighbours: Neighbours | undefined;
}

/**
 * The questions of hooks in one conversation: each is a card in the chat and, through the queue, on every view of the
 * window at the same time.
 */
export class HookQuestions implements Disposable {
  /** Ids of questions that are shown or wait. */
  private readonly open = new Set<string>();
  /** What the user tells the model about calls they denied: tool call id -> message. */
  private readonly denials = new Map<string, string>();
  private readonly changeEmitter = new Emitter<void>();
  /** A question came, or is over. */
  readonly onDidChange = this.changeEmitter.event;

  constructor(private readonly parts: HookQuestionsParts) {}

  /** Questions that are shown or wait. */
  get openCount(): number {
    return this.open.size;
  }

  /** Closes all questions as canceled. */
  cancelAll(): void {
    for (const id of this.open) this.parts.dialogs.cancel(id);
  }

  async ask(asked: HookQuestion): Promise<Answer> {
    const { presenter, dialogs } = this.parts;
    const { toolCallId, input } = asked.origin;
    if (toolCallId !== undefined && input !== undefined) presenter.cards.showInput(toolCallId, input);
    const card = this.card(asked);
    const signal = anySignal(asked.signal, this.parts.conversation.signal);
    this.open.add(card.id);
    this.draw(card, { type: 'queued' });
    this.changeEmitter.fire();
    try {
      const answer = await dialogs.ask(this.question(card, asked), {
        signal,
        onShown: () => {
          this.draw(card, { type: 'open' });
          if (toolCallId !== undefined) presenter.cards.setState(toolCallId, { type: 'asking', hook: card.hook });
        },
        onOver: given => {
          const denial = denialIn(given);
          if (denial !== undefined && toolCallId !== undefined) this.denials.set(toolCallId, denial);
          if (asked.instead === 'dry-run') this.parts.chat.apply({ type: 'remove', id: card.id });
          else this.draw(card, stateAfter(card, given));
        },
      });
      if (toolCallId !== undefined) presenter.cards.stopsAsking(toolCallId);
      return answer;
    } finally {
      this.open.delete(card.id);
      this.changeEmitter.fire();
    }
  }

  /** What the user told the model with the denial of this call; once. */
  takeDenial(toolCallId: string): string | undefined {
    const message = this.denials.get(toolCallId);
    this.denials.delete(toolCallId);
    return message;
  }

  dispose(): void {
    this.changeEmitter.dispose();
  }

  private card({ title, message, dialog, origin, instead, asksWhy }: HookQuestion): QuestionCard {
    const { chat, conversation, presenter } = this.parts;
    return {
      id: `gate:${conversation.id}:${chat.nextId('gate')}`,
      hook: askerOf(origin, instead),
      toolItem: origin.toolCallId === undefined ? undefined : presenter.cards.itemIdOf(origin.toolCallId),
      title,
      message,
      dialog,
      ...(asksWhy !== true && canDeny(dialog, origin) ? { canDeny: true as const } : {}),
    };
  }

  private question(card: QuestionCard, { asker, origin, timeout }: HookQuestion): Question {
    const { toolCallId } = origin;
    const tool = toolCallId === undefined ? undefined : this.parts.presenter.cards.shown(toolCallId);
    const about = tool === undefined ? aboutOf(origin) : [tool.name, tool.summary].filter(Boolean).join(': ');
    const conversation = this.parts.neighbours?.nameOf();
    return {
      ...card,
      asker,
      conversationId: this.parts.conversation.id,
      ...defined({ conversation, about, timeout }),
    };
  }

  private draw(card: QuestionCard, state: GateItem['state']): void {
    this.parts.chat.apply({ type: 'item', item: { kind: 'gate', ...card, state } });
  }
}

/** Who asks, as the user reads it: a hook that does not run asks nothing, and one that is tried asks about nothing real. */
function askerOf({ hookPath }: HookQuestion['origin'], instead: HookQuestion['instead']): HookRef {
  const hook = hookRef(hookPath);
  switch (instead) {
    case 'missing-guard':
      return { ...hook, name: 'Hookline' };
    case 'dry-run':
      return { ...hook, name: l10n.t('Test of {0}', hook.name) };
    case undefined:
      return hook;
  }
}

function canDeny({ type }: DialogKind, { toolCallId, event }: DialogOrigin): boolean {
  return toolCallId !== undefined && event !== 'tool_result' && (type === 'select' || type === 'confirm');
}

function aboutOf({ toolName, input }: DialogOrigin): string | undefined {
  return toolName === undefined || input === undefined
    ? toolName
    : `${toolName}: ${toolFacts(toolName).summarize(input)}`;
}

/** What a card says once its question is over; of a secret only that there was one. */
function stateAfter({ title, dialog }: QuestionCard, answer: Answer): GateItem['state'] {
  const denial = denialIn(answer);
  if (denial !== undefined) return { type: 'answered', answer: l10n.t('Denied: {0}', denial) };
  const given = typeof answer === 'object' && dialog.type === 'confirm' ? false : answer;
  const hint = dialog.type === 'input' ? dialog.placeholder : undefined;
  const text = answerText(recordedAnswer({ kind: dialog.type, title }, hint, given));
  return text === undefined ? { type: 'cancelled' } : { type: 'answered', answer: text };
}

/** What the user says with a denial; undefined for a blank text, and for other answers. */
function denialIn(answer: Answer): string | undefined {
  const message = typeof answer === 'object' ? answer.denied.trim() : '';
  return message === '' ? undefined : message;
}
