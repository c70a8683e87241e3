import * as l10n from '@vscode/l10n';
import { DisposableStore, type Disposable } from '../../base/disposable';
import { messageOf } from '../../base/errors';
import { Emitter } from '../../base/event';
import { anySignal } from '../../base/wait';
import type { HookConversation } from '../../hooks/conversation-port';
import type {
  CustomHandle,
  CustomMount,
  DialogOptions,
  DialogOrigin,
  HookUIContext,
  NoticeLevel,
  WidgetPlacement,
} from '../../hooks/api/ui/ui';
import { paletteOf } from '../../hooks/api/ui/theme';
import { recordedAnswer } from '../../hooks/dispatch/secret-question';
import type { DialogKind, GateItem } from '../../protocol/chat-item';
import type { ChatModel } from '../cards/chat-model';
import type { Answer, DialogQueue, Question } from './dialogs';
import { denialOf, Denials } from './denials';
import type { EditorPort } from '../editor-port';
import { hookRef } from '../hook-ref';
import type { HookHost } from '../../hooks/host/host';
import { toolItemId } from '../cards/present-tool';
import { factsOf } from '../../agent/tools';
import type { Presenter } from '../cards/presenter';
import type { ComposerState } from '../composer/composer-state';
import type { Neighbours } from '../ports';
import type { Drawings } from '../terminal/drawings';
import { EditorSurface } from '../terminal/editor-surface';
import { shortcutOf } from '../terminal/shortcut';
import { Surfaces } from '../terminal/surfaces';

/** What a conversation's hook UI stands on. */
export interface HookUiParts {
  readonly chat: ChatModel;
  readonly presenter: Presenter;
  readonly dialogs: DialogQueue;
  readonly editor: EditorPort;
  readonly composer: ComposerState;
  readonly hooks: HookHost;
  /** The conversation as hooks see it. */
  readonly conversation: HookConversation;
  /** What hooks have put on the screen. */
  readonly surfaces: Surfaces;
  /** What hooks have drawn within the conversation. */
  readonly drawings: Drawings;
  /** Absent where there is but one conversation. */
  readonly neighbours: Neighbours | undefined;
}

function notifyFromHook(
  { chat, editor }: Pick<HookUiParts, 'chat' | 'editor'>,
  message: string,
  level: NoticeLevel,
  origin: DialogOrigin,
): void {
  chat.notice(level, message, { hook: hookRef(origin.hookPath) });
  editor.notify(message, level, origin);
}

/** What hooks put on the screen of a conversation; what goes wrong in it is told as a message of its hook. */
export function surfacesFor(
  conversation: HookConversation,
  to: Pick<HookUiParts, 'chat' | 'editor' | 'hooks'>,
): Surfaces {
  const { editor, hooks } = to;
  return new Surfaces(conversation.id, {
    report: (error, origin) => notifyFromHook(to, messageOf(error), 'error', origin),
    setTitle: title => editor.setTitle(title),
    reveal: () => editor.revealChat?.(),
    shortcuts: () => [...hooks.commands.shortcuts().keys()],
    runShortcut: key => void hooks.commands.runShortcut(key, conversation),
  });
}

/**
 * A conversation's answer to `ctx.ui`: questions appear in the chat as a card and, through the queue, on every surface
 * of the window at the same time; notices go to the chat and to the editor.
 */
export class ConversationUi implements HookUIContext, Disposable {
  private readonly statuses = new Map<string, string>();
  private working: string | undefined;
  private open = 0;
  /** What hooks have put on the screen. */
  readonly surfaces: Surfaces;
  /** What hooks have drawn within the conversation. */
  readonly drawings: Drawings;
  /** What the person said with denials. */
  readonly denials = new Denials();
  private editorSurface: EditorSurface | undefined;
  private readonly owned = new DisposableStore();

  private readonly changeEmitter = new Emitter<void>();
  /** A question, a status text, the working message or what waits on the screen has changed. */
  readonly onDidChange = this.changeEmitter.event;
  private readonly submitEmitter = new Emitter<string>();
  /** A hook's own editor sends a text, as the composer does. */
  readonly onDidSubmit = this.submitEmitter.event;
  private readonly stopEmitter = new Emitter<void>();
  /** The person stops the run in a hook's own editor. */
  readonly onDidStop = this.stopEmitter.event;

