import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, relative } from 'node:path';
import * as vscode from 'vscode';

/**
 * Writes a Markdown text to a file and shows it rendered. It must be a file, because relative links work only in files.
 *
 * @param file - absolute path of the file, which is overwritten
 */
export async function showMarkdown(file: string, text: string): Promise<void> {
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, text);
  await vscode.commands.executeCommand('markdown.showPreview', vscode.Uri.file(file));
}

/**
 * The link target of a file (absolute `path`) for a Markdown page that is written into the folder `from`.
 *
 * @param line - 1-based
 */
export function relativeLink(from: string, path: string, line: number | undefined): string {
  const target = relative(from, path).replaceAll('\\', '/').split('/').map(encodeURIComponent).join('/');
  return line === undefined ? target : `${target}#L${line}`;
}

/** Escapes a text for one line of Markdown, so that none of it becomes markup. */
export function escapeMarkdown(text: string): string {
  return text.replaceAll(/[\\`*_[\]<>#|&!]/g, '\\$&').replaceAll(/\s+/g, ' ');
}
