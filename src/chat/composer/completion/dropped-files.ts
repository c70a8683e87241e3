import { stat } from 'node:fs/promises';
import { isAbsolute, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import * as l10n from '@vscode/l10n';
import { slashed } from '../../../base/files/slashed';
import { mentionText } from './mention-text';

/** Most resources taken from one drop. */
const MOST_DROPPED = 50;

/** Mentions of files and folders given as URIs, below `cwd` by their relative path; what cannot be attached is named. */
export async function mentionsOf(
  uris: readonly string[],
  cwd: string,
): Promise<{ readonly text: string; readonly problems: readonly string[] }> {
  const mentions: string[] = [];
  const problems: string[] = [];
  for (const uri of uris.slice(0, MOST_DROPPED)) {
    const path = pathOf(uri);
    const mention = path === undefined ? undefined : await mentionOf(path, cwd);
    if (mention === undefined) problems.push(l10n.t('{0} cannot be attached: it is not a file on this disk.', uri));
    else if (!mentions.includes(mention)) mentions.push(mention);
  }
  if (uris.length > MOST_DROPPED) {
    problems.push(l10n.t('Only the first {0} of {1} files were attached.', MOST_DROPPED, uris.length));
  }
  return { text: mentions.map(mention => `${mention} `).join(''), problems };
}

/** A file on the disk of this process, be it named from a window on another machine; undefined for anything else. */
function pathOf(uri: string): string | undefined {
  try {
    const { protocol, pathname } = new URL(uri);
    if (protocol !== 'file:' && protocol !== 'vscode-remote:') return undefined;
    return fileURLToPath(protocol === 'file:' ? uri : `file://${pathname}`);
  } catch {
    return undefined; // No URI at all: the caller names it.
  }
}

async function mentionOf(path: string, cwd: string): Promise<string | undefined> {
  try {
    const below = slashed(relative(cwd, path));
    const shown = below === '' || below.startsWith('../') || below === '..' || isAbsolute(below) ? path : below;
    return mentionText((await stat(path)).isDirectory() ? `${shown.replace(/\/$/, '')}/` : shown);
  } catch {
    return undefined; // It is gone, or out of reach: the caller names it.
  }
}
