import type { ToolCall } from '@mariozechner/pi-ai';
import type { AgentMessage, AssistantMessage, ContentPart } from '../../agent/messages';
import { emptyMessage } from '../../agent/models/requests/empty-message';
import { SessionStore } from '../../agent/session/store';
import type { StorableMessage } from '../../agent/session/appendable-session';
import { clippedInside } from '../../base/text/clipped';
import { copyData } from '../../hook-contract/copy';

/** The longest text of a result that is kept, in characters: a session of an agent may have thousands of large ones. */
const LONGEST_RESULT = 4_000;

/** What is known of the session of an agent, as messages of a session that hooks can read; in memory. */
export class SessionMessages {
  readonly store: SessionStore;
  private run: AgentMessage[] = [];

  constructor(
    cwd: string,
    /** Name of the agent, which stands for its provider. */
    private readonly agent: string,
  ) {
    this.store = SessionStore.inMemory(cwd);
  }

  /** The messages since the last prompt, that included. */
  get ofRun(): readonly AgentMessage[] {
    return this.run;
  }

  addPrompt(text: string): void {
    this.run = [];
    this.add({ role: 'user', content: text, timestamp: Date.now() });
  }

  addCall(toolCallId: string, name: string, args: Readonly<Record<string, unknown>>, model: string): void {
    this.addAnswer(
      [{ type: 'toolCall', id: toolCallId, name, arguments: copyData(args) as ToolCall['arguments'] }],
      model,
    );
  }

  /** Of long texts, beginning and end are kept. */
  addResult(toolCallId: string, toolName: string, content: readonly ContentPart[], isError: boolean): void {
    const kept = content.map(part => (part.type === 'text' ? { ...part, text: shortened(part.text) } : part));
    this.add({ role: 'toolResult', toolCallId, toolName, content: kept, isError, timestamp: Date.now() });
  }

  /** A message of a hook, which the agent's model gets. */
  addOfHook(customType: string, content: string | ContentPart[], display: boolean, details: unknown): void {
    this.store.appendCustomMessageEntry(customType, content, display, details);
  }

  /** Returns the message. */
  addAnswer(content: AssistantMessage['content'], model: string): AssistantMessage {
    const message = { ...emptyMessage({ api: this.agent, provider: this.agent, id: model }), content };
    this.add(message);
    return message;
  }

  private add(message: StorableMessage): void {
    this.store.appendMessage(message);
    this.run.push(message);
  }
}

/** A copy, because a part of a text keeps all of it in memory. */
function shortened(text: string): string {
  return text.length <= LONGEST_RESULT ? text : Buffer.from(clippedInside(text, LONGEST_RESULT)).toString();
}
