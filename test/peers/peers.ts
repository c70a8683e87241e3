import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

/** Says where real peers are installed: JSON of version to folder, set by `npm run test:peers`. */
const PEERS_ENV = 'HOOKLINE_PEERS';

const PACKAGE = join('@mariozechner', 'pi-coding-agent');

/** The package folder of an installed peer; undefined when the run brings none of this version. */
export function peerFolder(version: string): string | undefined {
  const raw = process.env[PEERS_ENV];
  if (raw === undefined || raw === '') return undefined;
  const map = new Map<string, unknown>(Object.entries(JSON.parse(raw) as object));
  const folder = map.get(version);
  if (typeof folder !== 'string') return undefined;
  return folder.endsWith(PACKAGE) ? folder : join(folder, PACKAGE);
}

/** Loads a file of an installed pi-coding-agent by its path below `dist`. The caller states what it exports. */
export async function importPeer<T>(folder: string, file: string): Promise<T> {
  return (await import(pathToFileURL(join(folder, 'dist', file)).href)) as T;
}

/** A suite for one peer version, skipped with the reason in its title when that version is not installed. */
export function describePeer(title: string, version: string, body: (folder: string) => void): void {
  const folder = peerFolder(version);
  if (folder === undefined) {
    describe.skip(`${title} (pi ${version} is not installed: set ${PEERS_ENV}, or use npm run test:peers)`, () => {
      it('was not run');
    });
    return;
  }
  describe(`${title} (pi ${version})`, () => body(folder));
}
