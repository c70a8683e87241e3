import * as esbuild from 'esbuild';
import { createHash } from 'node:crypto';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, relative } from 'node:path';
import { ROOT } from '../support/paths.ts';
import type { BundleOptions } from './options.ts';

type Outputs = esbuild.Metafile['outputs'];

/**
 * Groups of sources that are loaded together. Each source is an entry point or the target of a dynamic import, named by its
 * path from the root. Each entry point of the bundle is also a group of its own.
 */
export type LoadedTogether = readonly (readonly string[])[];

const PI_AI = 'node_modules/@mariozechner/pi-ai/dist';

/** What the command line loads: at the start, for a run, for a turn of the model, and for an export. */
export const LOADED_BY_COMMAND_LINE: LoadedTogether = [
  ['src/modes/main.ts'],
  ['src/modes/start/runtime.ts'],
  [`${PI_AI}/compat.js`, `${PI_AI}/providers/all.js`],
  ['src/modes/export-mode.ts', 'src/conversation/export/to-html.ts'],
];

/** What VS Code loads for the window, after the entry point. */
export const LOADED_BY_EDITOR: LoadedTogether = [['src/vscode/window/window.ts']];

/**
 * Merges chunks of a bundle that has just been built. esbuild makes a separate chunk for each set of entry points and
 * dynamic imports that reach a module. There are hundreds of chunks, and Node needs about 0.4 ms for each. Chunks that
 * exactly the same groups of `together` and the same entry points load become one file, so none of them loads code that it
 * did not load before. (Another target of a dynamic import may load more.) The same entry points must reach them, too, so that the command line never loads code that only VS
 * Code can run. Entry points and targets of dynamic imports keep their files. Changes the output files, and returns the new
 * metafile.
 *
 * Merging makes no import cycle. Whatever loads a chunk also loads all that the chunk imports. So on each path of
 * imports from one member of a merged file to another, all chunks are members of that file. As in esbuild's chunks, a module
 * runs after those that it imports, but modules that do not import each other can run in another order.
 * @throws {Error} when a source is never loaded, or when a chunk to merge has an `await` at its top. A merged file that waits
 *   for a dynamic import of code that needs the same file would never be ready.
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
    file => !groupOf.has(basename(file)) && importsOf(outputs[file], STATIC).some(path => groupOf.has(basename(path))),
  );
  const entries = [...groups.map(({ file }) => file), ...importers.map(file => basename(file))];
  const { outputFiles, metafile } = await esbuild.build({
    ...options,
    entryPoints: Object.fromEntries(entries.map(file => [file.replace(/\.js$/, ''), `merge:${file}`])),
    splitting: false,
    write: false,
    logLevel: 'silent', // The first pass has warned, and errors are thrown.
    alias: {},
    plugins: [mergePlugin(options, groups, groupOf, outputs)],
  });
  for (const { path, contents } of outputFiles) writeFileSync(path, contents);
  const members = groups.flatMap(group => group.members.flatMap(member => [member, `${member}.map`]));
  for (const file of members) rmSync(join(ROOT, file), { force: true });
  return { inputs, outputs: mergedOutputs(outputs, metafile.outputs, new Set(members)) };
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
  const bySource = new Map(Object.entries(outputs).map(([file, { entryPoint }]) => [entryPoint, file]));
  const absent = together.flat().filter(source => !bySource.has(source));
  if (absent.length > 0) throw new Error(`neither an entry point nor imported on demand: ${absent.join(', ')}`);
  const entries = Object.keys(entryPoints).map(name =>
    relative(ROOT, join(outdir, `${name}.js`)).replaceAll('\\', '/'),
  );
  const loads = [
    ...together.map(sources =>
      reachedFrom(
        outputs,
        sources.flatMap(source => bySource.get(source) ?? []),
        STATIC,
      ),
    ),
    ...entries.map(file => reachedFrom(outputs, [file], STATIC)),
  ];
  const reaches = entries.map(file => reachedFrom(outputs, [file], ALL));
  const chunks = new Set(loads.flatMap(files => [...files]).filter(file => outputs[file]?.entryPoint === undefined));
  const byUse = new Map<string, string[]>();
  for (const file of chunks) {
    const use = [...loads, ...reaches].map(files => Number(files.has(file))).join('');
    byUse.set(use, [...(byUse.get(use) ?? []), file]);
  }
  return [...byUse.values()]
    .filter(members => members.length > 1)
    .map(members => {
      const hash = createHash('sha256').update(members.map(member => basename(member)).join('\n'));
      return { file: `chunk-merged-${hash.digest('hex').slice(0, 8).toUpperCase()}.js`, members };
    });
}

const STATIC: readonly esbuild.ImportKind[] = ['import-statement'];
const ALL: readonly esbuild.ImportKind[] = ['import-statement', 'dynamic-import'];

/** The files and all outputs that they import by these kinds of imports, in the order in which Node runs them. */
function reachedFrom(
  outputs: Outputs,
  files: readonly string[],
  kinds: readonly esbuild.ImportKind[],
): ReadonlySet<string> {
  const reached = new Set<string>();
  const seen = new Set<string>();
  const reach = (file: string): void => {
    if (seen.has(file)) return;
    seen.add(file);
    for (const path of importsOf(outputs[file], kinds)) reach(path);
    reached.add(file);
  };
  for (const file of files) reach(file);
  return reached;
}

function importsOf(output: Outputs[string] | undefined, kinds: readonly string[]): readonly string[] {
  const imports = output?.imports ?? [];
  return imports.filter(({ kind, external }) => kinds.includes(kind) && external !== true).map(({ path }) => path);
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
      build.onLoad({ filter: /\.js$/, namespace: 'file' }, async ({ path }) => {
        const text = readFileSync(path, 'utf8');
        if (groupOf.has(basename(path))) await esbuild.transform(text, { supported: { 'top-level-await': false } });
        return { contents: own === undefined ? text : text.replace(own, () => ''), resolveDir: outdir };
      });
    },
  };
}

/** The outputs without the members, and with what the second pass wrote. Its inputs are outputs of the first. */
function mergedOutputs(first: Outputs, second: Outputs, members: ReadonlySet<string>): Outputs {
  const untouched = Object.entries(first).filter(([file]) => !members.has(file));
  const written = Object.entries(second).map(([file, output]) => {
    const inputs = Object.keys(output.inputs).map(input => first[input]?.inputs);
    const imports = output.imports.map(each =>
      each.path.startsWith('./')
        ? { path: join(dirname(file), each.path).replaceAll('\\', '/'), kind: each.kind }
        : each,
    );
    const { entryPoint } = first[file] ?? {};
    return [
      file,
      { ...output, entryPoint, imports, inputs: Object.assign({}, ...inputs) as typeof output.inputs },
    ] as const;
  });
  return Object.fromEntries([...untouched, ...written]);
}
