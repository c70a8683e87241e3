import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

/** Says where real peers are installed: JSON of version to `node_modules` folder, set by `npm run test:peers`. */
const PEERS_ENV = 'HOOKLINE_PEERS';

/** The `node_modules` of an installed peer; undefined when the run brings none of this version. */
export function peerModules(version: string): string | undefined {
  const raw = process.env[PEERS_ENV];
  if (raw === undefined || raw === '') return undefined;
  const map = new Map<string, unknown>(Object.entries(JSON.parse(raw) as object));
  const folder = map.get(version);
  return typeof folder === 'string' ? folder : undefined;
}

/** Loads a file of an installed pi-coding-agent by its path below `dist`. The caller states what it exports. */
export async function importPeer<T>(modules: string, file: string): Promise<T> {
  const path = join(modules, '@mariozechner', 'pi-coding-agent', 'dist', file);
  return (await import(pathToFileURL(path).href)) as T;
}

/** A suite for one peer version, skipped with the reason in its title when that version is not installed. */
export function describePeer(title: string, version: string, body: (modules: string) => void): void {
  const modules = peerModules(version);
  if (modules === undefined) {
    describe.skip(`${title} (pi ${version} is not installed: set ${PEERS_ENV}, or use npm run test:peers)`, () => {
      it('was not run');
    });
    return;
  }
  describe(`${title} (pi ${version})`, () => {
    body(modules);
  });
}
