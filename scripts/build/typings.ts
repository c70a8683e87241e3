import { createHash } from 'node:crypto';
import { cpSync, existsSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, relative } from 'node:path';
import ts from 'typescript';
import { UserError } from '../support/fail.mjs';
import { DIST, ROOT } from '../support/paths.ts';

const SOURCE = join(ROOT, 'src', 'hook-typings');
/** Dialect of a hook -> the type of its factory's parameter, and the module of ours that exports it. */
const FACTORY_APIS = {
  v1: ['HookAPI', 'pi-coding-agent'],
  v2: ['HookAPI', 'pi-coding-agent'],
  tree: ['HookAPI', 'pi-coding-agent'],
  omp: ['HookAPI', 'omp-coding-agent'],
  ext: ['ExtensionAPI', 'pi-coding-agent'],
  pi: ['ExtensionAPI', 'pi-coding-agent'],
} as const;
/** The entry files. Each file in `modules/` declares a module that hooks can import. */
const ENTRIES = 'modules/*.ts';

/** npm scopes under which pi was published. oh-my-pi has its own scope, because its `HookAPI` differs from pi's. */
const PI_SCOPES = ['@mariozechner', '@gsd', '@earendil-works'];
const OMP_SCOPE = '@oh-my-pi';

interface ShippedPackage {
  readonly name: string;
  /** Folder of its declarations, relative to the package. */
  readonly below: string;
  /** Folder that they are copied to, relative to dist/typings. */
  readonly to: string;
  /** The package that depends on it; absent: ours. */
  readonly from?: string;
  /** Whether its package.json is copied too. */
  readonly manifest?: boolean;
}

interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly license: string;
  readonly types: string;
}

/** Packages whose own declarations are shipped. */
const PACKAGES: readonly ShippedPackage[] = [
  { name: '@mariozechner/pi-ai', below: 'dist', to: 'packages/pi-ai' },
  { name: '@mariozechner/pi-tui', below: 'dist', to: 'packages/pi-tui' },
  { name: '@earendil-works/pi-schema', below: 'dist', to: 'packages/pi-schema', from: '@mariozechner/pi-ai' },
  { name: '@earendil-works/pi-telemetry', below: 'dist', to: 'packages/pi-telemetry', from: '@mariozechner/pi-ai' },
  { name: '@sinclair/typebox', below: 'build/esm', to: 'packages/sinclair-typebox' },
  { name: 'typebox', below: 'build', to: 'packages/typebox' },
  { name: 'zod', below: '.', to: 'packages/zod' },
  { name: '@types/node', below: '.', to: '@types/node', manifest: true },
  { name: 'undici-types', below: '.', to: 'packages/undici-types', from: '@types/node' },
];

/** Our declarations import these packages by their paths. By their names, they would import our own modules. */
const BY_PLACE = {
  '@mariozechner/pi-ai': 'packages/pi-ai/index',
  '@mariozechner/pi-ai/compat': 'packages/pi-ai/compat',
  '@mariozechner/pi-ai/oauth': 'packages/pi-ai/oauth',
  '@mariozechner/pi-tui': 'packages/pi-tui/index',
  zod: 'packages/zod/index',
};

/**
 * Writes dist/typings: the declarations for hook authors, those of the packages they use, and the tsconfig.json with which
 * hooks find them. Does nothing when nothing has changed since the last build. Returns the folder.
 * @throws {UserError} when the declarations have errors
 */
export function buildTypings({ outdir = join(DIST, 'typings') } = {}): string {
  const stamp = stampOf();
  // The stamp is not in the folder, because everything in it is packaged.
  const stampFile = `${outdir}.stamp`;
  if (existsSync(stampFile) && readFileSync(stampFile, 'utf8') === stamp) return outdir;
  rmSync(outdir, { recursive: true, force: true });
  mkdirSync(outdir, { recursive: true });
  emitOwn(outdir);
  for (const entry of PACKAGES) copyDeclarations(entry, outdir);
  writeAmbient(outdir);
  writeFileSync(join(outdir, 'tsconfig.json'), `${JSON.stringify(compilerConfig(), null, 2)}\n`);
  writeFileSync(stampFile, stamp);
  return outdir;
}

