import type { HookConversation } from '../../hook-contract/conversation-port';
import type { DialogAnswer } from '../../hook-contract/ui/ui';
import type { HookRunner } from '../dispatch/runner';

/** The question that a hook asks the user. */
export type AskedAbout = Pick<DialogAnswer, 'kind' | 'title'>;

interface Span {
  open: number;
  /** The first of those that overlap. */
  readonly about: AskedAbout;
}

/** Notifies hooks when a conversation begins and ends to wait for the user; overlapping questions are one wait. */
export class PromptSpans {
  private readonly spans = new Map<string, Span>();

  constructor(
    private readonly runner: Pick<HookRunner, 'emit'>,
    /** False for conversations that are only tried. */
    private readonly isOpen: (conversation: HookConversation) => boolean,
  ) {}

  /** Waits for the answer. Emits no event where no user can be asked. */
  async during<V>(
    conversation: HookConversation | undefined,
    about: AskedAbout,
    question: () => Promise<V>,
  ): Promise<V> {
    if (conversation?.hasUI !== true || !this.isOpen(conversation)) return question();
    const { id } = conversation;
    const span = this.spans.get(id) ?? { open: 0, about };
    this.spans.set(id, span);
    if (span.open++ === 0) this.emit('ui_prompt_start', span, conversation);
    try {
      return await question();
    } finally {
      if (--span.open === 0) {
        this.spans.delete(id);
        this.emit('ui_prompt_end', span, conversation);
      }
    }
  }

  /** These handlers are not awaited; a dispatch never rejects. */
  private emit(type: 'ui_prompt_start' | 'ui_prompt_end', { about }: Span, conversation: HookConversation): void {
    const { kind, title } = about;
    const named = title === '' ? {} : { title };
    queueMicrotask(() => void this.runner.emit({ type, reason: 'ui_prompt', kind, ...named }, conversation));
  }
}
