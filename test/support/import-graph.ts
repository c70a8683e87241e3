import * as esbuild from 'esbuild';
import { globSync, readFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import ts from 'typescript';

/** Source file -> what it imports at run time: source files by path, packages and built-ins by name. */
export type ImportGraph = ReadonlyMap<string, readonly string[]>;

/** Reads the imports of each TypeScript file that a glob finds below a folder; nothing is written. */
export async function readImportGraph(folder: string, pattern: string): Promise<ImportGraph> {
  const { metafile } = await esbuild.build({
    absWorkingDir: folder,
    entryPoints: globSync(pattern, { cwd: folder }),
    bundle: true,
    splitting: true, // Otherwise, each file would be printed again with all that it imports.
    metafile: true,
    write: false,
    outdir: 'nowhere',
    platform: 'node',
    format: 'esm',
    packages: 'external',
    loader: { '.css': 'empty' },
    logLevel: 'silent',
  });
  return graphOf(metafile);
}

/** As {@link readImportGraph}, with imports of types alone, which leave no trace at run time; source files only. */
export function readSourceGraph(folder: string, pattern: string): ImportGraph {
  const files = globSync(pattern, { cwd: folder }).map(file => file.replaceAll('\\', '/'));
  const known = new Set(files);
  const importsOf = (file: string): readonly string[] => {
    const { importedFiles } = ts.preProcessFile(readFileSync(join(folder, file), 'utf8'), true, true);
    return importedFiles.flatMap(({ fileName }) => {
      if (!fileName.startsWith('.')) return [];
      const path = posix.join(posix.dirname(file), fileName);
      return [path, `${path}.ts`, `${path}/index.ts`].filter(candidate => known.has(candidate));
    });
  };
  return new Map(files.map(file => [file, importsOf(file)]));
}

/** The graph that an esbuild metafile tells of. */
export function graphOf(metafile: esbuild.Metafile): ImportGraph {
  const entries = Object.entries(metafile.inputs);
  return new Map(entries.map(([path, input]) => [path, input.imports.map(each => each.path)]));
}

/** The files of one import cycle in order, or undefined when there is none. */
export function findCycle(graph: ImportGraph): readonly string[] | undefined {
  const done = new Set<string>();
  const path: string[] = [];
  const visit = (file: string): readonly string[] | undefined => {
    const start = path.indexOf(file);
    if (start >= 0) return [...path.slice(start), file];
    if (done.has(file)) return undefined;
    path.push(file);
    for (const next of graph.get(file) ?? []) {
      const cycle = visit(next);
      if (cycle) return cycle;
    }
    path.pop();
    done.add(file);
    return undefined;
  };
  for (const file of graph.keys()) {
    const cycle = visit(file);
    if (cycle) return cycle;
  }
  return undefined;
}

/** Files that import a module by exactly this name, sorted. */
export function importersOf(graph: ImportGraph, name: string): string[] {
  return [...graph]
    .filter(([, imports]) => imports.includes(name))
    .map(([file]) => file)
    .sort();
}

/** Everything reachable from a file, itself included: source files and names of modules. */
export function reachableFrom(graph: ImportGraph, file: string): Set<string> {
  const reached = new Set<string>();
  const queue = [file];
  for (let next = queue.pop(); next !== undefined; next = queue.pop()) {
    if (reached.has(next)) continue;
    reached.add(next);
    queue.push(...(graph.get(next) ?? []));
  }
  return reached;
}
