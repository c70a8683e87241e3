import type {
  Api,
  AssistantMessage,
  AssistantMessageEventStream,
  Context,
  Model,
  SimpleStreamOptions,
} from '@mariozechner/pi-ai';
import * as vscode from 'vscode';
import { estimateTokens } from '../../agent/compaction/tokens';
import { emptyMessage } from '../../agent/models/requests/empty-message';
import type { PiAi } from '../../agent/models/pi-ai';
import { noteFailure, requestFailure } from '../../agent/models/requests/request-failure';
import { ReplyWriter } from '../../agent/models/requests/reply-writer';
import { messageOf } from '../../base/errors';
import { toEditorMessages, toEditorTools } from './editor-request';
import { tokenOf } from './signal-token';

/** Finds VS Code's model for a model of the registry; undefined when VS Code no longer offers it. */
export type EditorModelLookup = (model: Model<Api>) => vscode.LanguageModelChat | undefined;

interface Request {
  readonly model: Model<Api>;
  readonly context: Context;
  readonly signal: AbortSignal | undefined;
  /** Lets hooks see and change what is sent (`before_provider_request`). For this provider that is the context. */
  readonly onPayload: SimpleStreamOptions['onPayload'];
}

/**
 * Makes the stream function for VS Code's models. It follows pi-ai's contract: failures and aborts are the last event of
 * the stream. Token usage is estimated from the text, because VS Code does not report it.
 */
export function editorStream(
  piAi: PiAi,
  find: EditorModelLookup,
): (model: Model<Api>, context: Context, options?: SimpleStreamOptions) => AssistantMessageEventStream {
  return (model, context, options) => {
    const stream = piAi.createAssistantMessageEventStream();
    const message = emptyMessage(model);
    const request = { model, context, signal: options?.signal, onPayload: options?.onPayload };
    const writer = new ReplyWriter(message, event => stream.push(event));
    answer(request, find(model), writer)
      .then(() => {
        request.signal?.throwIfAborted();
        estimateUsage(message, context);
        writer.done();
      })
      .catch((error: unknown) => {
        const reason = request.signal?.aborted === true ? 'aborted' : 'error';
        message.stopReason = reason;
        message.errorMessage = reason === 'aborted' ? 'Request was aborted' : wordsOf(error, model);
        if (isRefusal(error)) noteFailure(message, requestFailure('unknown'));
        estimateUsage(message, context);
        stream.push({ type: 'error', reason, error: message });
      })
      .finally(() => stream.end());
    return stream;
  };
}

async function answer(
  { model, context: given, signal, onPayload }: Request,
  chat: vscode.LanguageModelChat | undefined,
  writer: ReplyWriter,
): Promise<void> {
  if (chat === undefined) throw vscode.LanguageModelError.NotFound();
  const token = tokenOf(signal);
  try {
    const changed: unknown = await onPayload?.({ model: model.id, ...given }, model);
    const context = typeof changed === 'object' && changed !== null ? { ...given, ...changed } : given;
    const tools = toEditorTools(context);
    const response = await chat.sendRequest(
      toEditorMessages(context, model.input.includes('image')),
      {
        justification: vscode.l10n.t('You chose {0} as the model of the Hookline chat.', model.name),
        ...(tools.length > 0 ? { tools } : {}),
      },
      token.value,
    );
    writer.start();
    for await (const part of response.stream) {
      if (signal?.aborted === true) return;
      // Skips data parts, which contain VS Code's internal data, and kinds of parts that later versions add.
      if (part instanceof vscode.LanguageModelTextPart) writer.text(part.value);
      else if (part instanceof vscode.LanguageModelToolCallPart) {
        writer.toolCall({ id: part.callId, name: part.name, arguments: part.input });
      }
    }
  } finally {
    token.dispose();
  }
}

function estimateUsage(message: AssistantMessage, { systemPrompt = '', messages, tools = [] }: Context): void {
  const { usage } = message;
  const chars = systemPrompt.length + JSON.stringify(tools).length;
  usage.input =
    Math.ceil(chars / 4) + messages.reduce((sum, each) => sum + (each.role === 'system' ? 0 : estimateTokens(each)), 0);
  usage.output = estimateTokens(message);
  usage.totalTokens = usage.input + usage.output;
}

/** Whether VS Code itself refused the request, so that a retry cannot succeed. */
function isRefusal(error: unknown): boolean {
  return error instanceof vscode.LanguageModelError && ['NoPermissions', 'Blocked', 'NotFound'].includes(error.code);
}

/** The message for an error. It begins with a name, so that an error of VS Code is not mistaken for a lost connection. */
function wordsOf(error: unknown, { name }: Model<Api>): string {
  if (!(error instanceof vscode.LanguageModelError)) return `Error: ${messageOf(error)}`;
  const cause = error.cause === undefined ? '' : ` (${messageOf(error.cause)})`;
  const detail = error.message === '' || error.message === error.code ? cause : ` ${error.message}${cause}`;
  switch (error.code) {
    case vscode.LanguageModelError.NoPermissions.name:
      return `NoPermissions: VS Code did not let Hookline use ${name}.${detail}`;
    case vscode.LanguageModelError.Blocked.name:
      return `Blocked: VS Code does not send requests to ${name}, for example because a quota is used up.${detail}`;
    case vscode.LanguageModelError.NotFound.name:
      return `NotFound: VS Code no longer offers ${name}. Choose another model.${detail}`;
    default:
      return `LanguageModelError: ${error.message}${cause}`;
  }
}
