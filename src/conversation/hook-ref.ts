import { basename, dirname } from 'node:path';
import * as l10n from '@vscode/l10n';
import { GATE_FILE } from '../hooks/built-in-gate/gate-file';
import type { HookRef } from '../protocol/chat-item';
import { defined } from '../base/defined';

/** How a hook is named to people: its file name, or its folder's when the file is an `index`; the built-in gate by its role. */
export function hookRef(path: string, line?: number): HookRef {
  return { path, name: nameOf(path), ...defined({ line }) };
}

function nameOf(path: string): string {
  const file = basename(path);
  if (file === GATE_FILE) return l10n.t('Built-in gate');
  return /^index\.[cm]?[jt]s$/.test(file) ? `${basename(dirname(path))}/${file}` : file;
}