/** A text that changes when the declarations, this script or a package changes. */
function stampOf(): string {
  const files = [...globSync('**/*.ts', { cwd: SOURCE }).map(file => join(SOURCE, file)), import.meta.filename];
  const hash = createHash('sha256');
  for (const file of files.sort()) hash.update(`${relative(ROOT, file)}\0`).update(readFileSync(file));
  for (const { name, from } of PACKAGES) hash.update(`${name} ${manifestOf(name, from).version}\0`);
  return hash.digest('hex');
}

function emitOwn(outdir: string): void {
  const { config } = ts.readConfigFile(join(ROOT, 'tsconfig.json'), file => ts.sys.readFile(file)) as {
    config: unknown;
  };
  const { options } = ts.parseJsonConfigFileContent(config, ts.sys, ROOT);
  const entries = globSync(ENTRIES, { cwd: SOURCE }).map(file => join(SOURCE, file));
  const program = ts.createProgram(entries, {
    ...options,
    noEmit: false,
    declaration: true,
    emitDeclarationOnly: true,
    rootDir: SOURCE,
    outDir: join(outdir, 'hookline'),
  });
  const { diagnostics } = program.emit(undefined, (file, text) => {
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, placed(text, dirname(file), outdir));
  });
  const errors = [...diagnostics, ...program.getDeclarationDiagnostics(), ...program.getSemanticDiagnostics()];
  if (errors.length === 0) return;
  const host: ts.FormatDiagnosticsHost = {
    getCanonicalFileName: file => file,
    getCurrentDirectory: () => ROOT,
    getNewLine: () => '\n',
  };
  throw new UserError(`the types for hook authors have errors:\n${ts.formatDiagnostics(errors, host)}`);
}