  constructor(private readonly parts: HookUiParts) {
    const { hooks, surfaces, drawings } = parts;
    this.surfaces = surfaces;
    this.drawings = drawings;
    for (const part of [this.changeEmitter, this.submitEmitter, this.stopEmitter, surfaces, drawings]) {
      this.owned.add(part);
    }
    this.owned.add(surfaces.onDidChangeWaiting(() => this.changeEmitter.fire()));
    this.owned.add(this.surfaces.onDidResize(() => this.drawings.redraw()));
    this.owned.add(
      hooks.onDidChange(() => {
        this.surfaces.tellKeys();
        this.drawings.redraw();
      }),
    );
  }

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
    notifyFromHook(this.parts, message, level, origin);
  }

  setStatus(key: string, text: string | undefined, _origin: DialogOrigin): void {
    if (text === undefined) this.statuses.delete(key);
    else this.statuses.set(key, text);
    this.parts.editor.setHookStatus(this.statusTexts);
    this.changeEmitter.fire();
  }

  setWidget(
    key: string,
    content: readonly string[] | CustomMount | undefined,
    placement: WidgetPlacement,
    origin: DialogOrigin,
  ): void {
    this.surfaces.setWidget(key, content, placement, origin);
  }

  setWorkingMessage(message: string | undefined): void {
    this.working = message;
    this.changeEmitter.fire();
  }

  setTitle(title: string): void {
    this.parts.editor.setTitle(title);
  }

  setEditorText(text: string): void {
    this.parts.composer.text = text;
    this.editorSurface?.setText(text);
    this.parts.chat.apply({ type: 'composer', text, mode: 'replace' });
  }

  getEditorText(): string {
    return this.editorSurface?.getText() ?? this.parts.composer.text;
  }

  pasteToEditor(text: string): void {
    this.parts.composer.text += text;
    this.editorSurface?.insert(text);
    this.parts.chat.apply({ type: 'composer', text, mode: 'insert' });
  }

  custom(mount: CustomMount, origin: DialogOrigin): CustomHandle {
    return this.surfaces.custom(mount, origin);
  }

  setHeader(mount: CustomMount | undefined, origin: DialogOrigin): void {
    this.surfaces.setPlace('header', mount, origin);
  }

  setFooter(mount: CustomMount | undefined, origin: DialogOrigin): void {
    this.surfaces.setPlace('footer', mount, origin);
  }

  setEditorComponent(mount: CustomMount | undefined, origin: DialogOrigin): void {
    const { composer, chat } = this.parts;
    if (mount === undefined && this.editorSurface !== undefined) {
      // What was typed goes on in the input box that comes back.
      composer.text = this.getEditorText();
      chat.apply({ type: 'composer', text: composer.text, mode: 'replace' });
    }
    this.editorSurface = undefined;
    this.surfaces.setPlace('editor', mount, origin, component => {
      this.editorSurface = new EditorSurface(component, {
        getText: () => composer.text,
        changed: text => {
          composer.text = text;
        },
        submit: text => this.submitEmitter.fire(text),
        stop: () => this.stopEmitter.fire(),
        shortcut: this.runShortcutOf,
      });
    });
  }

  onTerminalInput(listener: (data: string) => boolean): Disposable {
    return this.surfaces.listen(listener);
  }

  getToolsExpanded(): boolean {
    return this.drawings.isExpanded;
  }

  setToolsExpanded(expanded: boolean): void {
    this.drawings.setAllExpanded(expanded);
  }

  /** Draws everything of hooks in these colours from now on. */
  useTheme(name: string, colors: Readonly<Record<string, string>>): void {
    this.parts.hooks.theme.use(name, paletteOf(colors));
    this.surfaces.restyle();
    this.drawings.redraw();
  }

  /** Answers an open question with "no", and tells the model why; a blank message is none. */
  deny(gate: Pick<GateItem, 'id' | 'dialog'>, message: string): void {
    this.denials.say(gate.id, message);
    this.parts.dialogs.answer(gate.id, denialOf(gate));
  }

  dispose(): void {
    this.owned.dispose();
  }

  private readonly runShortcutOf = (data: string): boolean => {
    const { hooks, conversation } = this.parts;
    const key = shortcutOf(data, [...hooks.commands.shortcuts().keys()]);
    if (key !== undefined) void hooks.commands.runShortcut(key, conversation);
    return key !== undefined;
  };

  private async ask(title: string, message: string, kind: DialogKind, dialog: DialogOptions): Promise<Answer> {
    const { chat, presenter, dialogs } = this.parts;
    const { toolCallId, input } = dialog.origin;
    if (toolCallId !== undefined && input !== undefined) presenter.cards.showInput(toolCallId, input);
    const item = this.gateItem(title, message, kind, dialog.origin);
    const signal = anySignal(dialog.signal, this.parts.conversation.signal);
    this.open += 1;
    chat.apply({ type: 'item', item });
    this.changeEmitter.fire();
    try {
      const answer = await dialogs.ask(this.question(item, dialog), {
        ...(signal === undefined ? {} : { signal }),
        ...(dialog.timeout === undefined ? {} : { timeout: dialog.timeout }),
        onState: (state, given) => {
          const denial = state === 'over' ? this.denials.settle(item.id, toolCallId) : undefined;
          chat.apply({ type: 'item', item: { ...item, state: gateState(state, shownAnswer(item, given), denial) } });
          if (state === 'open' && toolCallId !== undefined) {
            presenter.cards.setState(toolCallId, { type: 'asking', hook: item.hook });
          }
        },
      });
      const shown = chat.get(item.id);
      if (answer === undefined && shown?.kind === 'gate' && shown.state.type !== 'answered') {
        chat.apply({ type: 'item', item: { ...item, state: { type: 'cancelled' } } });
      }
      if (toolCallId !== undefined) presenter.cards.stopsAsking(toolCallId);
      return answer;
    } finally {
      this.open -= 1;
      this.changeEmitter.fire();
    }
  }

  private gateItem(title: string, message: string, dialog: DialogKind, origin: DialogOrigin): GateItem {
    return {
      kind: 'gate',
      id: `gate:${this.parts.conversation.id}:${this.parts.chat.nextId('gate')}`,
      hook: hookRef(origin.hookPath),
      ...(origin.toolCallId === undefined ? {} : { toolItem: toolItemId(origin.toolCallId) }),
      title,
      message,
      dialog,
      ...(canDeny(dialog, origin) ? { canDeny: true as const } : {}),
      state: { type: 'queued' },
    };
  }

  private question(item: GateItem, { origin, timeout }: DialogOptions): Question {
    const card = item.toolItem === undefined ? undefined : this.parts.chat.get(item.toolItem);
    const about = card?.kind === 'tool' ? `${card.name}: ${card.summary}` : aboutOf(origin);
    const conversation = this.parts.neighbours?.nameOf();
    const deny = (message: string): void => {
      this.deny(item, message);
    };
    return {
      id: item.id,
      hook: item.hook,
      ...(conversation === undefined ? {} : { conversation }),
      kind: item.dialog,
      title: item.title,
      message: item.message,
      ...(about === undefined ? {} : { about }),
      ...(origin.toolCallId === undefined ? {} : { toolCallId: origin.toolCallId }),
      ...(item.canDeny === true ? { deny } : {}),
      ...(timeout === undefined ? {} : { timeout }),
    };
  }
}

function canDeny({ type }: DialogKind, { toolCallId, event }: DialogOrigin): boolean {
  return toolCallId !== undefined && event !== 'tool_result' && (type === 'select' || type === 'confirm');
}

function aboutOf({ toolName, input }: DialogOrigin): string | undefined {
  return toolName === undefined || input === undefined
    ? toolName
    : `${toolName}: ${factsOf(toolName).summarize(input)}`;
}

/** What was answered, as the chat keeps it: no secret. */
function shownAnswer({ title, dialog }: GateItem, answer: Answer): Answer {
  const hint = dialog.type === 'input' ? dialog.placeholder : undefined;
  return recordedAnswer({ kind: dialog.type, title }, hint, answer) as Answer;
}

function gateState(state: 'open' | 'over', answer: Answer, denial: string | undefined): GateItem['state'] {
  if (state === 'open') return { type: 'open' };
  if (denial !== undefined) return { type: 'answered', answer: l10n.t('Denied: {0}', denial) };
  return answer === undefined ? { type: 'cancelled' } : { type: 'answered', answer };
}
