import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

/**
 * The package folder of a real peer by its name in `scripts/support/peer-packages.ts`; undefined without `--peers`, and
 * for one that nobody knows.
 */
export function peerFolder(name: string): string | undefined {
  const peers = process.env['HOOKLINE_BENCH_PEERS'] ?? '';
  return peers === '' ? undefined : (JSON.parse(peers) as Readonly<Record<string, string>>)[name]; // As bench.ts wrote it.
}

/** A part of the real pi of the column "pi". */
export async function importPi<T>(file: string): Promise<T> {
  const folder = peerFolder('0.73.1') ?? '';
  return (await import(pathToFileURL(join(folder, 'dist', file)).href)) as T; // The caller states what it exports.
}

/** What is used of pi's tools. */
export interface PiTools {
  createReadTool(cwd: string): PiTool;
  createEditTool(cwd: string): PiTool;
  createGrepTool(cwd: string): PiTool;
  createBashTool(cwd: string): PiTool;
}

interface PiTool {
  execute(id: string, params: unknown, signal?: AbortSignal, onUpdate?: (partial: unknown) => void): Promise<unknown>;
}

/** What is used of pi's hooks. */
export interface PiExtensions {
  loadExtensions(
    paths: readonly string[],
    cwd: string,
  ): Promise<{ extensions: unknown[]; runtime: unknown; errors: unknown[] }>;
  ExtensionRunner: new (
    extensions: unknown[],
    runtime: unknown,
    cwd: string,
    session: unknown,
    models: unknown,
  ) => {
    emit(event: unknown): Promise<unknown>;
    emitContext(messages: readonly unknown[]): Promise<readonly unknown[]>;
  };
}

/** pi's runner over hook files, without a session. */
export async function piRunner(
  files: readonly string[],
  cwd: string,
): Promise<InstanceType<PiExtensions['ExtensionRunner']>> {
  const pi = await importPi<PiExtensions>('core/extensions/index.js');
  const { extensions, runtime, errors } = await pi.loadExtensions(files, cwd);
  if (errors.length > 0) throw new Error(`pi does not load a hook of the bench: ${JSON.stringify(errors[0])}`);
  return new pi.ExtensionRunner(extensions, runtime, cwd, {}, {});
}
