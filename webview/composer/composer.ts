import * as l10n from '@vscode/l10n';
import { render } from 'lit';
import type { Image } from '../../src/protocol/items/chat-item';
import {
  LARGEST_MESSAGE,
  MOST_ATTACHMENTS,
  type Attachments,
  type ComposerToPage,
  type Delivery,
  type TextFile,
} from '../../src/protocol/composer/composer';
import { movedCaret } from '../../src/protocol/composer/merged-draft';
import type { EditedMessage, HostToWebview } from '../../src/protocol/messages';
import type { ChatState } from '../chat/reducer';
import { emit } from '../controls/emit';
import { draggedUris, takeFiles } from './attach';
import { composerView, type ComposerHandlers } from './composer-view';
import { Editing } from './editing';
import { caretAtEdge, sentTexts, walkHistory, type HistoryWalk } from './history';
import { Mentioned, withoutMention } from './mentioned';
import { queuedItems } from './queue-view';
import { replaceText } from './replace-text';
import { Suggesting } from './suggesting';
import { accepted, type Suggestion } from './suggestions';

type ComposerMode = Extract<HostToWebview, { type: 'composer' }>['mode'];

const NO_ATTACHMENTS: Attachments = { images: [], files: [] };

/** What is attached to the draft of one session. */
interface Attached {
  readonly session: string;
  attachments: Attachments;
}

/** The composer. Its text is stored only in the textarea; everything else is drawn from fields of this class. */
export class Composer {
  private state: ChatState;
  private walk: HistoryWalk | undefined;
  private attached: Attached = { session: '', attachments: NO_ATTACHMENTS };
  private readonly editing = new Editing();
  private problem = '';
  /** The text when the user took a hook's suggestion; the host's answer says what replaces it. */
  private taken: { readonly id: number; readonly text: string } | undefined;
  private readonly suggesting = new Suggesting({
    ask: message => emit(this.host, message),
    changed: () => this.draw(),
  });
  private readonly mentioned = new Mentioned(message => emit(this.host, message));
  /** The page changes the text, and not the user. */
  private isReplacing = false;
  private readonly on: ComposerHandlers = {
    input: () => {
      if (!this.isReplacing) this.typed();
    },
    keydown: event => this.keyed(event),
    caret: () => {
      if (this.suggesting.list) this.suggest();
    },
    paste: event => this.pasted(event),
    blur: () => this.suggesting.close(),
    send: () => {
      this.send('steer');
      this.focus();
    },
    queue: () => {
      this.send('followUp');
      this.focus();
    },
    stop: () => emit(this.host, { type: 'stop' }),
    focus: () => this.focus(),
    mention: () => {
      this.put('@', 'insert');
      this.focus();
      this.suggest();
    },
    browse: () => this.host.querySelector<HTMLInputElement>('input[type="file"]')?.click(),
    attach: files => void this.attach(files),
    removeImage: index => {
      const { images, files } = this.attachments;
      this.attachmentsChanged({ images: images.filter((_, at) => at !== index), files });
    },
    removeFile: index => {
      const { images, files } = this.attachments;
      this.attachmentsChanged({ images, files: files.filter((_, at) => at !== index) });
    },
    removeMention: mention => {
      const { value, selectionStart } = this.area;
      this.replace(withoutMention(value, mention), withoutMention(value.slice(0, selectionStart), mention).length);
    },
    take: suggestion => this.accept(suggestion),
  };

  /** `textChanged` is called after each change of the text, by the user or by the page. */
  constructor(
    private readonly host: HTMLElement,
    state: ChatState,
    private readonly textChanged: (text: string) => void,
  ) {
    this.state = state;
    this.draw();
  }

  get text(): string {
    return this.area.value;
  }

  update(state: ChatState): void {
    const before = this.state;
    this.state = state;
    const commandsChanged = state.commands !== before.commands;
    const isSame = (['status', 'items', 'context', 'editorChips'] as const).every(part => state[part] === before[part]);
    if (!commandsChanged && isSame) return;
    if (commandsChanged && this.suggesting.list) this.suggest();
    this.draw();
  }

