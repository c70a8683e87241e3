import { basename } from 'node:path';
import * as l10n from '@vscode/l10n';
import { shownPath } from '../../base/shown-path';
import type { CallDetails } from '../../hook-contract/approvals/asked-call';
import { isRecord } from '../../base/json/is-record';
import { diffOf } from '../../agent/changes/file-texts';
import { replacedText } from './replaced-text';

/**
 * What a call is about to do, as a user decides about it: its command, its difference, or all its arguments. The file that
 * it would write over is read for the difference. Never rejects.
 */
export async function callInWords(
  { command, kind, file, input, cwd }: CallDetails,
  signal: AbortSignal | undefined,
): Promise<string> {
  if (command !== undefined) return command.line;
  if (kind === 'writes' && file !== undefined) {
    const path = String(input['path']);
    const { content } = input;
    const change = typeof content === 'string' ? await contentText(file, content, signal) : editText(input);
    // The title of the question names the file, and a remark about its place names the path.
    const isUsual = file.place === 'workspace' || file.place === 'temporary';
    const isNamed = path === (isUsual ? basename(file.real) : shownPath(file.real, cwd));
    return isNamed ? change : `${path}\n\n${change}`;
  }
  return Object.entries(input)
    .map(([name, value]) => `${name}: ${typeof value === 'string' ? value : JSON.stringify(value)}`)
    .join('\n');
}

/** What new content changes in the file; the content itself for a new file, and where the two cannot be compared. */
async function contentText(
  file: NonNullable<CallDetails['file']>,
  content: string,
  signal: AbortSignal | undefined,
): Promise<string> {
  const replaced = await replacedText(file, signal);
  if (replaced.type === 'newFile') return content;
  const diff = replaced.type === 'text' ? diffOf({ before: replaced.text, after: content }) : undefined;
  if (diff === '') return l10n.t('The file already has this content.');
  return diff ?? `${l10n.t('This replaces the whole file, which cannot be compared here:')}\n\n${content}`;
}

function editText(input: CallDetails['input']): string {
  const { edits } = input;
  const all: readonly unknown[] = Array.isArray(edits) ? edits : [input];
  return all
    .filter(isRecord)
    .map(({ oldText, newText }) => [...lines('-', oldText), ...lines('+', newText)].join('\n'))
    .join('\n\n');
}

function lines(sign: '-' | '+', text: unknown): readonly string[] {
  return typeof text === 'string' ? text.split('\n').map(line => `${sign} ${line}`) : [];
}
