import { basename } from 'node:path';
import * as l10n from '@vscode/l10n';
import { diffOf } from '../../agent/changes/file-texts';
import { diffTexts } from '../../agent/tools/files/editing/diff';
import { callDiff } from '../../agent/tools/files/editing/call-diff';
import { withTarget } from '../../agent/tools/files/file-target';
import { isRecord } from '../../base/json/is-record';
import { shownPath } from '../../base/files/shown-path';
import type { CallDetails } from '../../hook-contract/approvals/asked-call';

/** What a call is about to do, as a user decides about it. */
export interface CallInWords {
  /** All of it: the command, the path with the change, or the arguments. */
  readonly text: string;
  /** See `QuestionSubject`. */
  readonly diff?: string;
  /** What the difference does not say. It is part of `text`. */
  readonly note?: string;
}

/** Says what a call is about to do. The file that it would change is read for the difference. Never rejects. */
export async function callInWords(details: CallDetails, signal: AbortSignal | undefined): Promise<CallInWords> {
  const { command, kind, file, input, cwd } = details;
  if (command !== undefined) return { text: command.line };
  if (kind === 'writes' && file !== undefined) {
    const path = String(input['path']);
    const change = await changeInWords(details, file, signal);
    // The title of the question names the file, and a remark about its place names the path.
    const isUsual = file.place === 'workspace' || file.place === 'temporary';
    const isNamed = path === (isUsual ? basename(file.real) : shownPath(file.real, cwd));
    return isNamed ? change : { ...change, text: `${path}\n\n${change.text}` };
  }
  return {
    text: argumentsOf(input)
      .map(({ name, value }) => `${name}: ${value}`)
      .join('\n'),
  };
}

/** The arguments of a call, as texts. */
export function argumentsOf(input: CallDetails['input']): readonly { readonly name: string; readonly value: string }[] {
  return Object.entries(input).map(([name, value]) => ({
    name,
    value: typeof value === 'string' ? value : JSON.stringify(value),
  }));
}

/** What a call changes in its file; its own words for a new file, and where the two contents cannot be compared. */
async function changeInWords(
  { toolName, input, cwd }: CallDetails,
  { target, place }: NonNullable<CallDetails['file']>,
  signal: AbortSignal | undefined,
): Promise<CallInWords> {
  const change =
    place === 'unclear' ? undefined : await withTarget(target, () => callDiff(toolName, input, cwd, { signal }));
  if (change?.type === 'change') {
    const { before, after } = change;
    if (before === null) return { text: after, diff: diffTexts('', after).diff };
    const diff = diffOf({ before, after });
    if (diff === '') {
      const note = l10n.t('The file already has this content.');
      return { text: note, note };
    }
    if (diff !== undefined) return { text: diff, diff };
  }
  const { content } = input;
  if (typeof content !== 'string') {
    const diff = editText(input);
    return { text: diff, diff };
  }
  const note = l10n.t('This replaces the whole file. Its present content cannot be compared here.');
  return { text: `${note}\n\n${content}`, diff: diffTexts('', content).diff, note };
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
