import type { StringPropertySchema } from '@agentclientprotocol/sdk';
import { Type } from '@sinclair/typebox';
import { defined } from '../../../base/defined';
import type { SessionClient } from '../client';

/** Whether the client shows forms. */
export function offersForms({ capabilities }: Pick<SessionClient, 'capabilities'>): boolean {
  return capabilities.elicitation?.form != null;
}

const FormAnswer = Type.Union([
  Type.Object({ action: Type.Literal('accept'), content: Type.Object({ answer: Type.String() }) }),
  Type.Object({ action: Type.Union([Type.Literal('decline'), Type.Literal('cancel')]) }),
]);

/** A form with one field. */
export interface OneFieldForm {
  /** All that the user reads besides the field. */
  readonly message: string;
  readonly field: StringPropertySchema;
  readonly toolCallId?: string | undefined;
}

/**
 * Asks with a form; only for a client that shows forms, and never for a secret. Resolves with what the user entered or chose,
 * undefined when they declined.
 * @throws an error when the answer is none of the field's choices, and as `AcpClient.request`
 */
export async function requestForm(
  client: SessionClient,
  { message, field, toolCallId }: OneFieldForm,
  signal: AbortSignal,
): Promise<string | undefined> {
  const params = {
    sessionId: client.sessionId,
    ...defined({ toolCallId }),
    mode: 'form',
    message,
    requestedSchema: {
      type: 'object',
      properties: { answer: { type: 'string', ...field } },
      required: ['answer'],
    },
  };
  const given = await client.request('elicitation/create', params, FormAnswer, signal);
  if (given.action !== 'accept') return undefined;
  const { answer } = given.content;
  if (field.enum != null && !field.enum.includes(answer)) throw new Error(`the question has no option "${answer}"`);
  return answer;
}
