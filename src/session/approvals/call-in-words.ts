import { basename } from 'node:path';
import * as l10n from '@vscode/l10n';
import { diffOf } from '../../agent/changes/file-texts';
import { callDiff } from '../../agent/tools/files/editing/call-diff';
import { withTarget } from '../../agent/tools/files/file-target';
import { isRecord } from '../../base/json/is-record';
import { shownPath } from '../../base/files/shown-path';
import type { CallDetails } from '../../hook-contract/approvals/asked-call';

/**
 * What a call is about to do, as a user decides about it: its command, its difference, or all its arguments. The file
 * that it would change is read for the difference. Never rejects.
 */
export async function callInWords(details: CallDetails, signal: AbortSignal | undefined): Promise<string> {
  const { command, kind, file, input, cwd } = details;
  if (command !== undefined) return command.line;
  if (kind === 'writes' && file !== undefined) {
    const path = String(input['path']);
    const change = await changeText(details, file, signal);
    // The title of the question names the file, and a remark about its place names the path.
    const isUsual = file.place === 'workspace' || file.place === 'temporary';
    const isNamed = path === (isUsual ? basename(file.real) : shownPath(file.real, cwd));
    return isNamed ? change : `${path}\n\n${change}`;
  }
  return Object.entries(input)
    .map(([name, value]) => `${name}: ${typeof value === 'string' ? value : JSON.stringify(value)}`)
    .join('\n');
}

/** What a call changes in its file; its own words for a new file, and where the two contents cannot be compared. */
async function changeText(
  { toolName, input, cwd }: CallDetails,
  { target, place }: NonNullable<CallDetails['file']>,
  signal: AbortSignal | undefined,
): Promise<string> {
  const change =
    place === 'unclear' ? undefined : await withTarget(target, () => callDiff(toolName, input, cwd, signal));
  if (change?.type === 'change') {
    const { before, after } = change;
    if (before === null) return after;
    const diff = diffOf({ before, after });
    if (diff !== undefined) return diff === '' ? l10n.t('The file already has this content.') : diff;
  }
  const { content } = input;
  if (typeof content !== 'string') return editText(input);
  return `${l10n.t('This replaces the whole file, which cannot be compared here:')}\n\n${content}`;
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
