import { execFileSync } from 'node:child_process';
import { chmodSync, copyFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { delimiter, join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { brotliDecompressSync } from 'node:zlib';
import { cachedFolder } from './support/cached.mjs';
import { UserError } from './support/fail.mjs';
import { ROOT } from './support/paths.mjs';

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
/** Raised when the way in which the npm browser is unpacked changes, so that old copies are not used. */
const LAYOUT = 1;

/**
 * Finds a Chromium that runs headless: `$CHROME_PATH`, one on the `PATH`, else the one in the npm package
 * `@sparticuz/chromium`, unpacked once into the cache with its libraries and fonts.
 * @param {{ npmOnly?: boolean }} [options] `npmOnly` passes over what the machine has
 * @returns {Promise<{ executablePath: string, env: Record<string, string>, args: string[], origin: string }>} what
 *   playwright's `chromium.launch` takes; `origin` says in words where it comes from
 * @throws {UserError} when there is none for this system
 */
export async function findBrowser({ npmOnly = false } = {}) {
  const local = npmOnly ? undefined : browserOnThisMachine();
  if (local) return { executablePath: local, env: { ...process.env }, args: FLAGS, origin: `${local} of this machine` };
  if (process.platform !== 'linux' || process.arch !== 'x64') {
    throw new UserError('no Chrome or Chromium was found: install one or set CHROME_PATH to its program');
  }
  return npmBrowser();
}

function browserOnThisMachine() {
  const { CHROME_PATH, PATH = '' } = process.env;
  if (CHROME_PATH) {
    if (existsSync(CHROME_PATH)) return CHROME_PATH;
    throw new UserError(`CHROME_PATH names ${CHROME_PATH}, which does not exist`);
  }
  const onPath = PATH.split(delimiter).flatMap(folder => PROGRAM_NAMES.map(name => join(folder, name)));
  return [...onPath, ...usualPlaces()].find(path => existsSync(path) && startsWell(path));
}

function usualPlaces() {
  if (process.platform === 'darwin') return ['/Applications/Google Chrome.app/Contents/MacOS/Google Chrome'];
  if (process.platform !== 'win32') return [];
  const roots = [process.env.PROGRAMFILES, process.env['PROGRAMFILES(X86)'], process.env.LOCALAPPDATA].filter(Boolean);
  return roots.map(root => join(root, 'Google', 'Chrome', 'Application', 'chrome.exe'));
}

/** Some systems put a script there that only says how to install the real thing. */
function startsWell(path) {
  if (process.platform === 'win32') return true;
  try {
    return /\d+\.\d+/.test(execFileSync(path, ['--version'], { encoding: 'utf8', timeout: 10_000, stdio: 'pipe' }));
  } catch {
    // Not usable, so not found.
    return false;
  }
}

async function npmBrowser() {
  const require = createRequire(import.meta.url);
  const entry = require.resolve('@sparticuz/chromium');
  const packed = join(ROOT, 'node_modules', '@sparticuz', 'chromium');
  const { version } = JSON.parse(readFileSync(join(packed, 'package.json'), 'utf8'));
  const folder = await cachedFolder(['chromium', `${version}-${LAYOUT}`], async draft => {
    console.log(`hookline: unpacking a headless Chromium (@sparticuz/chromium ${version}), once`);
    const { extract } = createRequire(entry)('tar-fs');
    for (const archive of ['al2023', 'fonts', 'swiftshader']) {
      const tar = brotliDecompressSync(readFileSync(join(packed, 'bin', `${archive}.tar.br`)));
      await pipeline(Readable.from([tar]), extract(draft));
    }
    writeFileSync(join(draft, 'chromium'), brotliDecompressSync(readFileSync(join(packed, 'bin', 'chromium.br'))));
    chmodSync(join(draft, 'chromium'), 0o755);
    addFonts(draft);
  });
  writeFontsConf(folder);
  const libraries = [join(folder, 'lib'), folder, process.env.LD_LIBRARY_PATH].filter(Boolean).join(delimiter);
  return {
    executablePath: join(folder, 'chromium'),
    env: { ...process.env, LD_LIBRARY_PATH: libraries, FONTCONFIG_FILE: join(folder, 'fonts.conf') },
    args: [...FLAGS, '--no-zygote'],
    origin: `@sparticuz/chromium ${version} from npm`,
  };
}

function addFonts(folder) {
  const fonts = join(ROOT, 'node_modules', 'dejavu-fonts-ttf', 'ttf');
  mkdirSync(join(folder, 'fonts'), { recursive: true });
  for (const name of ['DejaVuSansMono', 'DejaVuSansMono-Bold', 'DejaVuSans', 'DejaVuSans-Bold']) {
    copyFileSync(join(fonts, `${name}.ttf`), join(folder, 'fonts', `${name}.ttf`));
  }
}

/** Written at each start: it names its own folder, and the cache may have been moved. */
function writeFontsConf(folder) {
  const alias = (family, font) => `<alias><family>${family}</family><prefer><family>${font}</family></prefer></alias>`;
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
