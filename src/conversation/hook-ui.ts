import type { CustomHandle, DialogOptions, DialogOrigin, HookUIContext, NoticeLevel } from '../hooks/ui';
import { noUi } from '../hooks/ui';
import type { DialogKind, GateItem } from '../protocol/chat-item';
import type { ChatModel } from './chat-model';
import type { Answer, DialogQueue, Question } from './dialogs';
import type { EditorPort } from './editor-port';
import { hookRef } from './hook-ref';
import { toolItemId } from './present-tool';
import type { Presenter } from './presenter';

/** What a conversation's hook UI stands on. */
export interface HookUiParts {
  readonly chat: ChatModel;
  readonly presenter: Presenter;
  readonly dialogs: DialogQueue;
  readonly editor: EditorPort;
  /** Signal of the current run: aborting it closes the questions asked in it. */
  readonly runSignal: () => AbortSignal | undefined;
  readonly draft: { get(): string; set(text: string): void };
  readonly onStatus: () => void;
}

/**
 * A conversation's answer to `ctx.ui`: questions appear in the chat as a card and, through the queue, on every surface
 * of the window at the same time; notices go to the chat and to the editor.
 */
export class ConversationUi implements HookUIContext {
  private readonly statuses = new Map<string, string>();
  private working: string | undefined;
  private open = 0;

  constructor(private readonly parts: HookUiParts) {}

  /** Texts of `setStatus`, sorted by key. */
  get statusTexts(): readonly string[] {
    return [...this.statuses.entries()].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, text]) => text);
  }

  get workingMessage(): string | undefined {
    return this.working;
  }

  /** Questions of this conversation that are shown or wait. */
  get openQuestions(): number {
    return this.open;
  }

  async select(title: string, options: readonly string[], dialog: DialogOptions): Promise<string | undefined> {
    return this.ask(title, '', { type: 'select', options: [...options] }, dialog);
  }

  async confirm(title: string, message: string, dialog: DialogOptions): Promise<boolean> {
    return (await this.ask(title, message, { type: 'confirm' }, dialog)) === 'Yes';
  }

  async input(title: string, placeholder: string | undefined, dialog: DialogOptions): Promise<string | undefined> {
    return this.ask(title, '', { type: 'input', placeholder: placeholder ?? '' }, dialog);
  }

  async editor(title: string, prefill: string | undefined, dialog: DialogOptions): Promise<string | undefined> {
    return this.ask(title, '', { type: 'editor', prefill: prefill ?? '' }, dialog);
  }

  notify(message: string, level: NoticeLevel, origin: DialogOrigin): void {
    const { chat, presenter, editor } = this.parts;
    const hook = hookRef(origin.hookPath);
    chat.apply({ type: 'item', item: { kind: 'notice', id: presenter.nextId('notice'), level, text: message, hook } });
    editor.notify(message, level, origin);
  }

  setStatus(key: string, text: string | undefined, _origin: DialogOrigin): void {
    if (text === undefined) this.statuses.delete(key);
    else this.statuses.set(key, text);
    this.parts.editor.setHookStatus(this.statusTexts);
    this.parts.onStatus();
  }

  setWidget(): void {
    // Widgets are drawn by the terminal surface, which is not part of the chat yet: the text would have no place.
  }

  setWorkingMessage(message: string | undefined): void {
    this.working = message;
    this.parts.onStatus();
  }

  setTitle(title: string): void {
    this.parts.editor.setTitle(title);
  }

  setEditorText(text: string): void {
    this.parts.draft.set(text);
    this.parts.chat.apply({ type: 'composer', text, mode: 'replace' });
  }

  getEditorText(): string {
    return this.parts.draft.get();
  }

  pasteToEditor(text: string): void {
    this.parts.draft.set(this.parts.draft.get() + text);
    this.parts.chat.apply({ type: 'composer', text, mode: 'insert' });
  }

  custom(mount: Parameters<HookUIContext['custom']>[0], origin: DialogOrigin): CustomHandle {
    this.notify(
      'This hook wants to draw its own panel, which Hookline cannot show yet; it was dismissed.',
      'warning',
      origin,
    );
    return noUi.custom(mount, origin);
  }

  setHeader(): void {
    // See setWidget.
  }

  setFooter(): void {
    // See setWidget.
  }

  getToolsExpanded(): boolean {
    return false;
  }

  setToolsExpanded(): void {
    // Cards are opened one by one by the person who reads them.
  }

  private async ask(title: string, message: string, kind: DialogKind, dialog: DialogOptions): Promise<Answer> {
    const { chat, presenter, dialogs } = this.parts;
    const item = this.gateItem(title, message, kind, dialog.origin);
    const signal = anySignal(dialog.signal, this.parts.runSignal());
    this.open += 1;
    chat.apply({ type: 'item', item });
    try {
      const answer = await dialogs.ask(this.question(item, dialog.origin), {
        ...(signal === undefined ? {} : { signal }),
        ...(dialog.timeout === undefined ? {} : { timeout: dialog.timeout }),
        onState: (state, given) => {
          chat.apply({ type: 'item', item: { ...item, state: gateState(state, given) } });
          if (state === 'open' && dialog.origin.toolCallId !== undefined) {
            presenter.setToolState(dialog.origin.toolCallId, { type: 'asking', hook: item.hook });
          }
        },
      });
      if (answer === undefined) chat.apply({ type: 'item', item: { ...item, state: { type: 'cancelled' } } });
      if (dialog.origin.toolCallId !== undefined) presenter.stopsAsking(dialog.origin.toolCallId);
      return answer;
    } finally {
      this.open -= 1;
      this.parts.onStatus();
    }
  }

  private gateItem(title: string, message: string, dialog: DialogKind, origin: DialogOrigin): GateItem {
    return {
      kind: 'gate',
      id: this.parts.presenter.nextId('gate'),
      hook: hookRef(origin.hookPath),
      ...(origin.toolCallId === undefined ? {} : { toolItem: toolItemId(origin.toolCallId) }),
      title,
      message,
      dialog,
      state: { type: 'queued' },
    };
  }

  private question(item: GateItem, origin: DialogOrigin): Question {
    const card = item.toolItem === undefined ? undefined : this.parts.chat.get(item.toolItem);
    const about = card?.kind === 'tool' ? `${card.name}: ${card.summary}` : origin.toolName;
    return {
      id: item.id,
      hook: item.hook,
      kind: item.dialog,
      title: item.title,
      message: item.message,
      ...(about === undefined ? {} : { about }),
      ...(origin.toolCallId === undefined ? {} : { toolCallId: origin.toolCallId }),
    };
  }
}

function gateState(state: 'open' | 'over', answer: Answer): GateItem['state'] {
  if (state === 'open') return { type: 'open' };
  return answer === undefined ? { type: 'cancelled' } : { type: 'answered', answer };
}

function anySignal(...signals: readonly (AbortSignal | undefined)[]): AbortSignal | undefined {
  const given = signals.filter(signal => signal !== undefined);
  return given.length > 1 ? AbortSignal.any(given) : given[0];
}
