import type { Api, Model } from '@mariozechner/pi-ai';
import type { ContentPart } from '../../agent/messages';
import type { HookConversation, HookDelivery } from '../conversation-port';
import { guardedCall } from './guarded-call';
import type { HookFunction, LoadedHook } from '../loaded-hook';
import { isContent } from '../events/answer';
import { draftOf } from '../events/prompt-events';
import type { HookServices } from './services';
import { listedTool } from './tool-listing';
import { isRecord } from '../../base/is-record';

/**
 * Runs an action on the conversation that is meant, or does what the dialect says when there is none yet
 * (docs/dialects.md, C28).
 */
type Act = <V>(method: string, code: (conversation: HookConversation) => V, otherwise?: V) => V | undefined;

/** The methods of `pi` that do something to a conversation. */
export function actionsFor(hook: LoadedHook, services: HookServices): Record<string, HookFunction> {
  const act: Act = <V>(method: string, code: (conversation: HookConversation) => V, otherwise?: V): V | undefined => {
    const conversation = hook.started ? services.conversationFor() : undefined;
    if (conversation !== undefined) return code(conversation);
    const refusal = hook.dialect.notStarted(method);
    if (refusal !== undefined) throw new Error(hook.started ? `pi.${method}: there is no open conversation` : refusal);
    return otherwise;
  };
  return { ...messageActions(hook, services, act), ...stateActions(act) };
}

function messageActions(hook: LoadedHook, services: HookServices, act: Act): Record<string, HookFunction> {
  const send = (method: string, code: (conversation: HookConversation) => Promise<void>): void => {
    act(method, conversation => void guardedCall(hook, services, method, () => code(conversation)));
  };
  return {
    send: (text, attachments) =>
      send('send', conversation =>
        conversation.sendUserMessage(withAttachments(String(text), attachments), { queueWhenStreaming: true }),
      ),
    sendMessage: (message, options) =>
      send('sendMessage', async conversation => {
        const draft = requiredDraft(message);
        await conversation.sendCustomMessage(draft, deliveryOf(options, hook, draft.display));
      }),
    sendUserMessage: (content, options) =>
      send('sendUserMessage', async conversation => {
        const { deliverAs } = isRecord(options) ? options : {};
        await conversation.sendUserMessage(userContent(content), {
          queueWhenStreaming: false,
          ...(deliverAs === 'steer' || deliverAs === 'followUp' ? { deliverAs } : {}),
        });
      }),
    appendEntry: (customType, data) => {
      act('appendEntry', conversation => conversation.appendEntry(String(customType), data));
    },
  };
}

function stateActions(act: Act): Record<string, HookFunction> {
  return {
    setSessionName: name => {
      act('setSessionName', conversation => conversation.setSessionName(String(name)));
    },
    getSessionName: () => act('getSessionName', conversation => conversation.sessionName()),
    setLabel: (entryId, label) => {
      act('setLabel', conversation =>
        conversation.setLabel(String(entryId), typeof label === 'string' ? label : undefined),
      );
    },
    getActiveTools: () => act('getActiveTools', conversation => [...conversation.activeTools()], []),
    getAllTools: () => act('getAllTools', conversation => conversation.allTools().map(listedTool), []),
    setActiveTools: names => {
      act('setActiveTools', conversation => conversation.setActiveTools(Array.isArray(names) ? names.map(String) : []));
    },
    getCommands: () => act('getCommands', conversation => [...conversation.commands()], []),
    // The document says that it rejects, so a refusal must not be thrown at once.
    setModel: async model =>
      await act('setModel', conversation => conversation.setModel(model as Model<Api>), Promise.resolve(false)),
    getThinkingLevel: () => act('getThinkingLevel', conversation => conversation.thinkingLevel(), 'off'),
    setThinkingLevel: level => {
      act('setThinkingLevel', conversation => conversation.setThinkingLevel(String(level)));
    },
  };
}

function requiredDraft(message: unknown): NonNullable<ReturnType<typeof draftOf>> {
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
): { triggerTurn: boolean; deliverAs?: HookDelivery } {
  if (typeof options === 'boolean') return { triggerTurn: options };
  if (!isRecord(options)) return { triggerTurn: hook.dialect.turnByDefault(hook.features, display) };
  const { triggerTurn, deliverAs } = options;
  return {
    triggerTurn: Boolean(triggerTurn),
    ...(deliverAs === 'steer' || deliverAs === 'followUp' || deliverAs === 'nextTurn' ? { deliverAs } : {}),
  };
}

function userContent(content: unknown): string | ContentPart[] {
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
