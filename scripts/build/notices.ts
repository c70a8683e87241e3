import type { Metafile } from 'esbuild';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { UserError } from '../support/fail.mjs';
import { ROOT } from '../support/paths.ts';

interface NoticesOptions {
  readonly metafiles: readonly Pick<Metafile, 'outputs'>[];
  readonly outdir: string;
}

interface Package {
  readonly name: string;
  readonly version: string;
  readonly license: string;
  readonly author: string | undefined;
  /** Text of the license; empty when the package contains none. */
  readonly text: string;
}

/** Name of the file in dist/ with the licenses of other packages. */
export const NOTICES = 'ThirdPartyNotices.txt';

const LICENSE_FILE = /^(licen[sc]e|copying|notice)/i;
/** Packages that are copied to dist/ and not bundled. */
const COPIED = ['node_modules/jiti'];
/** jiti's file contains Babel. */
const BABEL: Package = {
  name: 'babel',
  version: 'as it comes with jiti',
  license: 'MIT',
  author: 'Sebastian McKenzie and other contributors',
  text: '',
};

/** The declarations for hook authors in dist/typings describe pi's public API and use its names. */
const PI: Package = {
  name: 'pi',
  version: '(declarations of its public API)',
  license: 'MIT',
  author: 'Mario Zechner',
  text: '',
};

/**
 * Writes the licenses of all packages of which dist/ contains code. Packages with the same text share one entry.
 * @throws {UserError} when the license of a package is not known
 */
export function writeNotices({ metafiles, outdir }: NoticesOptions): void {
  const packages = [...[...new Set([...metafiles.flatMap(packagesIn), ...COPIED])].map(readPackage), BABEL, PI];
  const byText = new Map<string, string[]>();
  for (const each of packages) {
    const text = each.text === '' ? usualText(each, packages) : each.text;
    byText.set(text, [...(byText.get(text) ?? []), `${each.name} ${each.version} (${each.license})`]);
  }
  const parts = [...byText].map(([text, names]) => `${names.sort().join('\n')}\n\n${text}\n`);
  const head =
    'Hookline contains code, fonts and styles of the packages listed here, under the licenses below their names.\n';
  writeFileSync(join(outdir, NOTICES), [head, ...parts.sort()].join(`\n${'-'.repeat(80)}\n\n`));
}

/** Folders of the packages of which a bundle contains code, relative to the root. */
function packagesIn({ outputs }: Pick<Metafile, 'outputs'>): string[] {
  return Object.values(outputs).flatMap(({ inputs }) =>
    Object.entries(inputs).flatMap(([path, { bytesInOutput }]) => {
      const folder = /^(.*node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(path)?.[1];
      return folder === undefined || bytesInOutput === 0 ? [] : [folder];
    }),
  );
}

function readPackage(path: string): Package {
  const folder = join(ROOT, path);
  const manifest = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as Omit<
    Package,
    'author' | 'text'
  > & {
    readonly author?: string | { readonly name: string };
  };
  const { name, version, license, author } = manifest;
  const files = readdirSync(folder).filter(file => LICENSE_FILE.test(file));
  const texts = files.map(file => readFileSync(join(folder, file), 'utf8').replaceAll('\r\n', '\n').trim());
  return {
    name,
    version,
    license,
    author: typeof author === 'object' ? author.name : author,
    text: texts.join('\n\n'),
  };
}

/** The text of the license that a package names but does not contain. */
function usualText({ name, license, author }: Package, packages: readonly Package[]): string {
  if (license === 'MIT' && author !== undefined) {
    const own = readFileSync(join(ROOT, 'LICENSE'), 'utf8');
    return `MIT License\n\nCopyright (c) ${author}\n\n${own.slice(own.indexOf('Permission is')).trim()}`;
  }
  const other = packages.find(each => each.license === license && license !== 'MIT' && each.text !== '');
  if (other === undefined) throw new UserError(`${name} has no license text, nor has a package with its license`);
  return other.text;
}