/** The text of a declaration with paths instead of package names, and without ESLint comments. */
function placed(text: string, folder: string, outdir: string): string {
  const named = Object.entries(BY_PLACE).reduce((result, [name, place]) => {
    const path = relative(folder, join(outdir, place)).replaceAll('\\', '/');
    return result.replaceAll(new RegExp(`(['"])${name}\\1`, 'g'), `'${path}'`);
  }, text);
  return named.replaceAll(/^\s*\/[/*] ?eslint-.*\n/gm, '');
}

function copyDeclarations({ name, below, to, from, manifest }: ShippedPackage, outdir: string): void {
  const root = dirname(manifestPath(name, from));
  const target = join(outdir, to);
  // `ts5.*` has declarations for compilers that are older than those of all supported VS Code versions.
  const exclude = below === '.' ? ['node_modules/**', 'ts5.*/**'] : [];
  for (const file of globSync('**/*.d.{ts,mts}', { cwd: join(root, below), exclude })) {
    cpSync(join(root, below, file), join(target, file));
  }
  for (const file of globSync('{LICENSE,LICENCE,license}*', { cwd: root })) {
    cpSync(join(root, file), join(target, file));
  }
  if (manifest) writeFileSync(join(target, 'package.json'), JSON.stringify(typesManifest(manifestOf(name, from))));
}

function typesManifest({ name, version, license, types }: Manifest): Manifest {
  return { name, version, license, types };
}

function manifestPath(name: string, from?: string): string {
  const base = from === undefined ? join(ROOT, 'package.json') : manifestPath(from);
  const [found] = (createRequire(base).resolve.paths(name) ?? [])
    .map(folder => join(folder, name, 'package.json'))
    .filter(file => existsSync(file));
  if (found === undefined) throw new UserError(`${name} is not installed`);
  return found;
}

function manifestOf(name: string, from?: string): Manifest {
  return JSON.parse(readFileSync(manifestPath(name, from), 'utf8')) as Manifest;
}

/** Writes declarations of modules that have no file: oh-my-pi's helpers, shell hooks, and the parameters of factories. */
function writeAmbient(outdir: string): void {
  const folder = join(outdir, '@types', 'hookline');
  mkdirSync(folder, { recursive: true });
  const shell = [
    '/** Lets shell hooks of Claude Code and of .github/hooks take part; see docs/shell-hooks.md. */',
    "declare module '@hookline/shell-hooks' {",
    '  /** `onFailure`: what happens when a gate crashes, answers too late, or gives an answer that cannot be read. */',
    '  export function runShellHooks(',
    '    pi: object,',
    "    options: { onFailure: 'block' | 'allow'; sources: readonly { file: string; content: unknown }[] },",
    '  ): void;',
    '}',
  ];
  const apis = Object.entries(FACTORY_APIS).map(
    ([dialect, [api, module]]) => `  export type ${dialect} = import('../../hookline/modules/${module}').${api};`,
  );
  const implicit = [
    '/** The API that Hookline passes to a factory without type annotations, by the dialect of its file. */',
    "declare module 'hookline:hooks' {",
    ...apis,
    '}',
  ];
  const modules = [...PI_SCOPES, OMP_SCOPE].map(scope => `declare module '${scope}/pi-utils';`);
  writeFileSync(
    join(folder, 'index.d.ts'),
    `// Helpers of oh-my-pi, which need Bun. A call of one throws an error that says this.\n${modules.join('\n')}\n${shell.join('\n')}\n${implicit.join('\n')}\n`,
  );
}

function compilerConfig(): object {
  return {
    compilerOptions: {
      target: 'ES2023',
      lib: ['ES2023'],
      module: 'preserve',
      moduleResolution: 'bundler',
      allowImportingTsExtensions: true,
      resolveJsonModule: true,
      noEmit: true,
      strict: true,
      skipLibCheck: true,
      typeRoots: ['./@types'],
      types: ['node', 'hookline'],
      paths: modulePaths(),
    },
  };
}

/** Every specifier that hooks may import -> its declaration. */
function modulePaths(): Record<string, readonly string[]> {
  const paths: Record<string, readonly string[]> = {};
  for (const scope of [...PI_SCOPES, OMP_SCOPE]) {
    const agent = scope === OMP_SCOPE ? 'omp-coding-agent' : 'pi-coding-agent';
    paths[`${scope}/pi-coding-agent`] = [`./hookline/modules/${agent}.d.ts`];
    paths[`${scope}/pi-coding-agent/*`] = [`./hookline/modules/${agent}.d.ts`];
    paths[`${scope}/pi-ai`] = ['./hookline/modules/pi-ai.d.ts'];
    paths[`${scope}/pi-ai/compat`] = ['./hookline/modules/pi-ai.d.ts'];
    paths[`${scope}/pi-ai/models`] = ['./packages/pi-ai/models.d.ts'];
    paths[`${scope}/pi-ai/oauth`] = ['./hookline/modules/pi-ai-oauth.d.ts'];
    paths[`${scope}/pi-ai/providers/all`] = ['./packages/pi-ai/providers/all.d.ts'];
    paths[`${scope}/pi-tui`] = ['./hookline/modules/pi-tui.d.ts'];
    paths[`${scope}/pi-agent-core`] = ['./hookline/modules/pi-agent-core.d.ts'];
  }
  for (const [name, folder] of [
    ['@sinclair/typebox', 'sinclair-typebox'],
    ['typebox', 'typebox'],
  ] as const) {
    paths[name] = [`./packages/${folder}/index.d.mts`];
    paths[`${name}/*`] = [`./packages/${folder}/*/index.d.mts`];
  }
  paths['@earendil-works/pi-schema'] = ['./packages/pi-schema/index.d.ts'];
  paths['@earendil-works/pi-telemetry'] = ['./packages/pi-telemetry/index.d.ts'];
  paths['undici-types'] = ['./packages/undici-types/index.d.ts'];
  return paths;
}
