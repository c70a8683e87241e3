import { basename } from 'node:path';
import type { CallDetails } from '../../hooks/built-in-gate/call-details';
import { isRecord } from '../../base/json/is-record';

/** What a call is about to do, as a user decides about it: its command, its difference, or all its arguments. */
export function callInWords({ command, kind, file, input }: CallDetails): string {
  if (command !== undefined) return command.line;
  if (kind === 'writes' && file !== undefined) {
    const path = String(input['path']);
    // The title of the question names the file.
    return path === basename(file.real) ? changeText(input) : `${path}\n\n${changeText(input)}`;
  }
  return Object.entries(input)
    .map(([name, value]) => `${name}: ${typeof value === 'string' ? value : JSON.stringify(value)}`)
    .join('\n');
}

function changeText(input: CallDetails['input']): string {
  const { content, edits } = input;
  if (typeof content === 'string') return content;
  const all: readonly unknown[] = Array.isArray(edits) ? edits : [input];
  return all
    .filter(isRecord)
    .map(({ oldText, newText }) => [...lines('-', oldText), ...lines('+', newText)].join('\n'))
    .join('\n\n');
}

function lines(sign: '-' | '+', text: unknown): readonly string[] {
  return typeof text === 'string' ? text.split('\n').map(line => `${sign} ${line}`) : [];
}