  /** Replaces the text, puts a text in front of it and keeps the selection, or inserts at the cursor. */
  put(text: string, mode: ComposerMode): void {
    const { area } = this;
    const { value, selectionStart, selectionEnd } = area;
    if (mode === 'insert') area.setRangeText(this.spaced(text), selectionStart, selectionEnd, 'end');
    else if (mode === 'replace' || value === '') {
      area.value = text;
      area.setSelectionRange(text.length, text.length);
    } else if (text !== '') {
      const front = `${text}\n\n`;
      area.value = front + value;
      area.setSelectionRange(front.length + selectionStart, front.length + selectionEnd);
    }
    this.walk = undefined;
    this.suggesting.close();
    this.afterChange();
  }

  /** Puts a text of the host into the composer, with the attachments of a message that was not sent. */
  giveBack(back: {
    readonly text: string;
    readonly mode: ComposerMode;
    readonly images?: readonly Image[];
    readonly files?: readonly TextFile[];
    readonly onlyThese?: true;
    readonly editing?: EditedMessage | null;
  }): void {
    if (back.editing !== undefined) this.editing.set(back.editing ?? undefined);
    const { images, files } = back.onlyThese === true ? NO_ATTACHMENTS : this.attachments;
    this.attached.attachments = {
      images: [...(back.images ?? []), ...images],
      files: [...(back.files ?? []), ...files],
    };
    this.put(back.text, back.mode);
    if (back.editing && document.hasFocus()) this.focus();
  }

  /** Applies a change that another page or the host made to the draft. The caret stays between the same characters. */
  follow(change: {
    readonly text?: string;
    readonly images?: readonly Image[];
    readonly files?: readonly TextFile[];
    readonly editing?: EditedMessage | null;
  }): void {
    const { images, files } = this.attachments;
    this.attached.attachments = { images: change.images ?? images, files: change.files ?? files };
    if (change.editing !== undefined) this.editing.set(change.editing ?? undefined);
    const { area } = this;
    const { value, selectionStart, selectionEnd } = area;
    const { text = value } = change;
    if (text === value) {
      this.draw();
      return;
    }
    area.value = text;
    area.setSelectionRange(movedCaret(selectionStart, value, text), movedCaret(selectionEnd, value, text));
    this.walk = undefined;
    this.suggesting.close();
    this.afterChange();
  }

  /** Applies a snapshot, except its text. For the same session, the attachments of the page are kept: they are newer. */
  adopt(session: string, attachments: Attachments, editing: EditedMessage | undefined): void {
    if (session !== this.attached.session) {
      this.attached = { session, attachments };
      this.problem = '';
    }
    this.editing.set(editing);
    this.draw();
  }

  /** Applies an answer of the host. It does not replace a text that changed in the meantime. */
  answered(answer: ComposerToPage): void {
    if (answer.type === 'mentioned') {
      this.mentioned.answered(answer);
      this.draw();
      return;
    }
    if (answer.type === 'completed') {
      const { taken } = this;
      this.taken = undefined;
      if (taken?.id !== answer.id || taken.text !== this.area.value) return;
      this.replace(answer.text, answer.caret);
      return;
    }
    const step = this.suggesting.answered(answer);
    if (step?.type === 'accept') this.accept(step.suggestion);
  }

  focus(): void {
    this.area.focus();
  }

  /**
   * Attaches dropped or pasted files to the draft of the session that is shown now, and tells the user which ones cannot be
   * attached if it is still shown when they are read.
   */
  async attach(given: readonly File[]): Promise<void> {
    const began = this.attached;
    const { images, files } = began.attachments;
    const taken = await takeFiles(given, MOST_ATTACHMENTS - images.length - files.length);
    // The user may have left the session, and come back.
    const to = began.session === this.attached.session ? this.attached : began;
    const now = to.attachments;
    if (taken.images.length + taken.files.length > 0) {
      this.attachmentsChanged({ images: [...now.images, ...taken.images], files: [...now.files, ...taken.files] }, to);
    }
    if (to === this.attached) this.say(taken.problems.join(' '));
  }

