import { convertToLlm, withoutImages } from '../../../agent/convert';
import type { RequestContext } from '../../../agent/loop';
import { isConversation, type AgentMessage, type Message } from '../../../agent/messages';
import { promptCheckpoint, recordedPrompt } from '../../../agent/prompt-record';
import { same } from '../../../hooks/dispatch/message-list';
import type { RunParts } from '../run-parts';

/** The context of the next request, after hooks changed it. */
export async function requestContext(
  messages: readonly AgentMessage[],
  parts: Pick<RunParts, 'ports' | 'conversation' | 'state'>,
): Promise<RequestContext> {
  const { ports, conversation, state } = parts;
  const forcedPrompt = state.runPrompt?.forceSystemPrompt;
  const { runner } = ports.hooks;
  const sent = (all: readonly AgentMessage[]): Message[] => {
    const converted = convertToLlm(all);
    return ports.settings.current.images.blockImages ? withoutImages(converted) : converted;
  };
  const asksWithPrompt = runner.hasHandlers('context_with_system');
  if (!runner.hasHandlers('context') && !asksWithPrompt) return { messages: sent(messages) };
  const said = messages.filter(isConversation);
  const entryIds = said.map(message => state.entryIdOf(message));
  const changed = await runner.emit({ type: 'context', messages: said, entryIds }, conversation);
  if (!asksWithPrompt) return { messages: sent(changed.messages) };
  const whole = isSame(changed.messages, said) ? messages : withPrompt(changed.messages, messages);
  const told = await runner.emit({ type: 'context_with_system', messages: whole }, conversation);
  const prompt = isSame(told.messages.filter(isPrompt), whole.filter(isPrompt))
    ? undefined
    : recordedPrompt(told.messages);
  return {
    messages: sent(told.messages),
    ...(prompt === undefined ? {} : { prompt: { ...prompt, systemPrompt: forcedPrompt ?? prompt.systemPrompt } }),
  };
}

/** Messages of hooks after the system messages, as one message. */
function withPrompt(said: readonly AgentMessage[], transcript: readonly AgentMessage[]): readonly AgentMessage[] {
  const head = promptCheckpoint(transcript, transcript[0]?.timestamp ?? 0);
  return head === undefined ? said : [head, ...said];
}

function isPrompt({ role }: AgentMessage): boolean {
  return role === 'system';
}

function isSame(a: readonly AgentMessage[], b: readonly AgentMessage[]): boolean {
  return a.length === b.length && a.every((message, place) => same(message, b[place]));
}
