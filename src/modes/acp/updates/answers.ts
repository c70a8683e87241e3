import { randomUUID } from 'node:crypto';
import type { SessionUpdate } from '@agentclientprotocol/sdk';
import type { AssistantMessageEvent } from '@mariozechner/pi-ai';
import type { AssistantMessage, ContentPart } from '../../../agent/messages';
import type { SessionClient } from '../client';

type Chunk = 'agent_message_chunk' | 'agent_thought_chunk' | 'user_message_chunk';
type Updating = Pick<SessionClient, 'update'>;

/** A part of an answer, which clients see as a message of its own, so that calls between two parts keep their place. */
interface SentPart {
  readonly messageId: string;
  readonly kind: Chunk;
  text: string;
}

/** Sends the text and the thoughts of answers as they come. */
export class Answers {
  private parts = new Map<number, SentPart>();

  constructor(private readonly client: Updating) {}

  /** The answer that is under way, as far as it was sent. */
  get unrecorded(): readonly SessionUpdate[] {
    return [...this.parts.values()].map(({ kind, text, messageId }) => textUpdate(kind, text, messageId));
  }

  begin(): void {
    this.parts = new Map();
  }

  add(event: AssistantMessageEvent): void {
    if (event.type === 'text_delta') this.send(event.contentIndex, 'agent_message_chunk', event.delta);
    if (event.type === 'thinking_delta') this.send(event.contentIndex, 'agent_thought_chunk', event.delta);
  }

  /** The answer is complete: sends what did not come in pieces, and what a hook put in the place of what did. */
  end({ content }: AssistantMessage): void {
    const sent = [...this.parts.values()];
    for (const [index, part] of content.entries()) {
      if (part.type === 'toolCall') continue;
      const [kind, text] =
        part.type === 'text'
          ? (['agent_message_chunk', part.text] as const)
          : (['agent_thought_chunk', part.thinking] as const);
      const known = this.parts.get(index);
      if (known?.kind === kind && text.startsWith(known.text)) {
        this.send(index, kind, text.slice(known.text.length));
      } else if (!sent.some(one => one.kind === kind && one.text === text)) {
        sendText(this.client, kind, text, randomUUID());
      }
    }
    this.begin();
  }

  private send(index: number, kind: Chunk, text: string): void {
    const known = this.parts.get(index);
    const part = known?.kind === kind ? known : { kind, messageId: randomUUID(), text: '' };
    this.parts.set(index, part);
    part.text += text;
    sendText(this.client, kind, text, part.messageId);
  }
}

/** Sends a text; nothing for an empty one. */
export function sendText(client: Updating, kind: Chunk, text: string, messageId: string): void {
  if (text === '') return;
  client.update(textUpdate(kind, text, messageId));
}

function textUpdate(kind: Chunk, text: string, messageId: string): SessionUpdate {
  return { sessionUpdate: kind, messageId, content: { type: 'text', text } };
}

/** Sends texts and images as one message. */
export function sendMessage(
  client: Updating,
  kind: Chunk,
  content: string | readonly ContentPart[],
  messageId: string = randomUUID(),
): void {
  if (typeof content === 'string') {
    sendText(client, kind, content, messageId);
    return;
  }
  for (const part of content) {
    if (part.type === 'text') sendText(client, kind, part.text, messageId);
    else {
      const { data, mimeType } = part;
      client.update({ sessionUpdate: kind, messageId, content: { type: 'image', data, mimeType } });
    }
  }
}
