import type { Component } from '@mariozechner/pi-tui';
import type { CustomMessage } from '../../agent/messages';
import type { CustomEntry, EntryId } from '../../agent/session/entry';
import type { ToolResult } from '../../agent/tools/tool';
import { defined } from '../../base/defined';
import type { Disposable } from '../../base/disposable';
import { DelayedCall } from '../../base/async/repeated-calls';
import { wrapText } from '../../base/text/wrap-text';
import type { ChatItem, Drawing } from '../../protocol/items/chat-item';
import type { ChatModel } from '../model/chat-model';
import type { HookHost } from '../../hook-run/host/host';
import { checkedLines } from '../../components/lines';

/** Drawings made again in one go; between them the host breathes. */
const AT_ONCE = 20;
/** Renderers that ask to be drawn again wait so long, ms: one that asks whenever it is drawn must not stop the host. */
const ASKED_AGAIN_MS = 50;
/** Characters that are shown of an entry which cannot be drawn. */
const MOST_PLAIN = 4_000;

export interface DrawingsParts {
  readonly hooks: Pick<HookHost, 'drawing'>;
  readonly chat: ChatModel;
  /** A hook's entry of the session; undefined when it is none. */
  entry(id: EntryId): CustomEntry | undefined;
  readonly cwd: string;
  /** Columns inside of a card. */
  columns(): number;
}

/** A call as far as it is known. */
interface Call {
  readonly name: string;
  readonly args: unknown;
  readonly toolCallId: string;
  /** Shared by all drawings of one call, as in pi. */
  readonly state: object;
  /** The components that were drawn last; renderers may change and return them again. */
  readonly last: { call?: Component; result?: Component };
  readonly result?: CallResult;
}

interface CallResult {
  readonly value: ToolResult;
  readonly isPartial: boolean;
  readonly isError: boolean;
  /** How long the tool ran, ms; undefined while it runs, or if it was not recorded. */
  readonly durationMs?: number;
}

type Subject =
  | { readonly type: 'message'; readonly message: CustomMessage }
  | { readonly type: 'entry'; readonly entryId: EntryId }
  | { readonly type: 'call'; readonly call: Call };

type DrawnItem = Extract<ChatItem, { readonly kind: 'custom' | 'entry' | 'tool' }>;

/**
 * How hooks draw their own messages and entries and the calls of tools (`registerMessageRenderer`,
 * `registerEntryRenderer`, `registerToolRenderer`, `renderCall`, `renderResult`): lines for the page's width, made again
 * when width, colours, hooks or the fold change. The hook runtime reports what throws, and the item is shown like any
 * other.
 */
export class Drawings implements Disposable {
  private readonly subjects = new Map<string, Subject>();
  private readonly expanded = new Map<string, boolean>();
  private allExpanded = false;
  private again: NodeJS.Immediate | undefined;
  private readonly asking = new Set<string>();
  private readonly askedAgain = new DelayedCall(() => this.redrawAsking());

  constructor(private readonly parts: DrawingsParts) {}

  /** Whether all are drawn in full unless the user chose otherwise for one. */
  get isExpanded(): boolean {
    return this.allExpanded;
  }

  setAllExpanded(expanded: boolean): void {
    this.allExpanded = expanded;
    this.expanded.clear();
    this.redraw();
  }

  setExpanded(id: string, expanded: boolean): void {
    this.expanded.set(id, expanded);
    this.apply(id);
  }

  /** Forgets what belongs to another session. */
  reset(): void {
    this.subjects.clear();
    this.expanded.clear();
    this.asking.clear();
  }

  message(id: string, message: CustomMessage): { readonly drawing?: Drawing } {
    return this.keep(id, { type: 'message', message });
  }

  entry(id: string, entryId: EntryId): { readonly drawing?: Drawing } {
    return this.keep(id, { type: 'entry', entryId });
  }

  call(id: string, name: string, toolCallId: string, args: unknown): { readonly drawing?: Drawing } {
    if (this.parts.hooks.drawing.tool(name) === undefined) return {};
    return this.keep(id, { type: 'call', call: { name, args, toolCallId, state: {}, last: {} } });
  }

  result(id: string, result: CallResult): { readonly drawing?: Drawing } {
    const known = this.subjects.get(id);
    if (known?.type !== 'call') return {};
    return this.keep(id, { type: 'call', call: { ...known.call, result } });
  }

  /** Draws everything again, soon and in portions. */
  redraw(): void {
    clearImmediate(this.again);
    const waiting = [...this.subjects.keys()].reverse();
    const portion = (): void => {
      for (const id of waiting.splice(0, AT_ONCE)) this.apply(id);
      this.again = waiting.length > 0 ? setImmediate(portion) : undefined;
    };
    this.again = setImmediate(portion);
  }

  dispose(): void {
    clearImmediate(this.again);
    this.askedAgain.dispose();
    this.reset();
  }

