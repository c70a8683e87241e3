import { readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import * as vscode from 'vscode';
import type { Conversations } from '../../chat/window/conversations';
import { askByReading, lacksRealModel } from '../../session/ask-by-reading';
import { conversionPrompt, convertedText, withoutPadding } from '../../hook-authoring/conversion';
import type { DialectId } from '../../hook-contract/dialect-id';
import { wholeText } from '../chat/plan-apply';
import { currentText, type Proposals } from '../chat/proposals';
import { agentPath } from '../editor-context/agent-path';

export interface ConversionParts {
  readonly conversations: () => Conversations;
  readonly proposals: Pick<Proposals, 'propose'>;
  /** Brings a conversation to the front, wherever it is shown. */
  readonly reveal: (conversation: string) => Promise<void>;
  /** Absolute path of the open folder; undefined when none is open. */
  readonly folder: string | undefined;
  /** Absolute path of the extension's `dist`, which contains the types and the page about dialects. */
  readonly distDir: string;
}

/**
 * Has the agent convert a hook to the dialect `pi`, in a conversation of its own, and shows its proposal as a diff.
 * Resolves with whether a diff is open. Only the user's acceptance of the diff writes the file.
 */
export async function convertHook(
  { path, dialect }: { readonly path: string; readonly dialect: DialectId | undefined },
  { conversations, proposals, reveal, folder, distDir }: ConversionParts,
): Promise<boolean> {
  const all = conversations();
  const { active } = all;
  await reveal(active.id);
  if (await lacksRealModel(active.conversation)) return false;
  const file = vscode.Uri.file(path);
  const was = await currentText(file);
  if (was === undefined) throw new Error(vscode.l10n.t('{0} does not exist.', path));
  const conversation = await all.openBeside();
  if (conversation === undefined) return false;
  await reveal(conversation.id);
  const prompt = conversionPrompt({ path: agentPath(file, folder), dialect, typings: join(distDir, 'typings') });
  const page = await readFile(join(distDir, 'dialects.md'), 'utf8');
  const answer = await askByReading(conversation, prompt, [
    { name: basename(path), text: was },
    { name: 'dialects.md', text: withoutPadding(page) },
  ]);
  if (answer === undefined) return false;
  const converted = convertedText(answer);
  if (converted === undefined) {
    const text = vscode.l10n.t(
      'The agent proposed no new text of {0}. The conversation has its answer.',
      basename(path),
    );
    void vscode.window.showWarningMessage(text);
    return false;
  }
  return proposals.propose({ file, was }, wholeText(was, converted));
}
