import { basename, isAbsolute } from 'node:path';
import * as vscode from 'vscode';
import { DelayedCall } from '../../base/async/repeated-calls';
import { defined } from '../../base/defined';
import { DisposableStore, toDisposable, type Disposable } from '../../base/disposable';
import type { EditorChipsPort } from '../../chat/editor/editor-chips-port';
import type { EditorChip, EditorChipKind, Withheld } from '../../protocol/composer/editor-chip';
import type { CapturedTexts, EditorText } from '../../session/attachments/editor-texts';
import { FirstLines } from './first-lines';
import { Selections } from './selection';
import { withheldBy } from './withheld';

/** A selection changes with every key: so long after the first change, pages are told, ms. */
const SOON_MS = 80;
/** Which chips are on, in VS Code's storage for the workspace. */
const SWITCHES = 'hookline.editorChips';
/** Documents of the user; others, such as output or the old side of a diff, are not offered. */
const OFFERED = new Set(['file', 'untitled', 'vscode-notebook-cell']);

type Switches = Readonly<Record<EditorChipKind, boolean>>;

/** Why texts of the active document are not sent by themselves, once that is known. */
interface Checked {
  readonly uri: string;
  readonly withheld: Withheld | undefined;
}

export interface EditorChipsParts {
  /** Absolute path of the folder that the agent works in. */
  readonly folder: string | undefined;
  /** Of the workspace. */
  readonly memory: vscode.Memento;
}

/** Offers the selection and the file of the active editor. It watches the editor only while a page follows. */
export class EditorChips implements EditorChipsPort, Disposable {
  private readonly listeners = new Set<(chips: readonly EditorChip[]) => void>();
  private watching: DisposableStore | undefined;
  private readonly laterTell = new DelayedCall(() => void this.tell());
  /** The editor that was active last; it counts while a page in a tab is active. */
  private last: vscode.TextEditor | undefined;
  private checked: Checked | undefined;
  /** What was asked last and has no answer yet. */
  private asking: Pick<Checked, 'uri'> | undefined;
  /** What was checked may have changed. It counts until it is checked again. */
  private isStale = false;
  private told = '';
  /** What the user lets be sent with the next message although it is withheld: see {@link permit}. */
  private readonly permits = new Set<string>();
  private readonly firstLines = new FirstLines();

  /** `why` says why nothing of a document is sent by itself. */
  constructor(
    private readonly parts: EditorChipsParts,
    private readonly why: (document: vscode.TextDocument) => Promise<Withheld | undefined> = withheldDocument,
  ) {}

  follow(listener: (chips: readonly EditorChip[]) => void): Disposable {
    this.listeners.add(listener);
    this.watching ??= this.watch();
    this.told = '';
    void this.tell();
    return toDisposable(() => {
      this.listeners.delete(listener);
      if (this.listeners.size > 0) return;
      this.watching?.dispose();
      this.watching = undefined;
    });
  }

  switchChip(kind: EditorChipKind, path: string, isOn: boolean): void {
    const { editor, checked } = this;
    if (editor === undefined || pathOf(editor.document) !== path || checked?.uri !== uriOf(editor)) return;
    if (checked.withheld === undefined) void this.parts.memory.update(SWITCHES, { ...this.switches, [kind]: isOn });
    else if (isOn) this.permits.add(permit(kind, checked));
    else this.permits.delete(permit(kind, checked));
    void this.tell();
  }

  capture(): CapturedTexts {
    const captured = this.captureActive();
    // They are for this message, even if nothing of the editor is sent with it.
    this.permits.clear();
    void this.tell();
    return captured;
  }

  dispose(): void {
    this.watching?.dispose();
    this.listeners.clear();
  }

  private captureActive(): CapturedTexts {
    const { editor } = this;
    if (editor === undefined) return () => Promise.resolve({ texts: [], problems: [] });
    const { document } = editor;
    const uri = uriOf(editor);
    const shown = this.checked?.uri === uri ? this.checked : { uri, withheld: undefined };
    const isOn = (kind: EditorChipKind): boolean => this.isOn(kind, shown);
    const selection = isOn('selection') ? Selections.in(editor)?.toText(this.parts.folder) : undefined;
    const file = isOn('file') ? fileText(document) : undefined;
    const texts = [file, selection].filter(text => text !== undefined);
    return async () => {
      if (texts.length === 0) return { texts, problems: [] };
      // What is withheld and on was permitted by the user. Everything else may have become withheld since it was shown.
      if (shown.withheld !== undefined || (await this.why(document)) === undefined) return { texts, problems: [] };
      this.isStale = true;
      void this.tell();
      const problem = (text: EditorText): string =>
        vscode.l10n.t('{0} was not sent, because it is not sent by itself any more. See its tooltip.', text.name);
      return { texts: [], problems: texts.map(problem) };
    };
  }

