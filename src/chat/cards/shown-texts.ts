import { performance } from 'node:perf_hooks';
import type { AgentMessage } from '../../agent/messages';
import type { Disposable } from '../../base/disposable';
import { DelayedCall } from '../../base/async/repeated-calls';
import type { MarkdownPlace } from '../../hook-run/api/ui/markdown-transformers';
import type { HookHost } from '../../hook-run/host/host';
import type { AssistantBlock, ChatItem } from '../../protocol/items/chat-item';
import type { ChatModel } from '../model/chat-model';

/** Least time between two transformations of a growing text, in ms; slow hooks get a pause as long as they took. */
const FRAME_MS = 50;
/** Items drawn in one slice; the host yields between slices. */
const AT_ONCE = 20;

type Kind = MarkdownPlace['messageType'];
type EntryPlace = Pick<MarkdownPlace, 'messageId' | 'timestamp'>;

export interface ShownTextsParts {
  readonly hooks: Pick<HookHost, 'drawing'>;
  readonly chat: ChatModel;
  /** Columns that texts have. */
  columns(): number;
  /** The session entry of a message; empty while it has none. */
  entryOf(message: AgentMessage): EntryPlace;
}

/**
 * Texts as hooks transform them for display (`registerMarkdownTransformer`). Sending, searching, copying and editing
 * use the original text. Does nothing without such hooks.
 */
export class ShownTexts implements Disposable {
  /** Blocks that have grown, by the id of their answer. */
  private readonly growing = new Map<string, Set<number>>();
  private readonly nextFrame = new DelayedCall(() => this.drawGrowing());
  private again: NodeJS.Immediate | undefined;
  private isUsed = false;

  constructor(private readonly parts: ShownTextsParts) {}

  /** The item as it is shown; `live`: it is new, not read from a session. */
  draw<I extends ChatItem>(item: I, live: boolean): I {
    if (!this.parts.hooks.drawing.transformsMarkdown && !this.isUsed) return item;
    this.isUsed = true;
    return this.drawn(item, live) as I;
  }

  /** Draws the end of a session that was read; earlier items follow soon. */
  drawEnd(items: readonly ChatItem[]): readonly ChatItem[] {
    if (!this.parts.hooks.drawing.transformsMarkdown) return items;
    this.redraw();
    return [...items.slice(0, -AT_ONCE), ...items.slice(-AT_ONCE).map(item => this.draw(item, false))];
  }

  /** A block of the answer `id` has grown. */
  grow(id: string, block: number): void {
    const { chat, hooks } = this.parts;
    if (!hooks.drawing.transformsMarkdown) return;
    const item = chat.get(id);
    const known = item?.kind === 'assistant' ? item.blocks[block] : undefined;
    if (known === undefined) return;
    this.growing.set(id, (this.growing.get(id) ?? new Set()).add(block));
    // A text must not appear untransformed first.
    if (known.displayText === undefined) this.drawGrowing();
    else this.nextFrame.schedule(FRAME_MS);
  }

  /** The hooks or the width changed: draws everything again, in slices. */
  redraw(): void {
    clearImmediate(this.again);
    if (!this.parts.hooks.drawing.transformsMarkdown && !this.isUsed) return;
    this.isUsed = true;
    let waiting: string[] | undefined;
    const portion = (): void => {
      waiting ??= this.parts.chat.items.map(({ id }) => id);
      for (const id of waiting.splice(-AT_ONCE).reverse()) this.apply(id);
      this.again = waiting.length > 0 ? setImmediate(portion) : undefined;
    };
    this.again = setImmediate(portion);
  }

  dispose(): void {
    clearImmediate(this.again);
    this.nextFrame.dispose();
    this.growing.clear();
  }

  private apply(id: string): void {
    const { chat } = this.parts;
    const item = chat.get(id);
    if (item === undefined || (item.kind === 'assistant' && item.state === 'streaming')) return;
    const drawn = this.drawn(item, false);
    if (drawn !== item) chat.apply({ type: 'item', item: drawn });
  }

  /** The same object where nothing changes. */
  private drawn(item: ChatItem, live: boolean): ChatItem {
    const message = this.parts.chat.messageOf(item.id);
    const entry = live || message === undefined ? {} : this.parts.entryOf(message);
    if (item.kind === 'user') return this.withShown(item, 'user', entry);
    if (item.kind === 'custom' && item.drawing === undefined) return this.withShown(item, 'custom', entry);
    if (item.kind === 'assistant') {
      const blocks = item.blocks.map(block => this.withShown(block, blockKind(block), entry));
      return blocks.every((block, index) => block === item.blocks[index]) ? item : { ...item, blocks };
    }
    if (item.kind === 'notice' && (message?.role === 'branchSummary' || message?.role === 'compactionSummary')) {
      const detail = this.shown(message.summary, 'summary', entry);
      return detail === item.detail ? item : { ...item, detail };
    }
    return item;
  }

  private withShown<T extends { readonly text: string; readonly displayText?: string }>(
    given: T,
    kind: Kind,
    entry: EntryPlace,
  ): T {
    const text = this.shown(given.text, kind, entry);
    const shown = text === given.text ? undefined : text;
    if (shown === given.displayText) return given;
    const copy: T & { displayText?: string } = { ...given };
    if (shown === undefined) delete copy.displayText;
    else copy.displayText = shown;
    return copy;
  }

  private shown(text: string, messageType: Kind, entry: EntryPlace, isStreaming = false): string {
    const { drawing } = this.parts.hooks;
    return drawing.markdown(text, { messageType, isStreaming, availableWidth: this.parts.columns(), ...entry });
  }

  private drawGrowing(): void {
    const began = performance.now();
    const growing = [...this.growing];
    this.growing.clear();
    for (const [id, blocks] of growing) for (const block of blocks) this.drawStreaming(id, block);
    const took = performance.now() - began;
    if (took > FRAME_MS) this.nextFrame.reschedule(took);
  }

  /** Only texts that changed are sent. */
  private drawStreaming(id: string, index: number): void {
    const { chat } = this.parts;
    const item = chat.get(id);
    const block = item?.kind === 'assistant' && item.state === 'streaming' ? item.blocks[index] : undefined;
    if (block === undefined) return;
    const before = block.displayText ?? '';
    const shown = this.shown(block.text, blockKind(block), {}, true);
    const keep = sameStart(before, shown);
    if (keep === before.length && keep === shown.length && block.displayText !== undefined) return;
    chat.apply({ type: 'displayText', id, block: index, keep, append: shown.slice(keep) });
  }
}

function blockKind({ type }: AssistantBlock): Kind {
  return type === 'text' ? 'assistant' : 'assistant-thinking';
}

function sameStart(a: string, b: string): number {
  const most = Math.min(a.length, b.length);
  let same = 0;
  while (same < most && a[same] === b[same]) same += 1;
  return same;
}
