import * as l10n from '@vscode/l10n';
import { html, nothing, render, type TemplateResult } from 'lit';
import { repeat } from 'lit/directives/repeat.js';
import type { ChangedFile, Changes, FileDiff } from '../../src/protocol/panels/changes';
import type { ChatState } from '../chat/reducer';
import { emit, emits } from '../controls/emit';
import { diffView } from '../output/diff-view';
import { visibleText } from '../../src/base/text/visible-text';
import { icon, iconButton, linkButton } from '../controls/controls';
import { pathView } from '../controls/path';

/** Which parts of the list are open, and how to open and close them. */
interface ChangesLook {
  readonly isOpen: boolean;
  readonly opened: ReadonlySet<string>;
  readonly diffs: Readonly<Record<string, FileDiff>>;
  toggleList(): void;
  toggleFile(file: ChangedFile): void;
}

const KINDS: { readonly [K in ChangedFile['kind']]: { readonly letter: string; words(): string } } = {
  created: { letter: 'A', words: () => l10n.t('created') },
  changed: { letter: 'M', words: () => l10n.t('changed') },
  deleted: { letter: 'D', words: () => l10n.t('deleted') },
  back: { letter: '–', words: () => l10n.t('as before') },
};

/** Draws the list of changed files, remembers which parts are open, and asks the host for the diffs of open files. */
export class ChangesPanel {
  private isOpen = false;
  private conversation = '';
  /** Paths of the files in the order of their rows; it stays while the list is open. */
  private places: readonly string[] = [];
  private readonly opened = new Set<string>();
  /** Path of a file -> the version whose diff the host was asked for. */
  private readonly asked = new Map<string, number>();
  private state: Pick<ChatState, 'changes' | 'diffs' | 'conversation'> | undefined;

  constructor(private readonly host: HTMLElement) {}

  /** Draws the list if it has changed. */
  update(state: Pick<ChatState, 'changes' | 'diffs' | 'conversation'>): void {
    const { changes, diffs, conversation } = state;
    const before = this.state;
    if (before?.changes === changes && before.diffs === diffs && before.conversation === conversation) return;
    this.state = state;
    if (conversation !== this.conversation) this.forget(conversation);
    // A snapshot has no diffs, and an answer from before it may be lost.
    if (diffs !== before?.diffs && Object.keys(diffs).length === 0) this.asked.clear();
    for (const file of changes.files) if (this.opened.has(file.path)) this.ask(file, diffs[file.path]?.version);
    inPlace(this.host, () => this.draw());
  }

  private forget(conversation: string): void {
    this.conversation = conversation;
    this.places = [];
    this.opened.clear();
    this.asked.clear();
  }

  private ask({ path, version }: ChangedFile, known: number | undefined): void {
    if (known === version || this.asked.get(path) === version) return;
    this.asked.set(path, version);
    emit(this.host, { type: 'loadDiff', path });
  }

  private draw(): void {
    const { state } = this;
    if (state === undefined) return;
    const focused = this.focused;
    const path = focused?.closest('li')?.dataset['path'];
    const files = placed(state.changes.files, this.isOpen ? this.places : []);
    this.places = files.map(file => file.path);
    const look: ChangesLook = {
      isOpen: this.isOpen,
      opened: this.opened,
      diffs: state.diffs,
      toggleList: () => {
        this.isOpen = !this.isOpen;
        this.draw();
      },
      toggleFile: file => {
        if (this.opened.delete(file.path)) this.asked.delete(file.path);
        else {
          this.opened.add(file.path);
          this.ask(file, state.diffs[file.path]?.version);
        }
        this.draw();
      },
    };
    render(changesView({ ...state.changes, files }, look), this.host);
    if (focused !== undefined && this.focused === undefined) this.refocus(focused, path);
  }

  private get focused(): HTMLElement | undefined {
    const { activeElement } = document;
    const isHere = document.hasFocus() && activeElement instanceof HTMLElement && this.host.contains(activeElement);
    return isHere ? activeElement : undefined;
  }

  /** A row that moves loses the focus, and so does a button that goes: then the name of its file gets the focus. */
  private refocus(lost: HTMLElement, path: string | undefined): void {
    const row = [...this.host.querySelectorAll('li')].find(({ dataset }) => dataset['path'] === path);
    const wanted = lost.isConnected
      ? lost
      : (row?.querySelector('.changes-name') ?? this.host.querySelector('.toggle'));
    if (wanted instanceof HTMLElement) wanted.focus();
  }
}

