import { basename, dirname } from 'node:path';
import type { HookRef } from '../protocol/chat-item';

/** How a hook is named to people: its file name, or its folder's when the file is an `index`. */
export function hookRef(path: string, line?: number): HookRef {
  const file = basename(path);
  const name = /^index\.[cm]?[jt]s$/.test(file) ? `${basename(dirname(path))}/${file}` : file;
  return { path, name, ...(line === undefined ? {} : { line }) };
}
