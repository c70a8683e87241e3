import { existsSync } from 'node:fs';
import { basename } from 'node:path';
import * as vscode from 'vscode';
import type { TextDocuments } from '../text-documents';

/**
 * Compares a source of a hook as it runs with the file on disk; `running` is undefined for code that is new. The right
 * side is the file itself, so that it shows what an approval would take at any time.
 */
export async function showChange(texts: TextDocuments, path: string, running: string | undefined): Promise<void> {
  const name = basename(path);
  const left = texts.add(running ?? '', name);
  const right = existsSync(path) ? vscode.Uri.file(path) : texts.add('', name);
  const title = vscode.l10n.t('{0}: running ↔ waiting for approval', name);
  await vscode.commands.executeCommand('vscode.diff', left, right, title);
}
