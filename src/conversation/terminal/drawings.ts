import type { Component } from '@mariozechner/pi-tui';
import type { CustomMessage } from '../../agent/messages';
import type { ToolResult } from '../../agent/tools/tool';
import type { Disposable } from '../../base/disposable';
import type { CustomItem, Drawing, ToolItem } from '../../protocol/chat-item';
import type { ChatModel } from '../cards/chat-model';
import type { HookHost } from '../../hooks/host/host';
import { checkedLines } from './lines';

/** Drawings made again in one go; between them the host breathes. */
const AT_ONCE = 20;

export interface DrawingsParts {
  readonly hooks: Pick<HookHost, 'messageRenderer' | 'toolRenderers'>;
  readonly chat: ChatModel;
  readonly cwd: string;
  /** Columns inside of a card. */
  columns(): number;
}

/** A call of a hook's tool as far as it is known. */
interface Call {
  readonly name: string;
  readonly args: unknown;
  readonly toolCallId: string;
  /** Shared by all drawings of one call, as in pi 0.73. */
  readonly state: object;
  readonly result?: { readonly value: ToolResult; readonly isPartial: boolean; readonly isError: boolean };
}

type Subject =
  { readonly type: 'message'; readonly message: CustomMessage } | { readonly type: 'call'; readonly call: Call };

/**
 * How hooks draw their own messages and the calls of their tools (`registerMessageRenderer`, `renderCall`,
 * `renderResult`): lines for the page's width, made again when width, colours, hooks or the fold change. What throws is
 * told by the hook runtime, and the item is shown as any other.
 */
export class Drawings implements Disposable {
  private readonly subjects = new Map<string, Subject>();
  private readonly expanded = new Map<string, boolean>();
  private allExpanded = false;
  private again: NodeJS.Immediate | undefined;

  constructor(private readonly parts: DrawingsParts) {}

  /** Whether all are drawn in full unless the person chose otherwise for one. */
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
  }

  message(id: string, message: CustomMessage): { readonly drawing?: Drawing } {
    return this.keep(id, { type: 'message', message });
  }

  call(id: string, name: string, toolCallId: string, args: unknown): { readonly drawing?: Drawing } {
    if (this.parts.hooks.toolRenderers(name) === undefined) return {};
    return this.keep(id, { type: 'call', call: { name, args, toolCallId, state: {} } });
  }

  result(id: string, value: ToolResult, isPartial: boolean, isError: boolean): { readonly drawing?: Drawing } {
    const known = this.subjects.get(id);
    if (known?.type !== 'call') return {};
    return this.keep(id, { type: 'call', call: { ...known.call, result: { value, isPartial, isError } } });
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
    this.reset();
  }

  private keep(id: string, subject: Subject): { readonly drawing?: Drawing } {
    this.subjects.set(id, subject);
    const drawing = this.draw(id, subject);
    return drawing === undefined ? {} : { drawing };
  }

  private apply(id: string): void {
    const item = this.parts.chat.get(id);
    const subject = this.subjects.get(id);
    if (subject === undefined || (item?.kind !== 'custom' && item?.kind !== 'tool')) return;
    const drawing = this.draw(id, subject);
    if (JSON.stringify(drawing) === JSON.stringify(item.drawing)) return;
    const { chat } = this.parts;
    if (drawing !== undefined) chat.apply({ type: 'item', item: { ...item, drawing } });
    else chat.apply({ type: 'item', item: withoutDrawing(item) });
  }

  private draw(id: string, subject: Subject): Drawing | undefined {
    const expanded = this.expanded.get(id) ?? this.allExpanded;
    const width = this.parts.columns();
    return subject.type === 'message'
      ? this.drawMessage(subject.message, expanded, width)
      : this.drawCall(subject.call, expanded, width);
  }

  private drawMessage(message: CustomMessage, expanded: boolean, width: number): Drawing | undefined {
    const renderer = this.parts.hooks.messageRenderer(message.customType);
    const lines = renderer && linesOf(renderer(message, { expanded, width }), width, renderer);
    return lines === undefined ? undefined : { lines, expanded };
  }

  private drawCall(call: Call, expanded: boolean, width: number): Drawing | undefined {
    const renderers = this.parts.hooks.toolRenderers(call.name);
    if (renderers === undefined) return undefined;
    const { args, toolCallId, state, result } = call;
    const isPartial = result?.isPartial ?? true;
    const context = {
      args,
      toolCallId,
      state,
      cwd: this.parts.cwd,
      expanded,
      isPartial,
      isError: result?.isError ?? false,
      executionStarted: true,
      argsComplete: true,
      showImages: false,
      lastComponent: undefined,
      invalidate: () => this.redraw(),
    };
    const head = linesOf(renderers.call(args, context), width, renderers);
    const lines =
      result === undefined
        ? undefined
        : linesOf(renderers.result(result.value, { expanded, isPartial }, context), width, renderers);
    if (head === undefined && lines === undefined) return undefined;
    return { ...(head === undefined ? {} : { head }), lines: lines ?? [], expanded };
  }
}

function withoutDrawing<I extends CustomItem | ToolItem>(item: I): I {
  const copy = { ...item };
  delete (copy as { drawing?: Drawing }).drawing;
  return copy;
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