  /** Adds resources that were dragged from inside of VS Code. False when there are none. */
  takeUris(data: DataTransfer): boolean {
    const uris = draggedUris(data);
    if (uris.length > 0) emit(this.host, { type: 'dropped', uris });
    return uris.length > 0;
  }

  private get area(): HTMLTextAreaElement {
    const area = this.host.querySelector('textarea');
    if (!area) throw new Error('The composer has no text field.');
    return area;
  }

  private get attachments(): Attachments {
    return this.attached.attachments;
  }

  private get canSend(): boolean {
    if (this.state.sync === 'waiting') return false;
    const { images, files } = this.attachments;
    return images.length + files.length > 0 || (this.host.querySelector('textarea')?.value.trim() ?? '') !== '';
  }

  private draw(): void {
    const { attachments, problem, canSend, state } = this;
    const { target } = this.suggesting;
    const text = this.host.querySelector('textarea')?.value ?? '';
    this.mentioned.update(text, target?.kind === 'mention' ? target.start : undefined);
    const { status, items, context, editorChips } = state;
    const shown = { attachments, mentions: this.mentioned.list, editorChips, queued: queuedItems(items) };
    const model = { status, context, problem, canSend, ...shown };
    const { message, restoresFiles } = this.editing;
    const restore = (wanted: boolean): void => {
      this.editing.restoresFiles = wanted;
      this.draw();
    };
    const editing = { message, restoresFiles, restore };
    // A page without the focus may not take it from another one: it gets it for the composer when the user comes back.
    const hasFocus = document.hasFocus() && this.host.contains(document.activeElement);
    const focused = hasFocus ? document.activeElement : null;
    render(composerView({ ...model, list: this.suggesting.list, editing }, this.on), this.host);
    // A button that had the focus may be gone, or have nothing to do any more.
    if (focused && (!focused.isConnected || focused.matches(':disabled'))) this.focus();
    this.host.querySelector('.option.active')?.scrollIntoView({ block: 'nearest' });
  }

  /** Replaces the text in a way that the user can undo. */
  private replace(text: string, caret: number): void {
    const { area } = this;
    this.isReplacing = true;
    replaceText(area, text);
    this.isReplacing = false;
    area.setSelectionRange(caret, caret);
    this.walk = undefined;
    this.suggesting.close();
    this.afterChange();
    this.focus();
  }

  private say(problem: string): void {
    this.problem = problem;
    this.draw();
  }

  private typed(): void {
    this.walk = undefined;
    this.problem = '';
    this.suggest();
    this.afterChange();
  }

  /** Updates height, buttons and draft after a change of the text. */
  private afterChange(): void {
    const { area } = this;
    area.style.height = 'auto';
    area.style.height = `${area.scrollHeight}px`;
    this.draw();
    this.textChanged(area.value);
  }

  private attachmentsChanged(attachments: Attachments, to = this.attached): void {
    to.attachments = attachments;
    const { images, files } = attachments;
    const along = files.length > 0 ? { files } : {};
    emit(this.host, { type: 'attachments', images, ...along, conversation: to.session });
    if (to !== this.attached) return;
    this.draw();
    this.focus();
  }

  private suggest(): void {
    const { value, selectionStart } = this.area;
    this.suggesting.update(value, selectionStart, this.state.commands, this.state.status.completes);
  }

  private accept(suggestion: Suggestion): void {
    const query = this.suggesting.target;
    if (query === undefined) return;
    if (suggestion.take !== undefined) {
      emit(this.host, { type: 'takeCompletion', ...suggestion.take });
      this.taken = { id: suggestion.take.id, text: this.area.value };
      this.suggesting.close();
      this.focus();
      return;
    }
    const { text, caret } = accepted(this.area.value, query, suggestion);
    this.replace(text, caret);
    if (suggestion.isFolder === true || query.kind === 'command') this.suggest();
  }

