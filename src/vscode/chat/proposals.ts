import { basename, isAbsolute, join, relative } from 'node:path';
import * as vscode from 'vscode';
import { DisposableStore, type Disposable } from '../../base/disposable';
import type { DiffOrigin } from '../../chat/editor/editor-port';
import { AnswerFiles } from '../questions/answer-files';
import { setContextKey } from '../context-keys';
import { PROPOSAL_SCHEME, TEXT_SCHEME, WRITE_SCHEME } from '../ids';
import type { TextDocuments } from '../text-documents';
import { pathIn, planApply } from './plan-apply';

interface Proposal {
  readonly uri: vscode.Uri;
  readonly file: vscode.Uri;
  /** The content of the file when the proposal was made; undefined when there was no file. */
  readonly was: string | undefined;
}

/** Code of an answer that the user wants to apply to a file. */
export interface ProposedCode {
  readonly code: string;
  readonly language: string;
  /** The text near the code that may name a file, as the model wrote it; undefined when there is none. */
  readonly path: string | undefined;
}

/**
 * Shows code of an answer as a change of a file, in VS Code's own diff editor. The user can edit the right side. The file
 * is written only when the user accepts the change.
 */
export class Proposals implements Disposable {
  private readonly files = new AnswerFiles();
  private readonly open = new Map<string, Proposal>();
  /** For diffs of changes that are on disk already: URI of the left side -> where the change comes from. */
  private readonly origins = new Map<string, DiffOrigin>();
  private readonly store = new DisposableStore();
  private count = 0;

  constructor(private readonly texts: TextDocuments) {
    const { tabGroups } = vscode.window;
    this.store.add(vscode.workspace.registerFileSystemProvider(PROPOSAL_SCHEME, this.files, { isCaseSensitive: true }));
    const updateKey = (): void => {
      setContextKey('hookline.diffShown', shownDiff() !== undefined);
    };
    this.store.add(tabGroups.onDidChangeTabs(updateKey));
    this.store.add(tabGroups.onDidChangeTabGroups(updateKey));
  }

  /** Opens the diff. Asks for the file when the code names none, or one outside of the folder. */
  async show({ code, language, path }: ProposedCode, folder: string | undefined): Promise<void> {
    const file = await fileFor(path, folder);
    if (file === undefined) return;
    const was = await currentText(file);
    const applied = planApply(was ?? '', code, language);
    if (applied === undefined) {
      const name = vscode.workspace.asRelativePath(file);
      throw new Error(vscode.l10n.t('This diff does not fit {0} as it is now.', name));
    }
    await this.propose({ file, was }, applied.text);
  }

  /** Opens the diff of a file and its proposed text. False when the file has that text already; the user is told. */
  async propose({ file, was }: Omit<Proposal, 'uri'>, text: string): Promise<boolean> {
    const name = vscode.workspace.asRelativePath(file);
    if (text === was) {
      void vscode.window.showInformationMessage(vscode.l10n.t('{0} already contains this.', name));
      return false;
    }
    this.count += 1;
    const uri = vscode.Uri.from({ scheme: PROPOSAL_SCHEME, path: `/${this.count}/${basename(file.path)}` });
    this.files.add(uri, text);
    this.open.set(uri.toString(), { uri, file, was });
    const left = was === undefined ? this.texts.add('', basename(file.path)) : file;
    const title = vscode.l10n.t('{0} (file ↔ proposed)', name);
    await vscode.commands.executeCommand('vscode.diff', left, uri, title, { preview: false });
    return true;
  }

  /**
   * Accepts the diff in the active tab: writes and saves a proposal; calls `keep` for a change that is on disk already, and
   * saves what the user changed in it.
   */
  async accept(keep: (shows: DiffOrigin) => Promise<void>): Promise<void> {
    const diff = shownDiff();
    if (diff === undefined) return;
    const { original, modified } = diff.input;
    const proposal = this.open.get(modified.toString());
    if (proposal !== undefined && !(await this.write(proposal))) return;
    const shows = this.origins.get(original.toString());
    if (shows !== undefined) {
      if (!(await saved(modified))) return;
      await keep(shows);
    }
    await this.close(diff.tab);
  }

  /** Remembers which change a diff with this left side shows. */
  remember(left: vscode.Uri, shows: DiffOrigin): void {
    this.origins.set(left.toString(), shows);
  }

  /** Rejects the diff in the active tab: discards a proposal; calls `revert` for a change that is on disk already. */
  async reject(revert: (shows: DiffOrigin) => Promise<void>): Promise<void> {
    const diff = shownDiff();
    if (diff === undefined) return;
    const shows = this.origins.get(diff.input.original.toString());
    if (shows !== undefined) await revert(shows);
    await this.close(diff.tab);
  }

  dispose(): void {
    this.store.dispose();
    this.open.clear();
  }