/** The files in the order of their places, and first those that have none yet. */
function placed(files: readonly ChangedFile[], places: readonly string[]): readonly ChangedFile[] {
  const place = new Map(places.map((path, index) => [path, index]));
  return [...files].sort((a, b) => (place.get(a.path) ?? -1) - (place.get(b.path) ?? -1));
}

/** Draws the list and keeps the row under the mouse where it is, so that a second click acts on no other file. */
function inPlace(host: HTMLElement, draw: () => void): void {
  const row = host.querySelector('li:hover');
  const list = row?.closest<HTMLElement>('.changes-list');
  if (!row || !list) {
    draw();
    return;
  }
  const { top } = row.getBoundingClientRect();
  const moved = (): number => row.getBoundingClientRect().top - top;
  draw();
  if (!row.isConnected) return;
  list.scrollTop += moved();
  // The list became lower, for instance because an open diff became shorter: it ends above the composer.
  const missing = moved();
  if (missing <= 0) return;
  list.style.minHeight = `${list.offsetHeight + missing}px`;
  host.addEventListener('mouseleave', () => list.style.removeProperty('min-height'), { once: true });
}

/** The list of files that the agent changed in this session; nothing when there are none. */
function changesView(changes: Changes, look: ChangesLook): TemplateResult | typeof nothing {
  const { files, more, note, undo } = changes;
  if (files.length === 0) return nothing;
  const changed = files.filter(({ kind }) => kind !== 'back').length + more;
  const toReview = changed - files.filter(({ kind, kept }) => kind !== 'back' && kept === true).length;
  const title = titleOf({ changed, toReview, back: files.length + more - changed });
  return html`<section class="changes" aria-label=${l10n.t('Changed files')}>
    <div class="changes-head">
      <button
        type="button"
        class="toggle"
        data-hookline="changes"
        aria-expanded=${look.isOpen ? 'true' : 'false'}
        title=${title}
        @click=${() => look.toggleList()}
      >
        ${icon(look.isOpen ? 'chevron-down' : 'chevron-right')}
        <span class="changes-title">${title}</span> ${countsView(sumOf(files))}
      </button>
      <span class="card-actions">
        ${
          toReview === 0
            ? nothing
            : html`${iconButton('diff-multiple', l10n.t('Review All Changes'), emits({ type: 'reviewAll' }))}
              ${iconButton('check-all', l10n.t('Keep All'), emits({ type: 'keepAll' }))}`
        }
        ${undo === undefined ? nothing : iconButton('redo', l10n.t('Undo revert of {0}', undo.join(', ')), emits({ type: 'undoRevert' }))}
        ${changed === 0 ? nothing : iconButton('discard', l10n.t('Revert All Files'), emits({ type: 'revertAll' }))}
      </span>
    </div>
    ${look.isOpen ? listView(changes, look) : nothing}
    ${look.isOpen && note !== undefined ? html`<p class="changes-note">${icon('info')} ${visibleText(note)}</p>` : nothing}
  </section>`;
}

/** What the head says of the counts of files; `back`: as before. */
function titleOf({ changed, toReview, back }: Readonly<Record<'changed' | 'toReview' | 'back', number>>): string {
  if (changed === 0) return l10n.t('All files are as before');
  if (toReview === 0) {
    return back === 0 ? l10n.t('All changes are kept') : l10n.t('{0} kept, {1} as before', changed, back);
  }
  if (toReview < changed) return l10n.t('{0} of {1} files to review', toReview, changed);
  return changed === 1 ? l10n.t('1 file changed') : l10n.t('{0} files changed', changed);
}

function listView({ files, more }: Changes, look: ChangesLook): TemplateResult {
  return html`<ul class="changes-list" aria-label=${l10n.t('Changed files')} @keydown=${moved}>
      ${repeat(
        files,
        ({ path }) => path,
        file => fileView(file, look),
      )}
    </ul>
    ${more === 0 ? nothing : html`<p class="changes-note">${more === 1 ? l10n.t('1 more file is not listed.') : l10n.t('{0} more files are not listed.', more)}</p>`}`;
}

function fileView(file: ChangedFile, look: ChangesLook): TemplateResult {
  const { path, kind, kept, cannotRevert } = file;
  const isOpen = look.opened.has(path);
  return html`<li data-path=${path} data-change=${kind} ?data-kept=${kept === true}>
    <div class="changes-row">
      ${diffToggle(file, isOpen, look)} ${nameView(file)}
      ${kept === true ? html`<span class="changes-kept">${icon('verified')} ${l10n.t('kept')}</span>` : nothing}
      ${countsView(file)} ${kind === 'back' ? nothing : html`<span class="changes-actions">${actionsOf(file)}</span>`}
    </div>
    ${cannotRevert === undefined ? nothing : html`<p class="changes-note">${icon('warning')} ${l10n.t('Cannot be reverted: {0}', cannotRevert)}</p>`}
    ${isOpen ? diffOf(file, look.diffs[path]) : nothing}
  </li>`;
}

