import type { Api, Model } from '@mariozechner/pi-ai';
import type { ContentPart } from '../../agent/messages';
import type { KnownTool } from '../../agent/tools/tool';
import type { BusyUntil, HookConversation, HookDelivery } from '../../hook-contract/conversation-port';
import { guardedCall } from './guarded-call';
import type { HookFunction, LoadedHook } from '../../hook-contract/loaded-hook';
import { isContent } from '../../hook-contract/events/answers/answer';
import { refuseTooLarge } from '../../hook-contract/given-size';
import { draftOf } from '../../hook-contract/events/run-start';
import { seenBy } from './seen-by';
import type { HookServices } from './services';
import { listedTool } from './tools/tool-listing';
import { isRecord } from '../../base/json/is-record';

/**
 * Runs an action on the conversation of the call, or does what the dialect says when there is none yet
 * (docs/dialects.md, C28).
 */
type Act = <V>(method: string, code: (conversation: HookConversation) => V, otherwise?: V) => V | undefined;

/** The methods of `pi` that do something to a conversation. */
export function actionsFor(hook: LoadedHook, services: HookServices): Record<string, HookFunction> {
  const act: Act = <V>(method: string, code: (conversation: HookConversation) => V, otherwise?: V): V | undefined => {
    const conversation = hook.started ? seenBy(hook, services.conversationFor()) : undefined;
    if (conversation !== undefined) return code(conversation);
    const refusal = hook.dialect.notStarted(method);
    if (refusal !== undefined) throw new Error(hook.started ? `pi.${method}: there is no open conversation` : refusal);
    return otherwise;
  };
  return {
    ...messageActions(hook, services, act),
    ...stateActions(hook, act),
    getSettings: () => act('getSettings', () => structuredClone(services.settings())),
  };
}

function messageActions(hook: LoadedHook, services: HookServices, act: Act): Record<string, HookFunction> {
  /** Later failures are reported with pi's name of the method. */
  const send = (method: string, code: (conversation: HookConversation) => Promise<void>, event = method): void => {
    act(method, conversation => void guardedCall(hook, services, event, () => code(conversation)));
  };
  return {
    send: (text, attachments) =>
      send('send', conversation =>
        conversation.sendUserMessage(userContent(withAttachments(String(text), attachments)), {
          queueWhenStreaming: true,
        }),
      ),
    sendMessage: (message, options) =>
      send('sendMessage', conversation => sendMessageTo(conversation, hook, message, options), 'send_message'),
    sendUserMessage: (content, options) =>
      send(
        'sendUserMessage',
        conversation => sendUserMessageTo(conversation, hook, content, options),
        'send_user_message',
      ),
    appendEntry: (customType, data) => {
      act('appendEntry', conversation => {
        refuseTooLarge(data);
        conversation.appendEntry(String(customType), data);
      });
    },
  };
}

/** Sends a message of a hook. Rejects for values that are not messages, and when it cannot be delivered. */
export async function sendMessageTo(
  conversation: HookConversation,
  hook: LoadedHook,
  message: unknown,
  options: unknown,
): Promise<void> {
  const draft = requiredDraft(message);
  await conversation.sendCustomMessage(draft, deliveryOf(options, hook, draft.display));
}

/** Like {@link sendMessageTo}, as a message of the user. */
export async function sendUserMessageTo(
  conversation: HookConversation,
  { dialect }: LoadedHook,
  content: unknown,
  options: unknown,
): Promise<void> {
  const { deliverAs, expandPromptTemplates } = isRecord(options) ? options : {};
  await conversation.sendUserMessage(userContent(content), {
    queueWhenStreaming: false,
    busyUntil: dialect.busyUntil,
    ...(deliverAs === 'steer' || deliverAs === 'followUp' ? { deliverAs } : {}),
    ...(expandPromptTemplates === true ? { expands: true } : {}),
  });
}

