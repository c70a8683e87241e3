import { basename, dirname } from 'node:path';
import * as l10n from '@vscode/l10n';
import { GATE_FILE } from '../hook-contract/conversation-approvals';
import { defined } from '../base/defined';
import type { HookRef } from '../protocol/items/chat-item';

/** By path, and then by line: each verdict of a long session names one, and a process knows few. */
const refs = new Map<string, Map<number | undefined, HookRef>>();

/**
 * How a hook is named to people: its file name, or its folder's when the file is an `index`; the built-in gate by its
 * role. Always the same object for the same path and line.
 */
export function hookRef(path: string, line?: number): HookRef {
  const ofPath = refs.get(path) ?? new Map<number | undefined, HookRef>();
  const known = ofPath.get(line);
  if (known !== undefined) return known;
  const ref = { path, name: nameOf(path), ...defined({ line }) };
  refs.set(path, ofPath.set(line, ref));
  return ref;
}

function nameOf(path: string): string {
  const file = basename(path);
  if (file === GATE_FILE) return l10n.t('Built-in gate');
  return /^index\.[cm]?[jt]s$/.test(file) ? `${basename(dirname(path))}/${file}` : file;
}