  private keep(id: string, subject: Subject): { readonly drawing?: Drawing } {
    this.subjects.set(id, subject);
    const drawing = this.draw(id, subject);
    return defined({ drawing });
  }

  private apply(id: string): void {
    const item = this.parts.chat.get(id);
    const subject = this.subjects.get(id);
    if (subject === undefined || (item?.kind !== 'custom' && item?.kind !== 'entry' && item?.kind !== 'tool')) return;
    const drawing = this.draw(id, subject);
    if (JSON.stringify(drawing) === JSON.stringify(item.drawing)) return;
    const { chat } = this.parts;
    if (drawing !== undefined) chat.apply({ type: 'item', item: { ...item, drawing } });
    else chat.apply({ type: 'item', item: withoutDrawing(item) });
  }

  private draw(id: string, subject: Subject): Drawing | undefined {
    const expanded = this.expanded.get(id) ?? this.allExpanded;
    const width = this.parts.columns();
    switch (subject.type) {
      case 'message':
        return this.drawMessage(subject.message, expanded, width);
      case 'entry':
        return this.drawEntry(subject.entryId, expanded, width);
      case 'call':
        return this.drawCall(id, subject.call, expanded, width);
    }
  }

  private drawMessage(message: CustomMessage, expanded: boolean, width: number): Drawing | undefined {
    const renderer = this.parts.hooks.drawing.message(message.customType);
    const lines = renderer && linesOf(renderer(message, { expanded, width }), width, renderer);
    return lines === undefined ? undefined : { lines, expanded };
  }

  /** The session is not read for entries without a renderer. */
  private drawEntry(entryId: EntryId, expanded: boolean, width: number): Drawing | undefined {
    const { hooks } = this.parts;
    const entry = hooks.drawing.drawsEntries ? this.parts.entry(entryId) : undefined;
    const renderer = entry && hooks.drawing.entry(entry.customType);
    const component = renderer?.(entry, { expanded });
    if (entry === undefined || renderer === undefined || component === undefined) return undefined;
    const lines = component === 'failed' ? undefined : linesOf(component, width, renderer);
    return { lines: lines ?? plainEntry(entry, expanded, width), expanded };
  }

  private drawCall(id: string, call: Call, expanded: boolean, width: number): Drawing | undefined {
    const renderers = this.parts.hooks.drawing.tool(call.name);
    if (renderers === undefined) return undefined;
    const { args, toolCallId, state, result, last } = call;
    const isPartial = result?.isPartial ?? true;
    const context = {
      args,
      toolCallId,
      state,
      cwd: this.parts.cwd,
      expanded,
      isPartial,
      isError: result?.isError ?? false,
      durationMs: result?.durationMs,
      executionStarted: true,
      argsComplete: true,
      showImages: false,
      invalidate: () => this.redrawSoon(id),
    };
    const head = renderers.call(args, { ...context, lastComponent: last.call });
    const body =
      result && renderers.result(result.value, { expanded, isPartial }, { ...context, lastComponent: last.result });
    if (head !== undefined) last.call = head;
    if (body !== undefined) last.result = body;
    const headLines = linesOf(head, width, renderers);
    const lines = linesOf(body, width, renderers);
    if (headLines === undefined && lines === undefined) return undefined;
    return {
      ...defined({ head: headLines }),
      lines: lines ?? [],
      ...(lines === undefined ? {} : { hasResult: true as const }),
      ...(renderers.isFramed ? {} : { unframed: true as const }),
      expanded,
    };
  }

  /** One of them asks to be redrawn; all that ask at once are drawn together. */
  private redrawSoon(id: string): void {
    if (!this.subjects.has(id)) return;
    this.asking.add(id);
    this.askedAgain.schedule(ASKED_AGAIN_MS);
  }

  private redrawAsking(): void {
    const asking = [...this.asking];
    this.asking.clear();
    for (const id of asking) this.apply(id);
  }
}

function withoutDrawing<I extends DrawnItem>(item: I): I {
  const copy = { ...item };
  delete (copy as { drawing?: Drawing }).drawing;
  return copy;
}

/** An entry whose renderer failed: its type and what it holds. */
function plainEntry({ customType, data }: CustomEntry, expanded: boolean, width: number): readonly string[] {
  const text = JSON.stringify(data, null, expanded ? 2 : 0) as string | undefined;
  const shown = (text ?? '').slice(0, expanded ? MOST_PLAIN : width);
  return [...wrapText(customType, width).map(line => `\x1b[1m${line}\x1b[22m`), ...wrapText(shown, width)];
}

function linesOf(
  component: Component | undefined,
  width: number,
  hook: { failed(error: unknown): void },
): readonly string[] | undefined {
  if (component === undefined) return undefined;
  try {
    return checkedLines(component.render(width));
  } catch (error) {
    hook.failed(error);
    return undefined;
  }
}
