import * as vscode from 'vscode';
import { shownPath } from '../../base/shown-path';
import type { SourceText } from '../../session/attachments/context-source';
import { readGit, readGitDiff } from './git';

/** What changed in the folder, or in the file `of` (absolute), since the last commit. A string says why there is no diff. */
export async function gitDiff(folder: string | undefined, of: string | undefined): Promise<SourceText | string> {
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