function stateActions(hook: LoadedHook, act: Act): Record<string, HookFunction> {
  const { features } = hook;
  const listed = (tool: KnownTool): unknown => (features.listsToolNames ? tool.name : listedTool(tool));
  return {
    setSessionName: name => {
      act('setSessionName', conversation => conversation.setSessionName(String(name)));
    },
    getSessionName: () => act('getSessionName', conversation => conversation.sessionName()),
    setLabel: (...given) => {
      // A factory of oh-my-pi names its own file, which is shown nowhere here.
      if (given.length === 1 && !hook.started) return;
      const [entryId, label] = given;
      act('setLabel', conversation =>
        conversation.setLabel(String(entryId), typeof label === 'string' ? label : undefined),
      );
    },
    getActiveTools: () => act('getActiveTools', conversation => [...conversation.activeTools()], []),
    getAllTools: () => act('getAllTools', conversation => conversation.allTools().map(listed), []),
    setActiveTools: names => {
      act('setActiveTools', conversation =>
        conversation.setActiveTools(Array.isArray(names) ? names.map(toolName) : []),
      );
    },
    getCommands: () => act('getCommands', conversation => [...conversation.commands()], []),
    // It must reject and not throw (docs/dialects.md).
    setModel: async model =>
      await act('setModel', conversation => conversation.setModel(model as Model<Api>), Promise.resolve(false)),
    getThinkingLevel: () => act('getThinkingLevel', conversation => conversation.thinkingLevel(), 'off'),
    setThinkingLevel: level => {
      act('setThinkingLevel', conversation => conversation.setThinkingLevel(String(level)));
    },
  };
}

/** Entries of `getAllTools` may be passed back unchanged. */
function toolName(given: unknown): string {
  return String(isRecord(given) ? given['name'] : given);
}

function requiredDraft(message: unknown): NonNullable<ReturnType<typeof draftOf>> {
  refuseTooLarge(message);
  const problems: string[] = [];
  const draft = isRecord(message) ? draftOf(message, problems) : undefined;
  if (draft === undefined) throw new TypeError(problems.join('; ') || 'sendMessage needs a message object');
  return draft;
}

/** The second argument in its generations: a boolean, an object, or nothing (docs/dialects.md, C14). */
function deliveryOf(
  options: unknown,
  hook: LoadedHook,
  display: boolean,
): { triggerTurn: boolean; deliverAs?: HookDelivery; afterTurn?: boolean; busyUntil: BusyUntil } {
  const { busyUntil } = hook.dialect;
  if (typeof options === 'boolean') return { triggerTurn: options, busyUntil };
  if (!isRecord(options)) return { triggerTurn: hook.dialect.turnByDefault(hook.features, display), busyUntil };
  const { triggerTurn, deliverAs } = options;
  return {
    busyUntil,
    triggerTurn: Boolean(triggerTurn),
    ...(triggerTurn === false && hook.dialect.decidesTurns ? { afterTurn: true } : {}),
    ...(deliverAs === 'steer' || deliverAs === 'followUp' || deliverAs === 'nextTurn' ? { deliverAs } : {}),
  };
}

function userContent(content: unknown): string | ContentPart[] {
  refuseTooLarge(content);
  if (typeof content === 'string') return content;
  if (isContent(content)) return content as unknown as ContentPart[];
  throw new TypeError('sendUserMessage needs a string or an array of text and image parts');
}

/** Images become image parts, documents their text. */
function withAttachments(text: string, attachments: unknown): string | ContentPart[] {
  if (!Array.isArray(attachments) || attachments.length === 0) return text;
  const parts: ContentPart[] = [{ type: 'text', text }];
  for (const attachment of attachments.filter(isRecord)) {
    const { type, content, mimeType, fileName, extractedText } = attachment;
    if (type === 'image' && typeof content === 'string') {
      parts.push({ type: 'image', data: content, mimeType: typeof mimeType === 'string' ? mimeType : 'image/png' });
    } else if (type === 'document') {
      parts.push({
        type: 'text',
        text: `\n\n[Document: ${String(fileName)}]\n${typeof extractedText === 'string' ? extractedText : ''}`,
      });
    }
  }
  return parts;
}
