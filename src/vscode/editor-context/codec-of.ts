import * as vscode from 'vscode';
import type { TextCodec } from '../../agent/tools/files/text-codec';

/** The encoding in which VS Code has a file open, or else would open it; undefined for Unicode. */
export function codecOf(absolutePath: string): TextCodec | undefined {
  const uri = vscode.Uri.file(absolutePath);
  const open = vscode.workspace.textDocuments.find(each => each.uri.toString() === uri.toString());
  const name = open?.encoding ?? vscode.workspace.getConfiguration('files', uri).get('encoding', 'utf8');
  if (name.startsWith('utf')) return undefined;
  return {
    name,
    decode: async bytes => vscode.workspace.decode(bytes, { encoding: name }),
    encode: async text => Buffer.from(await vscode.workspace.encode(text, { encoding: name })),
  };
}
