import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, relative } from 'node:path';
import * as vscode from 'vscode';

/**
 * Writes a text in Markdown and shows it rendered. It is a file, so that its links lead to lines of other files.
 *
 * @param file - where it is written, absolute
 */
export async function showMarkdown(file: string, text: string): Promise<void> {
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, text);
  await vscode.commands.executeCommand('markdown.showPreview', vscode.Uri.file(file));
}

/**
 * The target of a link to a file, as a page in Markdown that is written into the folder `from` needs it.
 *
 * @param line - 1-based
 */
export function relativeLink(from: string, path: string, line: number | undefined): string {
  const target = relative(from, path).replaceAll('\\', '/').split('/').map(encodeURIComponent).join('/');
  return line === undefined ? target : `${target}#L${line}`;
}

/** A text of others in a line of Markdown: nothing of it becomes markup. */
export function escapeMarkdown(text: string): string {
  return text.replaceAll(/[\\`*_[\]<>#|&!]/g, '\\$&').replaceAll(/\s+/g, ' ');
}
