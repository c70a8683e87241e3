import * as esbuild from 'esbuild';
import { createHash } from 'node:crypto';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join, relative } from 'node:path';
import { ROOT } from '../support/paths.ts';
import type { BundleOptions } from './options.ts';

type Outputs = esbuild.Metafile['outputs'];

/**
 * Groups of sources that are loaded together. Each source is an entry point or the target of a dynamic import, named by its
 * path from the root.
 */
export type LoadedTogether = readonly (readonly string[])[];

const PI_AI = 'node_modules/@mariozechner/pi-ai/dist';

/** What the command line loads, at the start, for a turn and for an export, and what the worker threads of both bundles load. */
export const LOADED_ANYWHERE: LoadedTogether = [
  ['src/cli.ts'],
  ['src/modes/main.ts'],
  ['src/modes/start/runtime.ts', `${PI_AI}/compat.js`, `${PI_AI}/providers/all.js`],
  ['src/modes/export-mode.ts', 'src/conversation/export/to-html.ts'],
  ['src/hooks/load/compile/transform-worker.ts'],
  ['src/hooks/black-box/watchdog.ts'],
  ['src/package-preview/preview-worker.ts'],
];

/** What VS Code loads: first to activate the extension, then for the window. */
export const LOADED_IN_EDITOR: LoadedTogether = [['src/extension.ts'], ['src/vscode/window/window.ts']];

/**
 * Merges chunks of a bundle that has just been built. esbuild makes a separate chunk for each set of entry points and
 * dynamic imports that reach a module. There are hundreds of chunks, and Node needs about 0.4 ms for each. Chunks that
 * exactly the same groups of `together` load become one file, so no group loads code that it did not load before. The same
 * entry points must reach them, too, so that the command line never loads code that only VS Code can run. Entry points and
 * targets of dynamic imports keep their files. Changes the output files, and returns the new metafile.
 *
 * Merging makes no import cycle. Whatever loads a chunk also loads all that the chunk imports. So on each path of
 * imports from one member of a merged file to another, all chunks are members of that file.
 */
export async function mergeChunks(
  options: BundleOptions,
  { inputs, outputs }: esbuild.Metafile,
  together: LoadedTogether,
): Promise<esbuild.Metafile> {
  const groups = groupsOf(options, outputs, together);
  if (groups.length === 0) return { inputs, outputs };
  const groupOf = new Map(groups.flatMap(group => group.members.map(member => [basename(member), group] as const)));
  const importers = Object.keys(outputs).filter(
    file => !groupOf.has(basename(file)) && importsOf(outputs[file]).some(path => groupOf.has(basename(path))),
  );
  const entries = [...groups.map(({ file }) => file), ...importers.map(file => basename(file))];
  const { outputFiles } = await esbuild.build({
    ...options,
    entryPoints: Object.fromEntries(entries.map(file => [file.replace(/\.js$/, ''), `merge:${file}`])),
    splitting: false,
    metafile: false,
    write: false,
    logLevel: 'error', // The first pass has warned.
    alias: {},
    plugins: [mergePlugin(options, groups, groupOf, outputs)],
  });
  for (const { path, contents } of outputFiles) writeFileSync(path, contents);
  for (const member of groups.flatMap(group => group.members)) {
    for (const file of [member, `${member}.map`]) rmSync(join(ROOT, file), { force: true });
  }
  return { inputs, outputs: mergedOutputs(outputs, groups, groupOf) };
}

interface Group {
  /** Name of the file that replaces the members. */
  readonly file: string;
  /** Paths of the merged chunks, as in esbuild's metafile. */
  readonly members: readonly string[];
}

function groupsOf(
  { entryPoints, outdir }: BundleOptions,
  outputs: Outputs,
  together: LoadedTogether,
): readonly Group[] {
  const entries = new Set(Object.values(outputs).map(({ entryPoint }) => entryPoint));
  const absent = together.flat().filter(source => !entries.has(source));
  if (absent.length > 0) throw new Error(`neither an entry point nor imported on demand: ${absent.join(', ')}`);
  const loads = together.map(sources => loadedBy(outputs, sources));
  const reaches = Object.keys(entryPoints).map(name =>
    reachedFrom(outputs, relative(ROOT, join(outdir, `${name}.js`)).replaceAll('\\', '/')),
  );
  const byLoads = new Map<string, string[]>();
  for (const file of new Set(loads.flatMap(files => [...files]))) {
    if (outputs[file]?.entryPoint !== undefined) continue;
    const key = [...loads, ...reaches].map(files => (files.has(file) ? 1 : 0)).join('');
    byLoads.set(key, [...(byLoads.get(key) ?? []), file]);
  }
  return [...byLoads.values()]
    .filter(members => members.length > 1)
    .map(members => {
      const hash = createHash('sha256').update(members.map(member => basename(member)).join('\n'));
      return { file: `chunk-merged-${hash.digest('hex').slice(0, 8).toUpperCase()}.js`, members };
    });
}

/** The outputs of the sources and everything that they import statically, in the order in which Node runs them. */
function loadedBy(outputs: Outputs, sources: readonly string[]): ReadonlySet<string> {
  const loaded = new Set<string>();
  const seen = new Set<string>();
  const load = (file: string): void => {
    if (seen.has(file)) return;
    seen.add(file);
    for (const path of importsOf(outputs[file])) load(path);
    loaded.add(file);
  };
  for (const source of sources) {
    for (const [file, { entryPoint }] of Object.entries(outputs)) if (entryPoint === source) load(file);
  }
  return loaded;
}

