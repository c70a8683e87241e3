// `node dist/uninstall.js`: VS Code runs it when it removes Hookline ("vscode:uninstall" in package.json).
import { readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { messageOf } from '../../base/errors';
import { isRecord } from '../../base/json/is-record';
import { COMPANION_ID } from './companion-manifest';

/** Where VS Code keeps which extensions there are, for its default profile; a list of records. */
const REGISTRY = 'extensions.json';

try {
  removeCompanion(dirname(dirname(import.meta.dirname)));
} catch (error) {
  process.stderr.write(`The companion extension of Hookline could not be removed: ${messageOf(error)}\n`);
}

/** Removes the extension with the palette entries of hooks from a folder of extensions, and from their list there. */
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
