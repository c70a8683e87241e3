import type { AgentMessage, CustomMessage, ImageContent, UserMessage } from '../../agent/messages';
import type { Delivery, TextFile } from '../../protocol/composer/composer';
import type { SessionEvents } from '../ports/session-events';
import { attachedImages, typedText } from '../attachments/attached-files';
import { userTexts } from '../state/session-stats';
import type { SessionState } from '../state/session-state';
import type { Submission } from './prompt-pipeline';
import type { RunControl } from '../run/run-control';

/** The attachments of a text. */
export interface Attached {
  readonly images: readonly ImageContent[];
  readonly files: readonly TextFile[];
}

/** Texts of the user, by when they are sent. */
export interface WaitingTexts {
  readonly steering: readonly string[];
  readonly followUp: readonly string[];
}

export interface WaitingMessagesParts {
  readonly control: RunControl;
  readonly state: SessionState;
  readonly events: SessionEvents;
}

/** Messages that wait for the running agent, and how each returns to its source. */
export class WaitingMessages {
  /** Files that were sent with a message and return with it. */
  private readonly filesOf = new WeakMap<AgentMessage, readonly TextFile[]>();
  /** Messages whose text is literal: sent again, it would be expanded. */
  private readonly literal = new WeakSet<AgentMessage>();
  private readonly ofHooks = new WeakSet<AgentMessage>();

  constructor(private readonly parts: WaitingMessagesParts) {}

  /** Texts that wait, as the user wrote them. */
  get texts(): WaitingTexts {
    const { steering, followUps } = this.parts.control.agent;
    return { steering: userTexts(steering.messages), followUp: userTexts(followUps.messages) };
  }

  /** Texts that wait, or were taken and have not begun, as clients of pi see them. */
  get unbegunTexts(): WaitingTexts {
    const { steering, followUps } = this.parts.control.agent;
    return { steering: userTexts(steering.unbegun), followUp: userTexts(followUps.unbegun) };
  }

  get hasTexts(): boolean {
    const { steering, followUps } = this.parts.control.agent;
    return [...steering.messages, ...followUps.messages].some(message => message.role === 'user');
  }

  /** Whether a hook sent the message, and not a user or a client. */
  isOfHook(message: UserMessage): boolean {
    return this.ofHooks.has(message);
  }

  has(message: AgentMessage): boolean {
    const { steering, followUps } = this.parts.control.agent;
    return [...steering.messages, ...followUps.messages].includes(message);
  }

  /** Takes the message out that a run would get first; undefined when none waits. */
  takeFirst(): UserMessage | CustomMessage | undefined {
    const { steering, followUps } = this.parts.control.agent;
    const first = [...steering.messages, ...followUps.messages].find(
      ({ role }) => role === 'user' || role === 'custom',
    );
    if (first?.role !== 'user' && first?.role !== 'custom') return undefined;
    if (!steering.remove(first)) followUps.remove(first);
    return first;
  }

  /** Remembers how a message was submitted, for its return. */
  remember(
    message: UserMessage,
    { files = [], literal = false, source }: Pick<Submission, 'files' | 'literal' | 'source'>,
  ): void {
    if (source === 'extension') this.ofHooks.add(message);
    if (files.length > 0) this.filesOf.set(message, files);
    if (literal) this.literal.add(message);
  }

  add(message: UserMessage, delivery: Delivery): void {
    const { agent } = this.parts.control;
    this.parts.events.fire({ type: 'message_announced', message, state: delivery });
    (delivery === 'followUp' ? agent.followUps : agent.steering).add(message);
  }

  /** Returns texts and adds messages of hooks to the session: nothing is lost. */
  giveAllBack(): void {
    const { control } = this.parts;
    const waiting = [...control.agent.steering.clear(), ...control.agent.followUps.clear()];
    const texts: string[] = [];
    const images: ImageContent[] = [];
    const files: TextFile[] = [];
    for (const message of waiting) {
      this.withdraw(message);
      if (message.role === 'user') {
        const back = this.partsOf(message);
        texts.push(back.text);
        images.push(...back.images);
        files.push(...back.files);
      } else if (message.role === 'custom') this.parts.state.nextTurn.push(message);
    }
    if (texts.length > 0) this.giveBack({ text: texts.filter(text => text !== '').join('\n\n'), images, files });
  }

  /** Removes every text of the user from the queue and returns them; messages of hooks stay. */
  takeTexts(): WaitingTexts {
    const { texts } = this;
    const { steering, followUps } = this.parts.control.agent;
    for (const message of [...steering.messages, ...followUps.messages]) this.drop(message);
    return texts;
  }

  /** Returns a message that waits; one that was delivered meanwhile stays. */
  edit(message: AgentMessage): void {
    if (this.drop(message)) this.giveMessageBack(message);
  }

  /** Changes what a message waits for, unless it was delivered meanwhile. */
  deliver(message: AgentMessage, delivery: Delivery): void {
    if (this.drop(message)) this.add(message, delivery);
  }

  giveMessageBack(message: UserMessage): void {
    this.giveBack(this.partsOf(message));
  }

  giveSubmissionBack({ text, images, files = [], literal = false }: Submission): void {
    const back = literal ? asFile(text, files) : { text, files };
    this.giveBack({ images, ...back });
  }

  /** Removes a message of the user from its queue; false when it is not queued. */
  drop(message: AgentMessage): message is UserMessage {
    const { steering, followUps } = this.parts.control.agent;
    if (message.role !== 'user' || !(steering.remove(message) || followUps.remove(message))) return false;
    this.withdraw(message);
    return true;
  }

  private withdraw(message: AgentMessage): void {
    this.parts.events.fire({ type: 'message_withdrawn', message });
  }

  private giveBack(text: Attached & { readonly text: string }): void {
    this.parts.events.fire({ type: 'text_returned', ...text });
  }

  /** A message as the user composed it. */
  private partsOf(message: UserMessage): Attached & { readonly text: string } {
    const text = typedText(message.content);
    const files = this.filesOf.get(message) ?? [];
    const images = attachedImages(message.content);
    return { images, ...(this.literal.has(message) ? asFile(text, files) : { text, files }) };
  }
}

/** A literal text returns as a file, so that it stays literal when the user sends it again. */
function asFile(
  text: string,
  files: readonly TextFile[],
): { readonly text: string; readonly files: readonly TextFile[] } {
  return { text: '', files: [{ name: 'prompt.md', text }, ...files] };
}
