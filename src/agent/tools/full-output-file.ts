import { randomBytes } from 'node:crypto';
import { readdir, stat, unlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Whose output it is; part of the file's name, as in pi. */
type Origin = 'bash' | 'mcp';

const NAME = /^pi-(?:bash|mcp)-[0-9a-f]{16}\.\w+$/;
/** A conversation may be continued later, and the model may then read the file that an earlier result names. */
const KEPT_MS = 7 * 24 * 60 * 60 * 1000;

let removing: Promise<void> | undefined;

/**
 * The path of a new file for the full output of a call of which the model sees a part, or for a command that is too long for an
 * argument. It is in the folder for temporary files. The first one of a process also removes those that are older than seven days
 * (docs/privacy.md). `extension` with its dot.
 */
export function fullOutputPath(origin: Origin, extension: string): string {
  removing ??= removeOldOutputs(tmpdir());
  return join(tmpdir(), `pi-${origin}-${randomBytes(8).toString('hex')}${extension}`);
}

/**
 * Removes files of {@link fullOutputPath} that were not written to for seven days. Never rejects: other users may own
 * them.
 */
export async function removeOldOutputs(folder: string): Promise<void> {
  const names = await readdir(folder).catch(() => []);
  for (const path of names.filter(name => NAME.test(name)).map(name => join(folder, name))) {
    const found = await stat(path).catch(() => undefined);
    if (found !== undefined && Date.now() - found.mtimeMs > KEPT_MS) await unlink(path).catch(() => undefined);
  }
}