/** The output itself and everything that it can load, also on demand. */
function reachedFrom(outputs: Outputs, file: string, reached = new Set<string>()): ReadonlySet<string> {
  if (reached.has(file)) return reached;
  reached.add(file);
  for (const { path, external } of outputs[file]?.imports ?? []) {
    if (external !== true) reachedFrom(outputs, path, reached);
  }
  return reached;
}

function importsOf(output: Outputs[string] | undefined): readonly string[] {
  const imports = output?.imports ?? [];
  return imports
    .filter(({ kind, external }) => kind === 'import-statement' && external !== true)
    .map(({ path }) => path);
}

/** Members may export the same names, so each name starts with the number of its member. */
function renamed(name: string, index: number): string {
  return `m${index}_${name}`;
}

function mergePlugin(
  { outdir, banner }: BundleOptions,
  groups: readonly Group[],
  groupOf: ReadonlyMap<string, Group>,
  outputs: Outputs,
): esbuild.Plugin {
  const exportsOf = (member: string, direction: 'in' | 'out', from: string, index: number): string => {
    const names = (outputs[member]?.exports ?? []).map(name => {
      const other = renamed(name, index);
      return direction === 'in' ? `${other} as ${name}` : `${name} as ${other}`;
    });
    return names.length === 0
      ? `import ${JSON.stringify(from)};`
      : `export { ${names.join(', ')} } from ${JSON.stringify(from)};`;
  };
  return {
    name: 'merge-chunks',
    setup(build) {
      build.onResolve({ filter: /^merge:/ }, ({ path }) => {
        const file = path.slice('merge:'.length);
        return groups.some(group => group.file === file)
          ? { path: file, namespace: 'group' }
          : { path: join(outdir, file) };
      });
      build.onResolve({ filter: /^\.\// }, ({ path, importer, kind, namespace }) => {
        const file = basename(path);
        const group = groupOf.get(file);
        if (kind === 'dynamic-import' || group === undefined) return { path, external: true };
        const isInside = namespace === 'group' || groupOf.get(basename(importer)) === group;
        return isInside ? { path: join(outdir, file) } : { path: file, namespace: 'member' };
      });
      build.onResolve({ filter: /^[^./]/ }, ({ path, kind }) =>
        kind === 'entry-point' ? undefined : { path, external: true },
      );
      build.onLoad({ filter: /.*/, namespace: 'group' }, ({ path }) => {
        const members = groups.find(({ file }) => file === path)?.members ?? [];
        const lines = members.map((member, index) => exportsOf(member, 'out', `./${basename(member)}`, index));
        return { contents: lines.join('\n'), resolveDir: outdir };
      });
      // Another file imports this member. esbuild replaces the import with these exports of the merged file.
      build.onLoad({ filter: /.*/, namespace: 'member' }, ({ path }) => {
        const group = groupOf.get(path);
        const index = group?.members.findIndex(member => basename(member) === path) ?? -1;
        const member = group?.members[index];
        if (group === undefined || member === undefined) throw new Error(`${path} is in no group`);
        return { contents: exportsOf(member, 'in', `./${group.file}`, index), resolveDir: outdir };
      });
      // Each chunk starts with the banner, but the merged file needs it only once.
      const own = banner?.['js'];
      build.onLoad({ filter: /\.js$/, namespace: 'file' }, ({ path }) => {
        const text = readFileSync(path, 'utf8');
        return { contents: own === undefined ? text : text.replace(own, () => ''), resolveDir: outdir };
      });
    },
  };
}

function mergedOutputs(outputs: Outputs, groups: readonly Group[], groupOf: ReadonlyMap<string, Group>): Outputs {
  const folder = (file: string): string => file.slice(0, -basename(file).length);
  const moved = (path: string): string => {
    const group = groupOf.get(basename(path));
    return group === undefined ? path : folder(path) + group.file;
  };
  const withMoved = (output: Outputs[string]): Outputs[string] => {
    const seen = new Set<string>();
    const imports = output.imports
      .map(each => ({ ...each, path: each.external === true ? each.path : moved(each.path) }))
      .filter(({ path, kind }) => !seen.has(`${kind} ${path}`) && seen.add(`${kind} ${path}`));
    return { ...output, imports };
  };
  const kept = Object.entries(outputs)
    .filter(([file]) => !groupOf.has(basename(file).replace(/\.map$/, '')))
    .map(([file, output]) => [file, withMoved(output)] as const);
  const merged = groups.flatMap(({ file, members }): readonly (readonly [string, Outputs[string]])[] => {
    const parts = members.flatMap(member => outputs[member] ?? []);
    const path = folder(members[0] ?? '') + file;
    const whole = withMoved({
      imports: parts.flatMap(part => part.imports),
      exports: parts.flatMap((part, index) => part.exports.map(name => renamed(name, index))),
      inputs: Object.assign({}, ...parts.map(part => part.inputs)) as Outputs[string]['inputs'],
      bytes: parts.reduce((sum, part) => sum + part.bytes, 0),
    });
    const own = { ...whole, imports: whole.imports.filter(each => each.path !== path) };
    const maps = members.flatMap(member => outputs[`${member}.map`] ?? []);
    const map = { imports: [], exports: [], inputs: {}, bytes: maps.reduce((sum, { bytes }) => sum + bytes, 0) };
    return maps.length === 0
      ? [[path, own]]
      : [
          [path, own],
          [`${path}.map`, map],
        ];
  });
  return Object.fromEntries([...kept, ...merged]);
}
