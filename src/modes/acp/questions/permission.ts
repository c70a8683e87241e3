import type { PermissionOptionKind, ToolCallUpdate } from '@agentclientprotocol/sdk';
import { Type } from '@sinclair/typebox';
import * as l10n from '@vscode/l10n';
import { visibleText } from '../../../base/text/visible-text';
import type { Answer, DialogKind, OptionMeaning } from '../../../hook-contract/ui/ui';
import { isPlainRefusal } from '../../../protocol/items/safe-answer';
import type { SessionClient } from '../client';

/** An option of a permission, and the answer that it stands for. */
export interface PermissionChoice {
  readonly name: string;
  readonly kind: PermissionOptionKind;
  readonly answer: Answer;
}

const KINDS: Readonly<Record<Exclude<OptionMeaning, 'goesOn'>, PermissionOptionKind>> = {
  allowOnce: 'allow_once',
  allowInSession: 'allow_always',
  allowAlways: 'allow_always',
  refuse: 'reject_once',
};

/**
 * The options of a question as those of a permission; the last one refuses or cancels. An option that leads to a further
 * question is left out: a permission has no place for the text that such a question asks for.
 */
export function choicesOf(dialog: Extract<DialogKind, { type: 'select' | 'confirm' }>): readonly PermissionChoice[] {
  if (dialog.type === 'confirm') {
    return [
      { name: l10n.t('Yes'), kind: 'allow_once', answer: true },
      { name: l10n.t('No'), kind: 'reject_once', answer: false },
    ];
  }
  const { options, meanings, cancels } = dialog;
  const choices = options.flatMap((answer, index): readonly PermissionChoice[] => {
    const meaning = meanings?.[index];
    if (meaning === 'goesOn') return [];
    const ofWords = isPlainRefusal(answer) ? 'reject_once' : 'allow_once';
    return [{ name: visibleText(answer), kind: meaning === undefined ? ofWords : KINDS[meaning], answer }];
  });
  if (cancels !== undefined) return choices;
  return [...choices, { name: l10n.t('Cancel'), kind: 'reject_once', answer: undefined }];
}

const PermissionAnswer = Type.Object({
  outcome: Type.Union([
    Type.Object({ outcome: Type.Literal('selected'), optionId: Type.String() }),
    Type.Object({ outcome: Type.Literal('cancelled') }),
  ]),
});

/**
 * Asks for a permission. Resolves with the chosen option, or undefined when the client closed the question.
 * @throws an error when the answer names none of the options, and as `AcpClient.request`
 */
export async function requestPermission(
  client: SessionClient,
  toolCall: ToolCallUpdate,
  choices: readonly PermissionChoice[],
  signal: AbortSignal,
): Promise<PermissionChoice | undefined> {
  const { sessionId } = client;
  const options = choices.map(({ name, kind }, index) => ({ optionId: String(index), name, kind }));
  const params = { sessionId, toolCall, options };
  const { outcome } = await client.request('session/request_permission', params, PermissionAnswer, signal);
  if (outcome.outcome === 'cancelled') return undefined;
  const chosen = choices.find((_, index) => String(index) === outcome.optionId);
  if (chosen === undefined) throw new Error(`the question has no option "${outcome.optionId}"`);
  return chosen;
}
