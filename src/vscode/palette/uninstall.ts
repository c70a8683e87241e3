// `node dist/uninstall.js`: VS Code runs this file when it removes Hookline ("vscode:uninstall" in package.json).
import { readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { messageOf } from '../../base/errors';
import { isRecord } from '../../base/json/is-record';
import { bytecodeFolder } from '../../startup/own-folders';
import { COMPANION_ID } from './companion-manifest';

/** The file in which VS Code lists the installed extensions of its default profile, as an array of records. */
const REGISTRY = 'extensions.json';

try {
  removeCompanion(dirname(dirname(import.meta.dirname)));
} catch (error) {
  process.stderr.write(`The companion extension of Hookline could not be removed: ${messageOf(error)}\n`);
}

process.once('exit', removeBytecode); // The loader of this program has listened before, and stores.

/** Removes the bytecode of our code. A command line that stays installed stores it again. */
function removeBytecode(): void {
  try {
    rmSync(bytecodeFolder(), { recursive: true, force: true });
  } catch {
    // A process that still runs stores at the same time; it can do so at any time later, too.
  }
}

/** Removes the companion extension from VS Code's folder of extensions (absolute path) and from the list in that folder. */
function removeCompanion(extensions: string): void {
  const registry = join(extensions, REGISTRY);
  const listed: unknown = JSON.parse(readFileSync(registry, 'utf8'));
  if (Array.isArray(listed) && listed.some(isCompanion)) {
    const draft = `${registry}.${process.pid}`;
    writeFileSync(draft, JSON.stringify(listed.filter(entry => !isCompanion(entry))));
    renameSync(draft, registry);
  }
  const folders = readdirSync(extensions).filter(name => name.startsWith(`${COMPANION_ID}-`));
  for (const folder of folders) rmSync(join(extensions, folder), { recursive: true });
}

function isCompanion(entry: unknown): boolean {
  const identifier = isRecord(entry) ? entry['identifier'] : undefined;
  return isRecord(identifier) && identifier['id'] === COMPANION_ID;
}
