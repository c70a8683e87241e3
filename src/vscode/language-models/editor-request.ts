import type { Context, ImageContent, Message, TextContent, ToolCall } from '@mariozechner/pi-ai';
import * as vscode from 'vscode';
import { replayable } from '../../agent/models/requests/replayable';

type UserPart = vscode.LanguageModelTextPart | vscode.LanguageModelToolResultPart | vscode.LanguageModelDataPart;

/** Some vendors refuse messages without any content. */
const NO_CONTENT = '(no content)';
const NO_IMAGES = '(image left out: the model takes no images)';

/**
 * Converts a context to messages for `vscode.lm`. That API has no system role, so the system prompt becomes the first user
 * message. Results of tools become parts of user messages.
 */
export function toEditorMessages(context: Context, seesImages: boolean): vscode.LanguageModelChatMessage[] {
  const messages: vscode.LanguageModelChatMessage[] = [];
  const system = context.systemPrompt ?? '';
  if (system !== '') messages.push(vscode.LanguageModelChatMessage.User(system));
  let results: vscode.LanguageModelToolResultPart[] = [];
  const flush = (): void => {
    if (results.length > 0) messages.push(vscode.LanguageModelChatMessage.User(results));
    results = [];
  };
  for (const message of replayable(context.messages)) {
    if (message.role === 'system') continue;
    if (message.role === 'toolResult') {
      const parts = message.content.map(part => userPart(part, seesImages));
      results.push(new vscode.LanguageModelToolResultPart(message.toolCallId, withContent(parts)));
      continue;
    }
    flush();
    messages.push(message.role === 'user' ? userMessage(message, seesImages) : assistantMessage(message));
  }
  flush();
  return messages;
}

/** Converts the tools of a context to tools for `vscode.lm`, with schemas as plain JSON. */
export function toEditorTools({ tools = [] }: Context): vscode.LanguageModelChatTool[] {
  return tools.map(({ name, description, parameters }) => ({
    name,
    description,
    // TypeBox adds symbols to its schemas, which cannot be sent to another process.
    inputSchema: JSON.parse(JSON.stringify(parameters)) as object,
  }));
}

function userMessage(
  { content }: Extract<Message, { role: 'user' }>,
  seesImages: boolean,
): vscode.LanguageModelChatMessage {
  const parts = typeof content === 'string' ? [text(content)] : content.map(part => userPart(part, seesImages));
  return vscode.LanguageModelChatMessage.User(withContent(parts));
}

function assistantMessage({ content }: Extract<Message, { role: 'assistant' }>): vscode.LanguageModelChatMessage {
  const parts = content.flatMap((block): (vscode.LanguageModelTextPart | vscode.LanguageModelToolCallPart)[] => {
    if (block.type === 'text') return block.text === '' ? [] : [text(block.text)];
    return block.type === 'toolCall' ? [callPart(block)] : [];
  });
  return vscode.LanguageModelChatMessage.Assistant(parts.length === 0 ? [text(NO_CONTENT)] : parts);
}

function userPart(
  part: TextContent | ImageContent,
  seesImages: boolean,
): vscode.LanguageModelTextPart | vscode.LanguageModelDataPart {
  if (part.type === 'text') return text(part.text);
  if (!seesImages) return text(NO_IMAGES);
  return vscode.LanguageModelDataPart.image(Buffer.from(part.data, 'base64'), part.mimeType);
}

function withContent<P extends UserPart>(parts: readonly P[]): (P | vscode.LanguageModelTextPart)[] {
  return parts.length === 0 ? [text(NO_CONTENT)] : [...parts];
}

function callPart({ id, name, arguments: input }: ToolCall): vscode.LanguageModelToolCallPart {
  return new vscode.LanguageModelToolCallPart(id, name, input);
}

function text(value: string): vscode.LanguageModelTextPart {
  return new vscode.LanguageModelTextPart(value);
}