  private async write({ uri, file, was }: Proposal): Promise<boolean> {
    const text = (await vscode.workspace.openTextDocument(uri)).getText();
    const name = vscode.workspace.asRelativePath(file);
    const now = await currentText(file);
    if (now !== was) {
      const yes = vscode.l10n.t('Replace');
      const question = vscode.l10n.t('{0} was changed since. Replace it with what the diff shows?', name);
      if ((await vscode.window.showWarningMessage(question, { modal: true }, yes)) !== yes) return false;
    }
    const edit = new vscode.WorkspaceEdit();
    // The file may have been created or deleted since the proposal was made.
    if (now === undefined) edit.createFile(file, { ignoreIfExists: true });
    const end = now === undefined ? undefined : (await vscode.workspace.openTextDocument(file)).lineCount;
    edit.replace(file, new vscode.Range(0, 0, end ?? 0, 0), text);
    if (!(await vscode.workspace.applyEdit(edit))) throw new Error(vscode.l10n.t('{0} could not be changed.', name));
    await (await vscode.workspace.openTextDocument(file)).save();
    return true;
  }

  /** Saves an edited proposal first (only in memory), because VS Code asks before it closes a tab with changes. */
  private async close(tab: vscode.Tab): Promise<void> {
    const { input } = tab;
    if (!(input instanceof vscode.TabInputTextDiff)) return;
    const key = input.modified.toString();
    const document = vscode.workspace.textDocuments.find(({ uri }) => uri.toString() === key);
    if (this.open.has(key) && document?.isDirty === true) await document.save();
    await vscode.window.tabGroups.close(tab, true);
    this.origins.delete(input.original.toString());
    if (this.open.delete(key)) this.files.delete(input.modified);
  }
}

/** The diff in the active tab; undefined when it is not a diff of Hookline. */
function shownDiff(): { readonly tab: vscode.Tab; readonly input: vscode.TabInputTextDiff } | undefined {
  const tab = vscode.window.tabGroups.activeTabGroup.activeTab;
  const input: unknown = tab?.input;
  if (tab === undefined || !(input instanceof vscode.TabInputTextDiff)) return undefined;
  const { original, modified } = input;
  const isChange = original.scheme === TEXT_SCHEME && [TEXT_SCHEME, 'file'].includes(modified.scheme);
  const isOurs = [PROPOSAL_SCHEME, WRITE_SCHEME].includes(modified.scheme) || isChange;
  return isOurs ? { tab, input } : undefined;
}

/** Saves a file that has changes in an editor; false when that failed, of which VS Code tells the user. */
async function saved(file: vscode.Uri): Promise<boolean> {
  const open = vscode.workspace.textDocuments.find(({ uri }) => uri.toString() === file.toString());
  return open?.isDirty !== true || (await open.save());
}

/** The text of a file with its unsaved changes; undefined when there is no file. */
export async function currentText(file: vscode.Uri): Promise<string | undefined> {
  const open = vscode.workspace.textDocuments.find(({ uri }) => uri.toString() === file.toString());
  if (open?.isDirty === true) return open.getText();
  try {
    // Reads from the disk, because the document of a file that was just open may not have its last change yet.
    return await vscode.workspace.decode(await vscode.workspace.fs.readFile(file), { uri: file });
  } catch (error) {
    if (error instanceof vscode.FileSystemError && error.code === 'FileNotFound') return undefined;
    throw error;
  }
}

/** The named file when it is inside of the folder, else the one that the user chooses; undefined when they cancel. */
async function fileFor(named: string | undefined, folder: string | undefined): Promise<vscode.Uri | undefined> {
  const path = named === undefined ? undefined : pathIn(named);
  const base = folder ?? '';
  const full = path === undefined ? undefined : isAbsolute(path) ? path : join(base, path);
  if (full !== undefined && folder !== undefined && !relative(folder, full).startsWith('..')) {
    return vscode.Uri.file(full);
  }
  return askForFile(path, base);
}

async function askForFile(suggested: string | undefined, base: string): Promise<vscode.Uri | undefined> {
  const open = vscode.window.tabGroups.all
    .flatMap(group => group.tabs)
    .flatMap(({ input }) => (input instanceof vscode.TabInputText && input.uri.scheme === 'file' ? [input.uri] : []));
  const other = vscode.l10n.t('Another file…');
  const items = [...new Map(open.map(uri => [uri.toString(), uri])).values()].map(uri => ({
    label: vscode.workspace.asRelativePath(uri),
    uri,
  }));
  const chosen =
    items.length === 0
      ? { label: other, uri: undefined }
      : await vscode.window.showQuickPick([...items, { label: other, uri: undefined }], {
          title: vscode.l10n.t('Apply the code to which file?'),
        });
  if (chosen === undefined || chosen.uri !== undefined) return chosen?.uri;
  const typed = await vscode.window.showInputBox({
    title: vscode.l10n.t('Apply the code to which file?'),
    prompt: vscode.l10n.t('Path relative to the folder; a new file is created'),
    value: suggested ?? '',
  });
  if (typed === undefined || typed.trim() === '') return undefined;
  return vscode.Uri.file(isAbsolute(typed) ? typed : join(base, typed));
}
