import { execFileSync } from 'node:child_process';
import { chmodSync, copyFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { delimiter, join } from 'node:path';
import { Readable, type Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { brotliDecompressSync } from 'node:zlib';
import { cachedFolder } from './support/cached.ts';
import { UserError } from './support/fail.mjs';
import { ROOT } from './support/paths.ts';

const PROGRAM_NAMES = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable', 'chrome'];
const FLAGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--disable-dev-shm-usage',
];
/** Must be increased when the way in which the npm browser is unpacked changes, so that old copies are not used. */
const LAYOUT = 1;

/** Options for playwright's `chromium.launch`. */
interface FoundBrowser {
  readonly executablePath: string;
  readonly env: NodeJS.ProcessEnv;
  readonly args: string[];
}

/**
 * Finds a Chromium that runs headless: `$CHROME_PATH`, one on the `PATH`, else the one in the npm package
 * `@sparticuz/chromium`, which is unpacked once into the cache with its libraries and fonts.
 * @throws {UserError} when there is none for this system
 */
export async function findBrowser(): Promise<FoundBrowser> {
  const local = browserOnThisMachine();
  if (local) return { executablePath: local, env: process.env, args: FLAGS };
  if (process.platform !== 'linux' || process.arch !== 'x64') {
    throw new UserError('no Chrome or Chromium was found: install one or set CHROME_PATH to its program');
  }
  return npmBrowser();
}

function browserOnThisMachine(): string | undefined {
  const { CHROME_PATH, PATH = '' } = process.env;
  if (CHROME_PATH) {
    if (existsSync(CHROME_PATH)) return CHROME_PATH;
    throw new UserError(`CHROME_PATH names ${CHROME_PATH}, which does not exist`);
  }
  const onPath = PATH.split(delimiter).flatMap(folder => PROGRAM_NAMES.map(name => join(folder, name)));
  return [...onPath, ...usualPlaces()].find(path => existsSync(path) && startsWell(path));
}

function usualPlaces(): string[] {
  if (process.platform === 'darwin') return ['/Applications/Google Chrome.app/Contents/MacOS/Google Chrome'];
  if (process.platform !== 'win32') return [];
  const roots = ['PROGRAMFILES', 'PROGRAMFILES(X86)', 'LOCALAPPDATA'].map(name => process.env[name]).filter(isThere);
  return roots.map(root => join(root, 'Google', 'Chrome', 'Application', 'chrome.exe'));
}

/** Whether the program is a real browser. On some systems it is a script that only says how to install one. */
function startsWell(path: string): boolean {
  if (process.platform === 'win32') return true;
  try {
    return /\d+\.\d+/.test(execFileSync(path, ['--version'], { encoding: 'utf8', timeout: 10_000, stdio: 'pipe' }));
  } catch {
    return false;
  }
}

async function npmBrowser(): Promise<FoundBrowser> {
  const entry = createRequire(import.meta.url).resolve('@sparticuz/chromium');
  const packed = join(ROOT, 'node_modules', '@sparticuz', 'chromium');
  const { version } = JSON.parse(readFileSync(join(packed, 'package.json'), 'utf8')) as { readonly version: string };
  const folder = await cachedFolder(['chromium', `${version}-${LAYOUT}`], async draft => {
    console.log(`hookline: unpacking a headless Chromium (@sparticuz/chromium ${version}), once`);
    // `tar-fs` is a dependency of that package and has no types.
    const { extract } = createRequire(entry)('tar-fs') as { readonly extract: (folder: string) => Writable };
    for (const archive of ['al2023', 'fonts', 'swiftshader']) {
      const tar = brotliDecompressSync(readFileSync(join(packed, 'bin', `${archive}.tar.br`)));
      await pipeline(Readable.from([tar]), extract(draft));
    }
    writeFileSync(join(draft, 'chromium'), brotliDecompressSync(readFileSync(join(packed, 'bin', 'chromium.br'))));
    chmodSync(join(draft, 'chromium'), 0o755);
    addFonts(draft);
  });
  writeFontsConf(folder);
  const libraries = [join(folder, 'lib'), folder, process.env['LD_LIBRARY_PATH']].filter(isThere).join(delimiter);
  return {
    executablePath: join(folder, 'chromium'),
    env: { ...process.env, LD_LIBRARY_PATH: libraries, FONTCONFIG_FILE: join(folder, 'fonts.conf') },
    args: [...FLAGS, '--no-zygote'],
  };
}

function isThere(value: string | undefined): value is string {
  return Boolean(value);
}

function addFonts(folder: string): void {
  const fonts = join(ROOT, 'node_modules', 'dejavu-fonts-ttf', 'ttf');
  mkdirSync(join(folder, 'fonts'), { recursive: true });
  for (const name of ['DejaVuSansMono', 'DejaVuSansMono-Bold', 'DejaVuSans', 'DejaVuSans-Bold']) {
    copyFileSync(join(fonts, `${name}.ttf`), join(folder, 'fonts', `${name}.ttf`));
  }
}

/** Writes fonts.conf again if it changed: it contains the absolute path of its folder, and the cache may have been moved. */
function writeFontsConf(folder: string): void {
  const alias = (family: string, font: string): string =>
    `<alias><family>${family}</family><prefer><family>${font}</family></prefer></alias>`;
  const text = `<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig>
  <dir>${join(folder, 'fonts')}</dir>
  <cachedir>${join(folder, 'font-cache')}</cachedir>
  ${alias('monospace', 'DejaVu Sans Mono')}
  ${alias('sans-serif', 'Open Sans')}
  ${alias('system-ui', 'Open Sans')}
</fontconfig>
`;
  const file = join(folder, 'fonts.conf');
  if (!existsSync(file) || readFileSync(file, 'utf8') !== text) writeFileSync(file, text);
}
