import type { ImageRef } from '../protocol/chat-item';
import type { TextFile } from '../protocol/composer';
import type { ChatChange } from '../protocol/messages';
import { NO_DRAFT, type Draft, type DraftShelf, type Editing } from './drafts';

export interface ComposerParts {
  /** Key of the session that is open now. */
  readonly session: () => string;
  readonly shelf: DraftShelf;
  /** Tells pages. */
  readonly tell: (change: ChatChange) => void;
}

/** What stands in the composer of a conversation: one draft per session, the same on every page that shows it. */
export class ComposerState {
  constructor(private readonly parts: ComposerParts) {}

  get draft(): Draft {
    return this.parts.shelf.draft(this.parts.session());
  }

  get text(): string {
    return this.draft.text;
  }

  /** What a page or a hook says stands there; pages are not told. */
  set text(text: string) {
    this.keep({ ...this.draft, text });
  }

  set images(images: readonly ImageRef[]) {
    this.keep({ ...this.draft, images });
  }

  set files(files: readonly TextFile[]) {
    this.keep({ ...this.draft, files });
  }

  /** Everything was sent. Pages empty themselves. */
  clear(): void {
    this.keep(NO_DRAFT);
  }

  /** Puts what was not sent in front of what stands there. */
  giveBack(text: string, images: readonly ImageRef[] = [], files: readonly TextFile[] = []): void {
    const { draft } = this;
    const whole = [text, draft.text].filter(part => part !== '').join('\n\n');
    const allFiles = [...files, ...(draft.files ?? [])];
    this.keep({ ...draft, text: whole, images: [...images, ...draft.images], ...filesIn(allFiles) });
    // A page may hold images that are not told yet: they stay, behind these.
    const given = { ...(images.length > 0 ? { images } : {}), ...filesIn(files) };
    this.parts.tell({ type: 'composer', text: whole, mode: 'replace', ...given });
  }

  /** Puts a text where the caret of a page stands; without a page, behind what stands there. */
  insert(text: string): void {
    const { text: before } = this.draft;
    this.text = before === '' || /\s$/.test(before) ? before + text : `${before} ${text}`;
    this.parts.tell({ type: 'composer', text, mode: 'insert' });
  }

  /** Attaches texts to what stands there. */
  attach(files: readonly TextFile[]): void {
    this.files = [...(this.draft.files ?? []), ...files];
    this.parts.tell({ type: 'composer', text: '', mode: 'insert', files });
  }

  /** Opens a sent message for editing; what stood there comes back with {@link cancelEdit}. */
  beginEdit(entry: string, was: string, images: readonly ImageRef[]): void {
    const { text, images: attached, files = [], editing } = this.draft;
    const before = editing?.before ?? { text, images: attached, ...filesIn(files) };
    this.replace({ text: was, images, editing: { entry, was, before } });
  }

  cancelEdit(): void {
    const { editing } = this.draft;
    if (editing !== undefined) this.replace(editing.before);
  }

  /** An edit that was refused goes on where it was. */
  backToEdit(editing: Editing, draft: Omit<Draft, 'editing'>): void {
    this.replace({ ...draft, editing });
  }

  private replace(draft: Draft): void {
    this.keep(draft);
    const { text, images, files = [], editing } = draft;
    const edits = editing === undefined ? null : { entry: editing.entry, was: editing.was };
    this.parts.tell({ type: 'composer', text, mode: 'replace', images, files, onlyThese: true, editing: edits });
  }

  private keep(draft: Draft): void {
    this.parts.shelf.keepDraft(this.parts.session(), draft);
  }
}

function filesIn(files: readonly TextFile[]): { readonly files?: readonly TextFile[] } {
  return files.length > 0 ? { files } : {};
}