  private watch(): DisposableStore {
    // Nobody noticed what has changed since the last follower left.
    this.isStale = true;
    const store = new DisposableStore();
    const soon = (): void => this.laterTell.schedule(SOON_MS);
    const again = (): void => {
      this.isStale = true;
      soon();
    };
    for (const subscription of [
      vscode.window.onDidChangeActiveTextEditor(soon),
      vscode.window.onDidChangeVisibleTextEditors(soon),
      vscode.window.onDidChangeTextEditorSelection(({ textEditor }) => {
        if (textEditor === this.editor) soon();
      }),
      vscode.workspace.onDidChangeWorkspaceFolders(again),
      vscode.workspace.onDidChangeConfiguration(event => {
        if (event.affectsConfiguration('files.exclude')) again();
      }),
      vscode.workspace.onDidSaveTextDocument(({ uri }) => {
        if (basename(uri.path) === '.gitignore') again();
      }),
    ]) {
      store.add(subscription);
    }
    store.add(toDisposable(() => this.laterTell.cancel()));
    return store;
  }

  /** The editor whose parts are offered; undefined when there is none. */
  private get editor(): vscode.TextEditor | undefined {
    const { activeTextEditor: active, visibleTextEditors } = vscode.window;
    if (active !== undefined) this.last = active;
    const editor = active ?? visibleTextEditors.find(visible => visible === this.last);
    return editor !== undefined && OFFERED.has(editor.document.uri.scheme) ? editor : undefined;
  }

  private get switches(): Switches {
    const kept = this.parts.memory.get<Partial<Switches>>(SWITCHES);
    return { selection: kept?.selection !== false, file: kept?.file === true };
  }

  private isOn(kind: EditorChipKind, checked: Checked): boolean {
    return checked.withheld === undefined ? this.switches[kind] : this.permits.has(permit(kind, checked));
  }

  /** Tells the chips if they differ from those told before. */
  private async tell(): Promise<void> {
    await this.check();
    const { editor, checked } = this;
    if (editor !== undefined && checked?.uri !== uriOf(editor)) return; // It is told when it has been checked.
    const chips = editor === undefined || checked === undefined ? [] : this.chipsOf(editor, checked);
    const told = JSON.stringify(chips);
    if (told === this.told) return;
    this.told = told;
    for (const listener of this.listeners) listener(chips);
  }

  /** Finds out whether the active document is withheld, unless that is known or has been asked. */
  private async check(): Promise<void> {
    const { editor } = this;
    if (editor === undefined) return;
    const uri = uriOf(editor);
    if (!this.isStale && (this.checked ?? this.asking)?.uri === uri) return;
    if (this.checked?.uri !== uri) this.checked = undefined;
    this.isStale = false;
    const asking = { uri };
    this.asking = asking;
    const withheld = await this.why(editor.document);
    if (this.asking !== asking) return; // Another editor is active, or the answer may have changed.
    this.asking = undefined;
    this.checked = { uri, withheld };
  }

  private chipsOf(editor: vscode.TextEditor, checked: Checked): readonly EditorChip[] {
    const { document } = editor;
    const path = pathOf(document);
    const common = { name: basename(path), path, ...defined({ withheld: checked.withheld }) };
    const selections = Selections.in(editor);
    const chip = (kind: EditorChipKind): Pick<EditorChip, 'kind' | 'isOn'> => ({
      kind,
      isOn: this.isOn(kind, checked),
    });
    const ofSelection =
      selections === undefined
        ? []
        : [
            {
              ...chip('selection'),
              ...common,
              lines: selections.lines,
              ...defined({ firstLines: selections.firstLines }),
            },
          ];
    return [
      ...ofSelection,
      { ...chip('file'), ...common, lines: [], ...defined({ firstLines: this.firstLines.of(document) }) },
    ];
  }
}

/** Why nothing of a document is sent by itself. A new text without a place has no file that could be against it. */
function withheldDocument({ uri }: vscode.TextDocument): Promise<Withheld | undefined> {
  if (uri.scheme === 'untitled' && !isAbsolute(uri.fsPath)) return Promise.resolve(undefined);
  const file = vscode.Uri.file(uri.fsPath);
  const folder = vscode.workspace.getWorkspaceFolder(file)?.uri.fsPath;
  const excludes = vscode.workspace.getConfiguration('files', file).get<unknown>('exclude');
  return withheldBy({ path: uri.fsPath, folder, excludes });
}

function permit(kind: EditorChipKind, { uri }: Checked): string {
  return `${kind} ${uri}`;
}

function uriOf({ document }: vscode.TextEditor): string {
  return document.uri.toString();
}

function pathOf({ uri }: vscode.TextDocument): string {
  return uri.scheme === 'untitled' ? uri.path : uri.fsPath;
}

function fileText(document: vscode.TextDocument): EditorText {
  const path = pathOf(document);
  const text = document.getText();
  return document.uri.scheme === 'file' ? { name: path, text, path } : { name: path, text };
}
