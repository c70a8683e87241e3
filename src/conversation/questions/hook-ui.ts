import { stripVTControlCharacters } from 'node:util';
import * as l10n from '@vscode/l10n';
import { DisposableStore, type Disposable } from '../../base/disposable';
import { messageOf } from '../../base/errors';
import { Emitter } from '../../base/event';
import { anySignal } from '../../base/wait';
import type { HookConversation } from '../../hooks/conversation-port';
import type {
  Answer,
  CompletionSource,
  CustomHandle,
  CustomMount,
  DialogKind,
  DialogOrigin,
  HookQuestion,
  HookUIContext,
  NoticeLevel,
  WidgetPlacement,
  WorkingFrames,
} from '../../hooks/api/ui/ui';
import { paletteOf } from '../../hooks/api/ui/theme';
import { recordedAnswer } from '../../hooks/dispatch/secret-question';
import type { GateItem } from '../../protocol/chat-item';
import type { RunStatus } from '../../protocol/messages';
import type { ChatModel } from '../cards/chat-model';
import type { DialogQueue, Question, QuestionCard } from './dialogs';
import { answerText } from '../cards/present-verdict';
import { askerOf } from './asker';
import type { EditorPort } from '../editor-port';
import { hookRef } from '../hook-ref';
import type { HookHost } from '../../hooks/host/host';
import { toolFacts } from '../../agent/tools';
import type { Presenter } from '../cards/presenter';
import type { ComposerState } from '../composer/composer-state';
import type { HookCompletions } from '../composer/completion/hook-completions';
import type { Neighbours } from '../ports';
import type { Drawings } from '../terminal/drawings';
import { EditorComponent } from '../terminal/editor-component';
import { shortcutOf } from '../terminal/shortcut';
import { HookComponents } from '../terminal/hook-components';

/** What a conversation's hook UI depends on. */
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
  readonly components: HookComponents;
  /** What hooks have drawn within the conversation. */
  readonly drawings: Drawings;
  /** What hooks complete in the composer. */
  readonly completions: HookCompletions;
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

/** What hooks put on the screen of a conversation; an error in it is shown as a message of its hook. */
export function componentsFor(
  conversation: HookConversation,
  to: Pick<HookUiParts, 'chat' | 'editor' | 'hooks'> & { readonly setTitle: (title: string) => void },
): HookComponents {
  const { editor, hooks } = to;
  return new HookComponents(conversation.id, {
    report: (error, origin) => notifyFromHook(to, messageOf(error), 'error', origin),
    setTitle: to.setTitle,
    reveal: () => editor.revealChat?.(),
    shortcuts: () => [...hooks.commands.shortcuts().keys()],
    runShortcut: key => void hooks.commands.runShortcut(key, conversation),
  });
}

/**
 * A conversation's answer to `ctx.ui`: questions appear in the chat as a card and, through the queue, on every view
 * of the window at the same time; notices go to the chat and to the editor.
 */
export class ConversationUi implements HookUIContext, Disposable {
  private readonly statuses = new Map<string, string>();
  private working: string | undefined;
  /** Open components that wait for the user, and for what. */
  private readonly blocked = new Set<{ readonly message: string }>();
  private isWorkingHidden = false;
  private frames: WorkingFrames | undefined;
  private labelOfThoughts: string | undefined;
  private titleOfHook: string | undefined;
  private open = 0;
  /** What hooks have put on the screen. */
  readonly components: HookComponents;
  /** What hooks have drawn within the conversation. */
  readonly drawings: Drawings;
  /** What hooks complete in the composer. */
  readonly completions: HookCompletions;
  /** What the user tells the model about calls they denied: tool call id -> message. */
  private readonly denials = new Map<string, string>();
  private editorComponent: EditorComponent | undefined;
  private readonly owned = new DisposableStore();

  private readonly changeEmitter = new Emitter<void>();
  /** A question, a status text, the working message or what waits on the screen has changed. */
  readonly onDidChange = this.changeEmitter.event;
  private readonly submitEmitter = new Emitter<string>();
  /** A hook's own editor sends a text, as the composer does. */
  readonly onDidSubmit = this.submitEmitter.event;
  private readonly stopEmitter = new Emitter<void>();
  /** The user stops the run in a hook's own editor. */
  readonly onDidStop = this.stopEmitter.event;