function diffToggle(file: ChangedFile, isOpen: boolean, look: ChangesLook): TemplateResult {
  const name = visibleText(file.displayPath);
  const label = isOpen ? l10n.t('Hide the changes of {0}', name) : l10n.t('Show the changes of {0}', name);
  return html`<button
    type="button"
    class="icon-button"
    aria-label=${label}
    title=${label}
    aria-expanded=${isOpen ? 'true' : 'false'}
    @click=${() => look.toggleFile(file)}
  >
    ${icon(isOpen ? 'chevron-down' : 'chevron-right')}
  </button>`;
}

function nameView({ path, displayPath, kind, kept, renamedFrom, tools }: ChangedFile): TemplateResult {
  const name = visibleText(displayPath);
  const { letter, words } =
    renamedFrom === undefined
      ? { letter: KINDS[kind].letter, words: KINDS[kind].words() }
      : { letter: 'R', words: l10n.t('renamed from {0}', visibleText(renamedFrom)) };
  const said = kept === true ? `${words}, ${l10n.t('kept')}` : words;
  return html`<span class="changes-kind" title=${words} aria-hidden="true">${letter}</span>
    <button
      type="button"
      class="changes-name"
      aria-label=${l10n.t('{0}, {1}: open the diff', name, said)}
      title=${l10n.t('{0} ({1}): open the diff', `${name}, ${said}`, tools.join(', '))}
      @click=${emits({ type: 'openChange', path })}
    >
      ${pathView(displayPath)}
    </button>`;
}

function actionsOf({ path, displayPath, kept, cannotRevert }: ChangedFile): unknown {
  const name = visibleText(displayPath);
  return [
    kept === true ? nothing : iconButton('check', l10n.t('Keep {0}', name), emits({ type: 'keepFile', path })),
    cannotRevert === undefined
      ? iconButton('discard', l10n.t('Revert {0}', name), emits({ type: 'revertFile', path }))
      : nothing,
  ];
}

function diffOf({ path }: ChangedFile, diff: FileDiff | undefined): TemplateResult {
  if (diff === undefined) return html`<p class="changes-note" role="status">${l10n.t('Comparing…')}</p>`;
  if (!diff.isText) {
    return html`<p class="changes-note">
      ${visibleText(diff.diff)}
      ${linkButton(l10n.t('Open in Editor'), l10n.t('Open in Editor'), { type: 'openChange', path })}
    </p>`;
  }
  if (diff.diff === '') return html`<p class="changes-note">${l10n.t('No differences.')}</p>`;
  return diffView(diff.diff, { type: 'openChange', path });
}

function countsView({ added = 0, removed = 0 }: Pick<ChangedFile, 'added' | 'removed'>): TemplateResult {
  const newLines = added === 1 ? l10n.t('1 line added') : l10n.t('{0} lines added', added);
  const oldLines = removed === 1 ? l10n.t('1 line removed') : l10n.t('{0} lines removed', removed);
  return html`<span class="counts"
    >${added === 0 ? nothing : html`<span class="count-added" aria-label=${newLines}>+${added}</span>`}
    ${removed === 0 ? nothing : html`<span class="count-removed" aria-label=${oldLines}>−${removed}</span>`}</span
  >`;
}

function sumOf(files: readonly ChangedFile[]): { readonly added: number; readonly removed: number } {
  const sum = (of: (file: ChangedFile) => number | undefined): number =>
    files.reduce((total, file) => total + (of(file) ?? 0), 0);
  return { added: sum(file => file.added), removed: sum(file => file.removed) };
}

/** Arrow up and down move the focus to the same button of the previous or next file. */
function moved(event: KeyboardEvent): void {
  const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0;
  const { target, currentTarget } = event;
  if (step === 0 || !(target instanceof HTMLElement) || !(currentTarget instanceof HTMLElement)) return;
  const button = target.closest('button');
  const row = button?.closest('li');
  if (!button || !row) return;
  const rows = [...currentTarget.querySelectorAll('li')];
  const next = rows[rows.indexOf(row) + step];
  const place = [...row.querySelectorAll('button')].indexOf(button);
  const buttons = next?.querySelectorAll('button');
  const wanted = buttons?.[Math.min(place, buttons.length - 1)];
  if (!wanted) return;
  event.preventDefault();
  wanted.focus();
}
