import type { Image } from '../../protocol/items/chat-item';
import type { Attachments, TextFile } from '../../protocol/composer/composer';
import { mergedDraft } from '../../protocol/composer/merged-draft';
import type { ChatChange, EditedMessage } from '../../protocol/messages';
import { Emitter } from '../../base/event';
import type { ChatModel } from '../model/chat-model';
import type { SessionState } from '../../session/state/session-state';
import { NO_DRAFT, type Draft, type DraftStore, type EditTarget } from './drafts';

export interface ComposerParts {
  readonly state: SessionState;
  readonly drafts: DraftStore;
  readonly chat: ChatModel;
}

/** A change of the draft for the pages that did not make it; `by` is the page that did, which knows it already. */
export interface DraftChange {
  readonly change: Extract<ChatChange, { readonly type: 'draft' }>;
  readonly by: object | undefined;
}

/** The content of the composer of a conversation: one draft per session, the same on every page that shows it. */
export class ComposerState {
  private readonly changeEmitter = new Emitter<DraftChange>();
  readonly onDidChange = this.changeEmitter.event;

  constructor(private readonly parts: ComposerParts) {}

  get draft(): Draft {
    return this.parts.drafts.draft(this.parts.state.key);
  }

  get text(): string {
    return this.draft.text;
  }

  /** Keeps the text of an input box that a hook has put in place of the composer. Pages do not get it. */
  set text(text: string) {
    this.keep({ ...this.draft, text });
  }

  /** Takes over the text that a page made of the draft `was`. What another page wrote meanwhile stays in it. */
  write(text: string, was: string, by: object): void {
    const merged = mergedDraft(was, this.text, text);
    if (merged === this.text && merged === text) return;
    this.keep({ ...this.draft, text: merged });
    this.changeEmitter.fire({ change: { type: 'draft', text: merged }, by: merged === text ? by : undefined });
  }

  /** Takes over all that is attached now on a page. */
  writeAttachments({ images, files }: Attachments, by: object): void {
    this.keep({ ...this.draft, images, files });
    this.changeEmitter.fire({ change: { type: 'draft', images, files }, by });
  }

  /** Everything was sent; `by` is the page that sent it and has emptied itself. */
  clear(by?: object): void {
    this.keep(NO_DRAFT);
    this.changeEmitter.fire({ change: { type: 'draft', text: '', images: [], files: [], editing: null }, by });
  }

  /**
   * Puts an unsent text before the draft. While a sent message is edited, the text is added to the draft that is
   * restored after the edit.
   */
  giveBack(text: string, images: readonly Image[] = [], files: readonly TextFile[] = []): void {
    const { draft } = this;
    if (draft.editing !== undefined) {
      const before = inFront({ text, images, files }, draft.editing.before);
      this.keep({ ...draft, editing: { ...draft.editing, before } });
      return;
    }
    this.keep(inFront({ text, images, files }, draft));
    // A page may have text and images that it did not report yet. They stay, after these.
    const given = { ...(images.length > 0 ? { images } : {}), ...filesIn(files) };
    this.parts.chat.apply({ type: 'composer', text, mode: 'before', ...given, draft: this.text });
  }

  /** Empties the draft of a session that is not shown again, and returns it. Pages do not get the change. */
  take(): Content {
    const { text, images, files = [] } = this.draft;
    this.keep(NO_DRAFT);
    return { text, images, ...filesIn(files) };
  }

  /** Inserts a text at the caret of a page; without a page, at the end, behind a space. */
  insert(text: string): void {
    const { text: before } = this.draft;
    this.paste(text, before === '' || /\s$/.test(before) ? before + text : `${before} ${text}`);
  }

  /** Inserts a text at the caret of a page; without a page, the draft becomes `otherwise`. */
  paste(text: string, otherwise = this.text + text): void {
    this.text = otherwise;
    this.parts.chat.apply({ type: 'composer', text, mode: 'insert', draft: otherwise });
  }

  /** Replaces the text on all pages. */
  putText(text: string): void {
    this.text = text;
    this.parts.chat.apply({ type: 'composer', text, mode: 'replace', draft: text });
  }

  /** Attaches texts to the draft. */
  attach(files: readonly TextFile[]): void {
    const { draft } = this;
    this.keep({ ...draft, files: [...(draft.files ?? []), ...files] });
    this.parts.chat.apply({ type: 'composer', text: '', mode: 'before', files, draft: draft.text });
  }

  /** Opens a sent message for editing. {@link cancelEdit} restores the draft. */
  beginEdit(sent: Omit<EditTarget, 'before'>, images: readonly Image[], texts: readonly TextFile[] = []): void {
    const { text, images: attached, files = [], editing } = this.draft;
    const before = editing?.before ?? { text, images: attached, ...filesIn(files) };
    this.replace({ text: sent.was, images, ...filesIn(texts), editing: { ...sent, before } });
  }

  cancelEdit(): void {
    const { editing } = this.draft;
    if (editing !== undefined) this.replace(editing.before);
  }

  /** An edit that was refused goes on where it was; what came to the composer meanwhile comes back after it. */
  backToEdit(editing: EditTarget, draft: Omit<Draft, 'editing'>): void {
    const { text, images, files = [] } = this.draft;
    this.replace({ ...draft, editing: { ...editing, before: inFront({ text, images, files }, editing.before) } });
  }

  private replace(draft: Draft): void {
    this.keep(draft);
    const { text, images, files = [], editing } = draft;
    const edits = editing === undefined ? null : editForPage(editing);
    const all = { text, images, files, onlyThese: true, editing: edits, draft: text } as const;
    this.parts.chat.apply({ type: 'composer', mode: 'replace', ...all });
  }

  private keep(draft: Draft): void {
    this.parts.drafts.keepDraft(this.parts.state.key, draft);
  }
}

/** What pages know of a message that is edited. */
export function editForPage({ before: _before, ...sent }: EditTarget): EditedMessage {
  return sent;
}

type Content = Omit<Draft, 'editing'>;

function inFront(first: Content, then: Content): Content {
  return {
    text: [first.text, then.text].filter(part => part !== '').join('\n\n'),
    images: [...first.images, ...then.images],
    ...filesIn([...(first.files ?? []), ...(then.files ?? [])]),
  };
}

function filesIn(files: readonly TextFile[]): { readonly files?: readonly TextFile[] } {
  return files.length > 0 ? { files } : {};
}
