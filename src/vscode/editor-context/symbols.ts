import { relative } from 'node:path';
import * as vscode from 'vscode';
import { slashed } from '../../base/files/slashed';
import { mentionText } from '../../chat/composer/completion/mention-text';
import type { Completion } from '../../protocol/composer/composer';

const MOST_SYMBOLS = 20;

/** Symbols in files of the folder whose names match, in the order of the language extensions. Empty without a folder. */
export async function symbolsNamed(
  query: string,
  folder: string | undefined,
  signal: AbortSignal,
): Promise<readonly Completion[]> {
  if (folder === undefined || /[/"\s]/.test(query)) return [];
  const found = await vscode.commands.executeCommand<vscode.SymbolInformation[] | undefined>(
    'vscode.executeWorkspaceSymbolProvider',
    query,
  );
  // VS Code's command cannot be canceled, so its late answer is ignored.
  if (signal.aborted) return [];
  const completions = (found ?? []).flatMap(symbol => completionOf(symbol, folder) ?? []);
  const seen = new Set<string>();
  return completions.filter(({ insert }) => !seen.has(insert) && seen.add(insert)).slice(0, MOST_SYMBOLS);
}

function completionOf({ name, location, kind }: vscode.SymbolInformation, folder: string): Completion | undefined {
  const path = slashed(relative(folder, location.uri.fsPath));
  if (location.uri.scheme !== 'file' || path.startsWith('..') || path.includes('node_modules/')) return undefined;
  const bare = name.replace(/\(\)$/, '');
  const what = vscode.SymbolKind[kind].toLowerCase();
  return { kind: 'symbol', label: bare, detail: `${what} · ${path}`, insert: mentionText(`${path}#${bare}`) };
}

/** The first and last line of a symbol, 1-based and included; undefined when the file has no symbol of that name. */
export async function linesOfSymbol(
  uri: vscode.Uri,
  name: string,
): Promise<readonly [first: number, last: number] | undefined> {
  const found = await vscode.commands.executeCommand<(vscode.SymbolInformation | vscode.DocumentSymbol)[] | undefined>(
    'vscode.executeDocumentSymbolProvider',
    uri,
  );
  const range = rangeOf(found ?? [], name);
  return range && [range.start.line + 1, range.end.line + 1];
}

function rangeOf(
  symbols: readonly (vscode.SymbolInformation | vscode.DocumentSymbol)[],
  name: string,
): vscode.Range | undefined {
  for (const symbol of symbols) {
    if (symbol.name.replace(/\(\)$/, '') === name) return 'range' in symbol ? symbol.range : symbol.location.range;
    const inside = 'children' in symbol ? rangeOf(symbol.children, name) : undefined;
    if (inside !== undefined) return inside;
  }
  return undefined;
}
