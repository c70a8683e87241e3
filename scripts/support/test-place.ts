import { cpSync, existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { cacheFolder, ROOT } from './paths.ts';

const SAMPLE = join(ROOT, 'examples', 'workspace');

/** An extension gallery that cannot be reached, because tests may connect only to 127.0.0.1. */
const NO_GALLERY = JSON.stringify({ serviceUrl: 'http://127.0.0.1:9/', itemUrl: 'http://127.0.0.1:9/' });

/** Absolute paths of one VS Code under test. */
export interface TestPlace {
  readonly root: string;
  readonly home: string;
  readonly workspace: string;
  readonly serverDataDir: string;
  readonly extensionsDir: string;
  /** Environment that isolates a process: the home folder of this place, and none of the developer's keys. */
  readonly env: NodeJS.ProcessEnv;
  remove(): void;
}

/**
 * Makes a temporary place for a VS Code under test: empty folders for home, user data and extensions, and a copy of a
 * workspace, by default the sample. `name` is the name of the copy.
 */
export function makeTestPlace({
  workspace = SAMPLE,
  name = 'workspace',
}: { readonly workspace?: string | undefined; readonly name?: string | undefined } = {}): TestPlace {
  const root = mkdtempSync(join(tmpdir(), 'hookline-'));
  const place = {
    root,
    home: join(root, 'home'),
    workspace: join(root, name),
    serverDataDir: join(root, 'server'),
    extensionsDir: join(root, 'extensions'),
  };
  for (const folder of [place.home, place.workspace, place.serverDataDir, place.extensionsDir]) mkdirSync(folder);
  if (existsSync(workspace)) cpSync(workspace, place.workspace, { recursive: true });
  const remove = (): void => rmSync(root, { recursive: true, force: true, maxRetries: 5 });
  // The default folder of the cache is in the home folder, which is another one for the tests.
  const env = {
    ...withoutKeys(),
    HOOKLINE_CACHE: cacheFolder(),
    EXTENSIONS_GALLERY: NO_GALLERY,
    HOME: place.home,
    USERPROFILE: place.home,
  };
  return { ...place, env, remove };
}

/** Writes pi's trust.json of an agent folder: on the command line, `folder` and those below it are trusted. */
export function trustFolder(agentDir: string, folder: string): void {
  writeFileSync(join(agentDir, 'trust.json'), JSON.stringify({ [realpathSync(folder)]: true }));
}

/**
 * Sets to undefined each environment variable that could give a test a real model, a real account or the developer's own
 * configuration.
 */
export function withoutKeys(): Record<string, undefined> {
  const personal = Object.keys(process.env).filter(name =>
    /(_API_KEY|_TOKEN|_ACCESS_KEY(_ID)?)$|^(AWS|XDG|PI)_/.test(name),
  );
  return Object.fromEntries(personal.map(name => [name, undefined]));
}