  private keyed(event: KeyboardEvent): void {
    // Ignores the keys of an input method that composes text. Older input methods report key code 229.
    // eslint-disable-next-line @typescript-eslint/no-deprecated -- no other sign exists for those
    if (event.isComposing || event.keyCode === 229) return;
    if (this.keyForList(event)) return;
    if (event.key === 'ArrowUp' && event.altKey && this.takeBackQueued(event)) return;
    const edit = this.editing.key(event, this.state.items);
    if (edit !== undefined) {
      event.preventDefault();
      event.stopPropagation();
      emit(this.host, edit);
    } else if (event.key === 'Enter' && !event.shiftKey && !event.ctrlKey && !event.metaKey) {
      event.preventDefault();
      // A key that is still down was pressed for something else, such as a button of a question.
      if (!event.repeat) this.send(event.altKey ? 'followUp' : 'steer');
    } else if (event.key === 'ArrowUp' || event.key === 'ArrowDown') this.keyForHistory(event);
  }

  private keyForList(event: KeyboardEvent): boolean {
    if (event.shiftKey || event.altKey || event.ctrlKey || event.metaKey) return false;
    const step = this.suggesting.key(event.key);
    if (step.type === 'pass') return false;
    event.preventDefault();
    event.stopPropagation();
    if (step.type === 'accept') this.accept(step.suggestion);
    return true;
  }

  /** Puts the newest waiting message back into the composer for editing. False when none waits. */
  private takeBackQueued(event: KeyboardEvent): boolean {
    const newest = queuedItems(this.state.items).at(-1);
    if (newest === undefined || event.shiftKey || event.ctrlKey || event.metaKey) return false;
    event.preventDefault();
    event.stopPropagation();
    emit(this.host, { type: 'editQueued', id: newest.id });
    return true;
  }

  private keyForHistory(event: KeyboardEvent): void {
    const { area } = this;
    const step = event.key === 'ArrowUp' ? 'older' : 'newer';
    if (event.shiftKey || event.altKey || event.ctrlKey || event.metaKey) return;
    if (area.selectionStart !== area.selectionEnd || !caretAtEdge(area.value, area.selectionStart, step)) return;
    const result = walkHistory(sentTexts(this.state.items), this.walk, step, area.value);
    if (!result) return;
    event.preventDefault();
    this.put(result.text, 'replace');
    this.walk = result.walk;
    if (step === 'older') area.setSelectionRange(0, 0);
  }

  private pasted(event: ClipboardEvent): void {
    const files = [...(event.clipboardData?.files ?? [])];
    const pasted = event.clipboardData?.getData('text/plain').length ?? 0;
    if (files.length > 0) {
      event.preventDefault();
      void this.attach(files);
    } else if (pasted + this.area.value.length > LARGEST_MESSAGE) {
      event.preventDefault();
      const most = LARGEST_MESSAGE.toLocaleString('en');
      this.say(
        l10n.t('The pasted text is too long: a message takes up to {0} characters. Attach a file instead.', most),
      );
    }
  }

  /** Adds a space before a mention that is inserted after a word. */
  private spaced(text: string): string {
    const { value, selectionStart } = this.area;
    const before = value[selectionStart - 1];
    return text.startsWith('@') && before !== undefined && !/\s/.test(before) ? ` ${text}` : text;
  }

  private send(delivery: Delivery): void {
    if (!this.canSend) return;
    const { images, files } = this.attachments;
    const { message: edited, restoresFiles } = this.editing;
    const along = {
      ...(files.length > 0 ? { files } : {}),
      edits: edited?.entry,
      ...(restoresFiles ? { restoresFiles: true as const } : {}),
    };
    emit(this.host, { type: 'submit', text: this.area.value, delivery, images, ...along });
    this.attached.attachments = NO_ATTACHMENTS;
    this.editing.set(undefined);
    this.problem = '';
    this.put('', 'replace');
  }
}
