import * as l10n from '@vscode/l10n';
import { html, nothing, render, type TemplateResult } from 'lit';
import type { ChangedFile, Changes, FileDiff } from '../../src/protocol/changes';
import type { ChatState } from '../chat/reducer';
import { emit, emits } from '../controls/emit';
import { diffView } from '../output/diff-view';
import { visibleText } from '../../src/base/text/visible-text';
import { icon, iconButton } from '../controls/controls';

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
    this.draw();
  }

  private forget(conversation: string): void {
    this.conversation = conversation;
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
    render(changesView(state.changes, look), this.host);
  }
}

/** The list of files that the agent changed in this session; nothing when there are none. */
function changesView(changes: Changes, look: ChangesLook): TemplateResult | typeof nothing {
  const { files, more, note, undo } = changes;
  if (files.length === 0) return nothing;
  const changed = files.filter(({ kind }) => kind !== 'back').length + more;
  const title =
    changed === 0
      ? l10n.t('All files are as before')
      : changed === 1
        ? l10n.t('1 file changed')
        : l10n.t('{0} files changed', changed);
  return html`<section class="changes" aria-label=${l10n.t('Changed files')}>
    <div class="changes-head">
      <button
        type="button"
        class="toggle"
        data-hookline="changes"
        aria-expanded=${look.isOpen ? 'true' : 'false'}
        @click=${() => look.toggleList()}
      >
        ${icon(look.isOpen ? 'chevron-down' : 'chevron-right')} <span>${title}</span> ${countsView(sumOf(files))}
      </button>
      <span class="card-actions">
        ${undo === undefined ? nothing : iconButton('redo', l10n.t('Undo revert of {0}', undo.join(', ')), emits({ type: 'undoRevert' }))}
        ${changed === 0 ? nothing : iconButton('discard', l10n.t('Revert All Files'), emits({ type: 'revertAll' }))}
      </span>
    </div>
    ${look.isOpen ? listView(changes, look) : nothing}
    ${look.isOpen && note !== undefined ? html`<p class="changes-note">${icon('info')} ${visibleText(note)}</p>` : nothing}
  </section>`;
}

function listView({ files, more }: Changes, look: ChangesLook): TemplateResult {
  return html`<ul class="changes-list" aria-label=${l10n.t('Changed files')} @keydown=${moved}>
      ${files.map(file => fileView(file, look))}
    </ul>
    ${more === 0 ? nothing : html`<p class="changes-note">${more === 1 ? l10n.t('1 more file is not listed.') : l10n.t('{0} more files are not listed.', more)}</p>`}`;
}

function fileView(file: ChangedFile, look: ChangesLook): TemplateResult {
  const { path, displayPath, kind, cannotRevert } = file;
  const name = visibleText(displayPath);
  const isOpen = look.opened.has(path);
  const { letter } = KINDS[kind];
  const words = KINDS[kind].words();
  const foldLabel = isOpen ? l10n.t('Hide the changes of {0}', name) : l10n.t('Show the changes of {0}', name);
  return html`<li data-path=${path} data-change=${kind}>
    <div class="changes-row">
      <button
        type="button"
        class="icon-button"
        aria-label=${foldLabel}
        title=${foldLabel}
        aria-expanded=${isOpen ? 'true' : 'false'}
        @click=${() => look.toggleFile(file)}
      >
        ${icon(isOpen ? 'chevron-down' : 'chevron-right')}
      </button>
      <button
        type="button"
        class="link changes-name"
        aria-label=${l10n.t('{0}, {1}: open the diff', name, words)}
        title=${l10n.t('{0} ({1}): open the diff', name, file.tools.join(', '))}
        @click=${emits({ type: 'openChange', path })}
      >
        ${name}
      </button>
      ${countsView(file)}
      <span class="changes-kind" title=${words} aria-hidden="true">${letter}</span>
      ${kind === 'back' || cannotRevert !== undefined ? nothing : iconButton('discard', l10n.t('Revert {0}', name), emits({ type: 'revertFile', path }))}
    </div>
    ${cannotRevert === undefined ? nothing : html`<p class="changes-note">${icon('warning')} ${l10n.t('Cannot be reverted: {0}', cannotRevert)}</p>`}
    ${isOpen ? diffOf(look.diffs[path]) : nothing}
  </li>`;
}

function diffOf(diff: FileDiff | undefined): TemplateResult {
  if (diff === undefined) return html`<p class="changes-note" role="status">${l10n.t('Comparing…')}</p>`;
  if (!diff.isText) return html`<p class="changes-note">${visibleText(diff.diff)}</p>`;
  return diff.diff === ''
    ? html`<p class="changes-note">${l10n.t('No differences.')}</p>`
    : diffView(diff.diff, { type: 'openChange', path: diff.path });
}

function countsView({ added, removed }: Pick<ChangedFile, 'added' | 'removed'>): TemplateResult | typeof nothing {
  if (added === undefined || removed === undefined || added + removed === 0) return nothing;
  return html`<span
      class="count-added"
      aria-label=${added === 1 ? l10n.t('1 line added') : l10n.t('{0} lines added', added)}
      >+${added}</span
    >
    <span
      class="count-removed"
      aria-label=${removed === 1 ? l10n.t('1 line removed') : l10n.t('{0} lines removed', removed)}
      >−${removed}</span
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