  constructor(private readonly parts: HookUiParts) {
    const { hooks, components, drawings, completions } = parts;
    this.components = components;
    this.drawings = drawings;
    this.completions = completions;
    for (const part of [this.changeEmitter, this.submitEmitter, this.stopEmitter, components, drawings, completions]) {
      this.owned.add(part);
    }
    this.owned.add(completions.onDidChange(() => this.changeEmitter.fire()));
    this.owned.add(components.onDidChangeWaiting(() => this.changeEmitter.fire()));
    this.owned.add(this.components.onDidResize(() => this.drawings.redraw()));
    this.owned.add(
      hooks.onDidChange(() => {
        this.components.tellKeys();
        this.drawings.redraw();
      }),
    );
  }

  /** Texts of `setStatus`, sorted by key. */
  get statusTexts(): readonly string[] {
    return [...this.statuses.entries()].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, text]) => text);
  }

  /** While a component waits for the user, it says so. */
  get workingMessage(): string | undefined {
    const blocked = [...this.blocked].at(-1);
    if (blocked === undefined) return this.working;
    const { message } = blocked;
    return message === '' ? l10n.t('Waiting for you') : l10n.t('Waiting for you: {0}', message);
  }

  /** How the row of the working agent is drawn; undefined: as usual. */
  get workingIndicator(): RunStatus['indicator'] {
    const { frames, isWorkingHidden: hidden } = this;
    if (frames === undefined) return hidden ? { hidden, intervalMs: 0 } : undefined;
    return { hidden, ...frames };
  }

  /** What folded thoughts are called; undefined: as usual. */
  get thinkingLabel(): string | undefined {
    return this.labelOfThoughts;
  }

  /** What a hook calls the chat; undefined: nothing. */
  get title(): string | undefined {
    return this.titleOfHook;
  }

  /** Questions of this conversation that are shown or wait. */
  get openQuestions(): number {
    return this.open;
  }

  async ask(asked: HookQuestion): Promise<Answer> {
    const { presenter, dialogs } = this.parts;
    const { toolCallId, input } = asked.origin;
    if (toolCallId !== undefined && input !== undefined) presenter.cards.showInput(toolCallId, input);
    const card = this.card(asked);
    const signal = anySignal(asked.signal, this.parts.conversation.signal);
    this.open += 1;
    this.draw(card, { type: 'queued' });
    this.changeEmitter.fire();
    try {
      const answer = await dialogs.ask(this.question(card, asked), {
        ...(signal === undefined ? {} : { signal }),
        onShown: () => {
          this.draw(card, { type: 'open' });
          if (toolCallId !== undefined) presenter.cards.setState(toolCallId, { type: 'asking', hook: card.hook });
        },
        onOver: given => {
          const denial = denialIn(given);
          if (denial !== undefined && toolCallId !== undefined) this.denials.set(toolCallId, denial);
          if (asked.instead === 'dry-fire') this.parts.chat.apply({ type: 'remove', id: card.id });
          else this.draw(card, stateAfter(card, given));
        },
      });
      if (toolCallId !== undefined) presenter.cards.stopsAsking(toolCallId);
      return answer;
    } finally {
      this.open -= 1;
      this.changeEmitter.fire();
    }
  }

  private async blockUntil(closed: Promise<unknown>, message: string): Promise<void> {
    const wait = { message };
    this.blocked.add(wait);
    this.changeEmitter.fire();
    await closed.catch(() => undefined); // The caller gets the error.
    this.blocked.delete(wait);
    this.changeEmitter.fire();
  }

  /** What the user told the model with the denial of this call; once. */
  takeDenial(toolCallId: string): string | undefined {
    const message = this.denials.get(toolCallId);
    this.denials.delete(toolCallId);
    return message;
  }

  notify(message: string, level: NoticeLevel, origin: DialogOrigin): void {
    notifyFromHook(this.parts, message, level, origin);
  }

  setStatus(key: string, text: string | undefined, _origin: DialogOrigin): void {
    if (text === undefined) this.statuses.delete(key);
    else this.statuses.set(key, stripVTControlCharacters(text));
    this.parts.editor.setHookStatus(this.statusTexts);
    this.changeEmitter.fire();
  }

  setWidget(
    key: string,
    content: readonly string[] | CustomMount | undefined,
    placement: WidgetPlacement,
    origin: DialogOrigin,
  ): void {
    this.components.setWidget(key, content, placement, origin);
  }

  setWorkingMessage(message: string | undefined): void {
    this.working = message === undefined ? undefined : stripVTControlCharacters(message);
    this.changeEmitter.fire();
  }

  setWorkingVisible(visible: boolean): void {
    this.isWorkingHidden = !visible;
    this.changeEmitter.fire();
  }

  setWorkingIndicator(frames: WorkingFrames | undefined): void {
    this.frames = frames;
    this.changeEmitter.fire();
  }

  setHiddenThinkingLabel(label: string | undefined): void {
    this.labelOfThoughts = label;
    this.changeEmitter.fire();
  }

  setTitle(title: string): void {
    this.titleOfHook = title === '' ? undefined : title;
    this.parts.editor.setTitle(title);
    this.changeEmitter.fire();
  }

  setEditorText(text: string): void {
    this.parts.composer.text = text;
    this.editorComponent?.setText(text);
    this.parts.chat.apply({ type: 'composer', text, mode: 'replace' });
  }

  getEditorText(): string {
    return this.editorComponent?.getText() ?? this.parts.composer.text;
  }

  pasteToEditor(text: string): void {
    this.parts.composer.text += text;
    this.editorComponent?.insert(text);
    this.parts.chat.apply({ type: 'composer', text, mode: 'insert' });
  }

  custom(mount: CustomMount, origin: DialogOrigin): CustomHandle {
    const handle = this.components.custom(mount, origin);
    if (mount.blocked !== undefined) void this.blockUntil(handle.closed, mount.blocked);
    return handle;
  }

  setHeader(mount: CustomMount | undefined, origin: DialogOrigin): void {
    this.components.setPlace('header', mount, origin);
  }

  setFooter(mount: CustomMount | undefined, origin: DialogOrigin): void {
    this.components.setPlace('footer', mount, origin);
  }

  setEditorComponent(mount: CustomMount | undefined, origin: DialogOrigin): void {
    const { composer, chat } = this.parts;
    if (mount === undefined && this.editorComponent !== undefined) {
      // What was typed goes on in the input box that comes back.
      composer.text = this.getEditorText();
      chat.apply({ type: 'composer', text: composer.text, mode: 'replace' });
    }
    this.editorComponent = undefined;
    this.components.setPlace('editor', mount, origin, component => {
      this.editorComponent = new EditorComponent(component, {
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
    return this.components.listen(listener);
  }

  addAutocompleteProvider(source: CompletionSource): Disposable {
    return this.completions.add(source);
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
    this.components.restyle();
    this.drawings.redraw();
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

  private card({ title, message, dialog, origin, instead }: HookQuestion): QuestionCard {
    const { chat, conversation, presenter } = this.parts;
    return {
      id: `gate:${conversation.id}:${chat.nextId('gate')}`,
      hook: askerOf(origin, instead),
      ...(origin.toolCallId === undefined ? {} : { toolItem: presenter.cards.itemIdOf(origin.toolCallId) }),
      title,
      message,
      dialog,
      ...(canDeny(dialog, origin) ? { canDeny: true as const } : {}),
    };
  }

  private question(card: QuestionCard, { origin, timeout }: HookQuestion): Question {
    const { toolCallId } = origin;
    const tool = toolCallId === undefined ? undefined : this.parts.presenter.cards.shown(toolCallId);
    const about = tool === undefined ? aboutOf(origin) : `${tool.name}: ${tool.summary}`;
    const conversation = this.parts.neighbours?.nameOf();
    return {
      ...card,
      ...(conversation === undefined ? {} : { conversation }),
      ...(about === undefined ? {} : { about }),
      ...(timeout === undefined ? {} : { timeout }),
    };
  }

  private draw(card: QuestionCard, state: GateItem['state']): void {
    this.parts.chat.apply({ type: 'item', item: { kind: 'gate', ...card, state } });
  }
}

function canDeny({ type }: DialogKind, { toolCallId, event }: DialogOrigin): boolean {
  return toolCallId !== undefined && event !== 'tool_result' && (type === 'select' || type === 'confirm');
}

function aboutOf({ toolName, input }: DialogOrigin): string | undefined {
  return toolName === undefined || input === undefined
    ? toolName
    : `${toolName}: ${toolFacts(toolName).summarize(input)}`;
}

/** What a card says once its question is over; of a secret only that there was one. */
function stateAfter({ title, dialog }: QuestionCard, answer: Answer): GateItem['state'] {
  const denial = denialIn(answer);
  if (denial !== undefined) return { type: 'answered', answer: l10n.t('Denied: {0}', denial) };
  const given = typeof answer === 'object' && dialog.type === 'confirm' ? false : answer;
  const hint = dialog.type === 'input' ? dialog.placeholder : undefined;
  const text = answerText(recordedAnswer({ kind: dialog.type, title }, hint, given));
  return text === undefined ? { type: 'cancelled' } : { type: 'answered', answer: text };
}

/** What the user says with a denial; undefined for a blank text, and for other answers. */
function denialIn(answer: Answer): string | undefined {
  const message = typeof answer === 'object' ? answer.denied.trim() : '';
  return message === '' ? undefined : message;
}
