import type { ToolCall, ToolCallContent, ToolCallUpdate } from '@agentclientprotocol/sdk';
import * as l10n from '@vscode/l10n';
import { toDisposable, type Disposable } from '../../../base/disposable';
import { messageOf } from '../../../base/errors';
import { clipped } from '../../../base/text/clipped';
import { singleLine } from '../../../base/text/single-line';
import { visibleText } from '../../../base/text/visible-text';
import type { Answer, DialogKind } from '../../../hook-contract/ui/ui';
import { asksForSecret } from '../../../hook-run/dispatch/secret-question';
import { safeAnswer } from '../../../protocol/items/safe-answer';
import type { Question, QuestionView } from '../../../session/ports/dialogs';
import type { SessionClient } from '../client';
import { textContent } from '../updates/call-content';
import type { Say } from '../updates/notices';
import type { CallInQuestion } from '../updates/tool-calls';
import { offersForms, requestForm } from './elicitation';
import { choicesOf, requestPermission } from './permission';

export interface AcpQuestionsParts {
  readonly client: SessionClient;
  /**
   * A tool call as the client knows it, with what it is about to do as its content. `asked`: the call as it is now; absent
   * when the question does not say.
   */
  readonly callFor: (toolCallId: string, asked?: CallInQuestion) => Promise<ToolCallUpdate>;
  /** Shows a call again as it was before a question was shown on it. */
  readonly restoreCall: (toolCallId: string) => void;
  readonly say: Say;
}

/** How much of a question the title of its call holds, in characters. */
const MOST_OF_TITLE = 160;

/**
 * Asks the questions of one session in its client. A choice is a permission on the tool call that it is about: each client
 * shows permissions as buttons, also when it shows no forms. A choice of a hook between more than yes and no, and all that is
 * typed, is a form where the client shows forms.
 *
 * Only an option of the question that the client names is an answer. Whatever else comes, an error or the end of the
 * connection included, refuses, and the user is told.
 */
export class AcpQuestions implements QuestionView {
  constructor(private readonly parts: AcpQuestionsParts) {}

  show(question: Question, answer: (value: Answer) => void): Disposable {
    const withdrawal = new AbortController();
    const { signal } = withdrawal;
    void this.answerTo(question, signal).then(value => {
      if (!signal.aborted) answer(value);
    });
    return toDisposable(() => withdrawal.abort());
  }

  /** Never rejects. */
  private async answerTo(question: Question, signal: AbortSignal): Promise<Answer> {
    const { say } = this.parts;
    try {
      return await this.ask(question, signal);
    } catch (error) {
      const why = messageOf(error);
      if (signal.aborted) return undefined;
      say('warning', l10n.t('“{0}” was not answered: {1}', visibleText(question.title), why), question.hook.path);
      return refusal(question, why);
    }
  }

  private async ask(question: Question, signal: AbortSignal): Promise<Answer> {
    const { dialog } = question;
    switch (dialog.type) {
      case 'confirm':
        return this.permission(question, dialog, signal);
      case 'select':
        return dialog.meanings === undefined && offersForms(this.parts.client)
          ? this.choiceInForm(question, dialog, signal)
          : this.permission(question, dialog, signal);
      case 'input':
        return this.textInForm(question, { hint: dialog.placeholder, prefill: '' }, signal);
      case 'editor':
        return this.textInForm(question, { hint: '', prefill: dialog.prefill }, signal);
    }
  }

  private async permission(
    question: Question,
    dialog: Extract<DialogKind, { type: 'select' | 'confirm' }>,
    signal: AbortSignal,
  ): Promise<Answer> {
    const { client } = this.parts;
    const { call, restore } = await this.callOf(question, signal);
    try {
      const chosen = await requestPermission(client, call, choicesOf(dialog), signal);
      return chosen === undefined ? refusal(question, 'the client closed it') : chosen.answer;
    } finally {
      restore();
    }
  }

  /** The call that a permission is shown on, and what shows it afterwards as it was. */
  private async callOf(question: Question, signal: AbortSignal): Promise<AskedOn> {
    const { callFor, restoreCall } = this.parts;
    const { toolCallId, subject } = question;
    if (toolCallId === undefined || isOfSubagent(question)) return this.ownCall(question);
    const given = await callFor(toolCallId, subject?.type === 'call' ? subject.call : undefined);
    signal.throwIfAborted();
    const call: ToolCallUpdate = {
      ...given,
      ...(subject?.type === 'plan' ? { kind: 'switch_mode' } : {}),
      title: titleFor(question, given.title ?? undefined),
      content:
        subject?.type === 'plan' ? [textContent(subject.plan)] : [...(given.content ?? []), ...contentFor(question)],
    };
    return { call, restore: () => restoreCall(toolCallId) };
  }

