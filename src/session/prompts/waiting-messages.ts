import type { AgentMessage, CustomMessage, ImageContent, UserMessage } from '../../agent/messages';
import type { Delivery, TextFile } from '../../protocol/composer';
import type { ChatModel } from '../../chat/model/chat-model';
import type { Presenter } from '../../chat/cards/presenter';
import { attachedImages, typedText } from '../attachments/attached-files';
import type { ComposerState } from '../../chat/composer/composer-state';
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
  readonly chat: ChatModel;
  readonly presenter: Presenter;
  readonly composer: ComposerState;
}

/** Messages that wait for the running agent, and how each returns to its source. */
export class WaitingMessages {
  /** Files that were sent with a message and return with it. */
  private readonly filesOf = new WeakMap<AgentMessage, readonly TextFile[]>();
  /** Messages whose text is literal: back in the composer, it would be expanded. */
  private readonly literal = new WeakSet<AgentMessage>();

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

  /** Remembers how a message was submitted, for its return to the composer. */
  remember(message: UserMessage, { files = [], literal = false }: Pick<Submission, 'files' | 'literal'>): void {
    if (files.length > 0) this.filesOf.set(message, files);
    if (literal) this.literal.add(message);
  }

  add(message: UserMessage, delivery: Delivery): void {
    const { agent } = this.parts.control;
    this.parts.presenter.announce(message, delivery);
    (delivery === 'followUp' ? agent.followUps : agent.steering).add(message);
  }

  /** Returns texts to the composer and adds messages of hooks to the session: nothing is lost. */
  giveAllBack(): void {
    const { control, presenter } = this.parts;
    const waiting = [...control.agent.steering.clear(), ...control.agent.followUps.clear()];
    const texts: string[] = [];
    const images: ImageContent[] = [];
    const files: TextFile[] = [];
    for (const message of waiting) {
      presenter.withdraw(message);
      if (message.role === 'user') {
        const back = this.partsOf(message);
        texts.push(back.text);
        images.push(...back.images);
        files.push(...back.files);
      } else if (message.role === 'custom') this.parts.state.nextTurn.push(message);
    }
    if (texts.length > 0) this.parts.composer.giveBack(texts.filter(text => text !== '').join('\n\n'), images, files);
  }

  /** Removes every text of the user from the queue and returns them; messages of hooks stay. */
  takeTexts(): WaitingTexts {
    const { texts } = this;
    const { steering, followUps } = this.parts.control.agent;
    for (const message of [...steering.messages, ...followUps.messages]) this.drop(message);
    return texts;
  }

  /** Returns a drawn message to the composer; a message that was delivered meanwhile stays. */
  edit(itemId: string): void {
    const message = this.remove(itemId);
    if (message !== undefined) this.giveMessageBack(message);
  }

  /** Drops a drawn message; undefined when it was delivered meanwhile. */
  remove(itemId: string): UserMessage | undefined {
    const message = this.parts.chat.messageOf(itemId);
    return message !== undefined && this.drop(message) ? message : undefined;
  }

  /** Changes what a drawn message waits for. */
  deliver(itemId: string, delivery: Delivery): void {
    const message = this.remove(itemId);
    if (message !== undefined) this.add(message, delivery);
  }

  giveMessageBack(message: UserMessage): void {
    const { text, images, files } = this.partsOf(message);
    this.parts.composer.giveBack(text, images, files);
  }

  giveSubmissionBack({ text, images, files = [], literal = false }: Submission): void {
    const back = literal ? asFile(text, files) : { text, files };
    this.parts.composer.giveBack(back.text, images, back.files);
  }

  /** Removes a message of the user from its queue; false when it is not queued. */
  private drop(message: AgentMessage): message is UserMessage {
    const { control, presenter } = this.parts;
    const { steering, followUps } = control.agent;
    if (message.role !== 'user' || !(steering.remove(message) || followUps.remove(message))) return false;
    presenter.withdraw(message);
    return true;
  }

  /** A message in the form that the composer shows. */
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
