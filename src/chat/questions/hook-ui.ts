import { stripVTControlCharacters } from 'node:util';
import type { KeyId } from '@mariozechner/pi-tui';
import { DisposableStore, type Disposable } from '../../base/disposable';
import { messageOf } from '../../base/errors';
import { Emitter } from '../../base/event';
import type { HookConversation } from '../../hook-contract/conversation-port';
import type {
  Answer,
  CompletionSource,
  CustomHandle,
  CustomMount,
  DialogOrigin,
  HookQuestion,
  HookUIContext,
  NoticeLevel,
  WidgetPlacement,
  WorkingFrames,
} from '../../hook-contract/ui/ui';
import { paletteOf } from '../../hook-contract/ui/theme';
import type { RunStatus } from '../../protocol/messages';
import type { EditorPort } from '../editor/editor-port';
import { hookRef } from '../../transcript/hook-ref';
import type { HookHost } from '../../hook-run/host/host';
import type { ComposerState } from '../composer/composer-state';
import type { HookCompletions } from '../composer/completion/hook-completions';
import type { Drawings } from '../cards/drawings';
import type { ChatModel } from '../model/chat-model';
import { EditorComponent } from '../components/editor-component';
import { loadedPiTui } from '../../components/pi-tui';
import { HookComponents } from '../components/hook-components';

/** What a conversation's hook UI depends on. */
export interface HookUiParts {
  readonly chat: ChatModel;
  /** The conversation as hooks see it. */
  readonly conversation: HookConversation;
  readonly ask: HookUIContext['ask'];
  readonly editor: EditorPort;
  readonly composer: ComposerState;
  readonly hooks: HookHost;
  /** What hooks have put on the screen. */
  readonly components: HookComponents;
  /** What hooks have drawn within the conversation. */
  readonly drawings: Drawings;
  /** What hooks complete in the composer. */
  readonly completions: HookCompletions;
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
    reveal: () => editor.revealChat(conversation.id),
    offer: () => editor.offerConversation(conversation.id),
    shortcuts: () => [...hooks.commands.shortcuts().keys()],
    runShortcut: key => void hooks.commands.runShortcut(key, conversation),
  });
}

/**
 * A conversation's answer to `ctx.ui`: what hooks ask, say and put on the screen. Notices go to the chat and to the
 * editor.
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
  /** What hooks have put on the screen. */
  readonly components: HookComponents;
  /** What hooks have drawn within the conversation. */
  readonly drawings: Drawings;
  /** What hooks complete in the composer. */
  readonly completions: HookCompletions;
  private editorComponent: EditorComponent | undefined;
  private readonly owned = new DisposableStore();

  private readonly changeEmitter = new Emitter<void>();
  /** A status text, the working message or what waits on the screen has changed. */
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
    for (const event of [completions.onDidChange, components.onDidChangeWaiting]) {
      this.owned.add(event(() => this.changeEmitter.fire()));
    }
    this.owned.add(this.components.onDidResize(() => this.drawings.redraw()));
    this.owned.add(
      hooks.onDidChange(() => {
        this.components.publishKeys();
        this.drawings.redraw();
      }),
    );
  }

  /** Texts of `setStatus`, sorted by key. */
  get statusTexts(): readonly string[] {
    return [...this.statuses.entries()].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, text]) => text);
  }

  /** What a hook says that the agent does; undefined: nothing particular. */
  get workingMessage(): string | undefined {
    return this.working;
  }

  /** What a component that waits for the user waits for, empty if it does not say; undefined: none waits. */
  get awaited(): string | undefined {
    return [...this.blocked].at(-1)?.message;
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

  ask(asked: HookQuestion): Promise<Answer> {
    return this.parts.ask(asked);
  }

  private async blockUntil(closed: Promise<unknown>, message: string): Promise<void> {
    const wait = { message };
    this.blocked.add(wait);
    this.changeEmitter.fire();
    await closed.catch(() => undefined); // The caller gets the error.
    this.blocked.delete(wait);
    this.changeEmitter.fire();
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
    this.parts.composer.putText(text);
    this.editorComponent?.setText(text);
  }

  getEditorText(): string {
    return this.editorComponent?.getText() ?? this.parts.composer.text;
  }

  pasteToEditor(text: string): void {
    this.parts.composer.paste(text);
    this.editorComponent?.insert(text);
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
    const { composer } = this.parts;
    if (mount === undefined && this.editorComponent !== undefined) {
      // The typed text stays in the input box that returns.
      composer.putText(this.getEditorText());
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
}

/** Which of the shortcuts this terminal input is, if any. */
function shortcutOf(data: string, shortcuts: readonly string[]): string | undefined {
  const lib = loadedPiTui();
  return lib === undefined ? undefined : shortcuts.find(key => lib.matchesKey(data, key as KeyId));
}