  /**
   * A call for the question alone, since a permission needs one: for a question that is about no call, and for a call of an
   * agent that a hook started. The question names only the call whose tool started that agent.
   */
  private async ownCall(question: Question): Promise<AskedOn> {
    const { client, callFor } = this.parts;
    const { id: toolCallId, subject, toolCallId: parentToolCallId = '' } = question;
    const given = subject?.type === 'call' ? await callFor(toolCallId, subject.call) : undefined;
    const call: ToolCall = {
      ...given,
      toolCallId,
      kind: given?.kind ?? 'other',
      status: 'pending',
      title: titleFor(question, given?.title ?? undefined),
      content: [...(given?.content ?? []), ...contentFor(question)],
      locations: given?.locations ?? [],
      ...(parentToolCallId === '' ? {} : { _meta: { parentToolCallId } }),
    };
    client.update({ sessionUpdate: 'tool_call', ...call });
    const restore = (): void => {
      client.update({ sessionUpdate: 'tool_call_update', toolCallId, status: 'completed' });
    };
    return { call, restore };
  }

  private async choiceInForm(
    question: Question,
    dialog: Extract<DialogKind, { type: 'select' }>,
    signal: AbortSignal,
  ): Promise<Answer> {
    const shown = dialog.options.map(visibleText);
    const safe = safeAnswer(dialog);
    const field = {
      title: visibleText(question.title),
      enum: shown,
      ...(typeof safe === 'string' ? { default: visibleText(safe) } : {}),
    };
    const form = { message: textOf(question), field, toolCallId: question.toolCallId };
    const chosen = await requestForm(this.parts.client, form, signal);
    return dialog.options.find((_, index) => shown[index] === chosen);
  }

  private async textInForm(
    question: Question,
    { hint, prefill }: { readonly hint: string; readonly prefill: string },
    signal: AbortSignal,
  ): Promise<Answer> {
    const { client, say } = this.parts;
    const title = visibleText(question.title);
    if (asksForSecret(question.title, hint)) {
      say('warning', l10n.t('“{0}” was not asked: forms of editors are not for secrets.', title), question.hook.path);
      return undefined;
    }
    if (!offersForms(client)) {
      say('warning', l10n.t('“{0}” was not asked: this editor shows no forms.', title), question.hook.path);
      return undefined;
    }
    const field = {
      title,
      ...(hint === '' ? {} : { description: visibleText(hint) }),
      ...(prefill === '' ? {} : { default: prefill }),
    };
    return requestForm(client, { message: textOf(question), field, toolCallId: question.toolCallId }, signal);
  }
}

/** The call of a permission; `restore` is called when the question is over. */
interface AskedOn {
  readonly call: ToolCallUpdate;
  readonly restore: () => void;
}

function isOfSubagent({ subject }: Question): boolean {
  return subject?.type === 'call' && subject.isOfSubagent;
}

/** The answer that allows nothing. The built-in gate tells the model why nobody answered. */
function refusal({ dialog, subject }: Question, why: string): Answer {
  if (subject?.type === 'call') return { unanswered: why };
  return dialog.type === 'confirm' ? false : undefined;
}

/**
 * The title of the call in the question. Many clients show only the title beside the options, so that of a hook's question
 * says what is asked, and about which call.
 */
function titleFor(question: Question, ofCall?: string): string {
  const { subject, hook, title, message } = question;
  if (subject?.type === 'call' && ofCall !== undefined) {
    return isOfSubagent(question) ? l10n.t('Agent of a hook: {0}', ofCall) : ofCall;
  }
  if (subject?.type === 'plan') return title;
  const asked = singleLine(visibleText([title, message].filter(part => part !== '').join(' · ')));
  const asks = l10n.t('{0} asks: {1}', hook.name, clipped(asked, MOST_OF_TITLE));
  return ofCall === undefined ? asks : `${asks} · ${ofCall}`;
}

/** What is shown besides the call itself. */
function contentFor(question: Question): ToolCallContent[] {
  const { subject } = question;
  if (subject?.type !== 'call') return [textContent(textOf(question))];
  return subject.remarks.length === 0 ? [] : [textContent(visibleText(subject.remarks.join('\n\n')))];
}

/** The whole question, and who asks it. */
function textOf({ hook, title, message }: Question): string {
  const lines = [l10n.t('{0} asks: {1}', hook.name, title), message];
  return visibleText(lines.filter(line => line !== '').join('\n\n'));
}
