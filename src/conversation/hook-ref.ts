import { basename, dirname } from 'node:path';
import * as l10n from '@vscode/l10n';
import { GATE_FILE } from '../hooks/built-in-gate/gate-file';
import type { HookRef } from '../protocol/chat-item';

/** How a hook is named to people: its file name, or its folder's when the file is an `index`; the built-in gate by its role. */
export function hookRef(path: string, line?: number): HookRef {
  const name = nameOf(path);
  return line === undefined ? { path, name } : { path, name, line };
}

/** By path; a process knows few hooks and names them often. */
const names = new Map<string, string>();

function nameOf(path: string): string {
  const known = names.get(path);
  if (known !== undefined) return known;
  const name = makeName(path);
  names.set(path, name);
  return name;
}

function makeName(path: string): string {
  const file = basename(path);
  if (file === GATE_FILE) return l10n.t('Built-in gate');
  return /^index\.[cm]?[jt]s$/.test(file) ? `${basename(dirname(path))}/${file}` : file;
}
