import { relative } from 'node:path';
import * as vscode from 'vscode';
import { DisposableStore, type Disposable } from '../../base/disposable';
import { messageOf } from '../../base/errors';
import type { Log } from '../../base/log';
import { shownPath } from '../../base/files/shown-path';
import { slashed } from '../../base/files/slashed';
import { mentionText } from '../../chat/composer/completion/mention-text';
import type { ContextSource, SourceName, SourceText } from '../../session/attachments/context-source';
import type { Completion } from '../../protocol/composer/composer';
import { readGit, readGitDiff } from './git';
import { countProblems, problemsText } from './problems';
import { placeOf, selectedText } from './selection';
import { linesOfSymbol, symbolsNamed } from './symbols';
import { terminalSelection } from './terminal-selection';

/** At most this many open files are listed. */
const MOST_OPEN = 50;

/** Gives messages what VS Code knows: open files, selections, problems and symbols. Failures are logged, never thrown. */
export class VsCodeContext implements ContextSource, Disposable {
  private readonly store = new DisposableStore();
  /** Absolute paths of the files that were active, the latest first. */
  private recent: string[] = [];

  constructor(private readonly parts: { readonly folder: string | undefined; readonly log: Log }) {
    this.note(vscode.window.activeTextEditor);
    this.store.add(vscode.window.onDidChangeActiveTextEditor(editor => this.note(editor)));
  }

  openFiles(): readonly string[] {
    const inTabs = vscode.window.tabGroups.all.flatMap(group =>
      group.tabs.flatMap(({ input }) =>
        input instanceof vscode.TabInputText && input.uri.scheme === 'file' ? [input.uri.fsPath] : [],
      ),
    );
    return [...new Set([...this.recent, ...inTabs])].slice(0, MOST_OPEN);
  }

  offers(): readonly Completion[] {
    const { folder } = this.parts;
    const selected = selectedText();
    const problems = countProblems();
    const active = vscode.window.activeTextEditor?.document;
    const here = active?.uri.scheme === 'file' ? countProblems(active.uri) : 0;
    const path = active === undefined || folder === undefined ? '' : slashed(relative(folder, active.uri.fsPath));
    return [
      ...(selected === undefined ? [] : [offer('selection', placeOf(selected, folder))]),
      ...(problems === 0
        ? []
        : [offer('problems', problems === 1 ? vscode.l10n.t('1 problem') : vscode.l10n.t('{0} problems', problems))]),
      ...(here === 0 || here === problems || path === ''
        ? []
        : [{ ...offer('problems', vscode.l10n.t('{0} in {1}', here, path)), insert: mentionText(`problems:${path}`) }]),
      ...(vscode.window.activeTerminal === undefined
        ? []
        : [offer('terminal', vscode.l10n.t('selection in {0}', vscode.window.activeTerminal.name))]),
      ...(folder === undefined ? [] : [offer('diff', vscode.l10n.t('changes since the last commit'))]),
    ];
  }

  async symbols(query: string, signal: AbortSignal): Promise<readonly Completion[]> {
    try {
      return await symbolsNamed(query, this.parts.folder, signal);
    } catch (error) {
      this.parts.log.warn(`Symbols could not be looked up: ${messageOf(error)}`);
      return [];
    }
  }

  async read(name: SourceName, of: string | undefined): Promise<SourceText | string> {
    try {
      return await this.readSource(name, of);
    } catch (error) {
      this.parts.log.warn(`@${name} could not be read: ${messageOf(error)}`);
      return messageOf(error);
    }
  }

  async linesOfSymbol(path: string, symbol: string): Promise<readonly [first: number, last: number] | undefined> {
    try {
      return await linesOfSymbol(vscode.Uri.file(path), symbol);
    } catch (error) {
      this.parts.log.warn(`"${symbol}" could not be looked up in ${path}: ${messageOf(error)}`);
      return undefined;
    }
  }

  unsavedText(path: string): string | undefined {
    const open = vscode.workspace.textDocuments.find(({ uri }) => uri.scheme === 'file' && uri.fsPath === path);
    return open?.isDirty === true ? open.getText() : undefined;
  }

  dispose(): void {
    this.store.dispose();
  }

  private async readSource(name: SourceName, of: string | undefined): Promise<SourceText | string> {
    const { folder } = this.parts;
    switch (name) {
      case 'problems': {
        const uri = of === undefined ? undefined : vscode.Uri.file(of);
        return problemsText(folder, uri) ?? vscode.l10n.t('there are no problems');
      }
      case 'selection': {
        const selected = selectedText();
        if (selected === undefined) return vscode.l10n.t('nothing is selected in the editor');
        return { source: `selection of ${placeOf(selected, folder)}`, text: selected.text };
      }
      case 'terminal': {
        const selected = await terminalSelection();
        return selected ?? vscode.l10n.t('nothing is selected in the terminal');
      }
      case 'diff':
        return gitDiff(folder, of);
    }
  }

  private note(editor: vscode.TextEditor | undefined): void {
    if (editor?.document.uri.scheme !== 'file') return;
    const path = editor.document.uri.fsPath;
    this.recent = [path, ...this.recent.filter(other => other !== path)].slice(0, MOST_OPEN);
  }
}

function offer(name: SourceName, detail: string): Completion {
  return { kind: name, label: name, detail, insert: `@${name}` };
}

/** What changed in the folder, or in the file `of` (absolute), since the last commit. A string says why there is no diff. */
async function gitDiff(folder: string | undefined, of: string | undefined): Promise<SourceText | string> {
  if (folder === undefined) return vscode.l10n.t('no folder is open');
  const head = await readGit(folder, ['rev-parse', '--verify', '--quiet', 'HEAD']);
  if (head.missing) return vscode.l10n.t('git is not installed');
  const inside = await readGit(folder, ['rev-parse', '--is-inside-work-tree']);
  if (inside.code !== 0) return vscode.l10n.t('the folder is not a git repository');
  const base = head.code === 0 ? ['HEAD'] : ['--cached'];
  const paths = ['--', of ?? '.'];
  const { output, code } = await readGitDiff(folder, [...base, ...paths]);
  const { output: fresh } = await readGit(folder, ['ls-files', '--others', '--exclude-standard', ...paths]);
  if (code !== 0) return vscode.l10n.t('git could not compare the folder');
  const untracked = fresh.trim() === '' ? '' : `\nNew files that git does not track yet:\n${fresh.trim()}\n`;
  if (output.trim() === '' && untracked === '') return vscode.l10n.t('nothing has changed since the last commit');
  const place = of === undefined ? '' : ` of ${shownPath(of, folder)}`;
  return { source: `git diff${place}`, text: `${output}${untracked}`.trim() };
}
