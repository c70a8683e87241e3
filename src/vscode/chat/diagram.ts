import * as vscode from 'vscode';
import type { TextDocuments } from '../text-documents';

/**
 * Shows Mermaid source as a picture: VS Code's own markdown preview on a text that exists only while it is shown. Where
 * that preview knows no Mermaid (an older VS Code without an extension for it), it shows the source.
 */
export async function previewDiagram(texts: TextDocuments, mermaid: string): Promise<void> {
  const resource = texts.add(asMarkdown(mermaid), vscode.l10n.t('Diagram.md'));
  await vscode.commands.executeCommand('markdown.showPreview', resource);
}

/** A fence that nothing inside of the source can close. */
function asMarkdown(mermaid: string): string {
  const longest = Math.max(2, ...[...mermaid.matchAll(/`+/g)].map(([ticks]) => ticks.length));
  const fence = '`'.repeat(longest + 1);
  return `${fence}mermaid\n${mermaid}\n${fence}\n`;
}
