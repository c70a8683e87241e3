import type { BlobStore } from './blob-store';
import type { GitResult } from './git';

/** Most bytes that one git process is asked for. A larger file has a process of its own. */
const CHUNK_BYTES = 32 * 1024 * 1024;
const CHUNK_FILES = 2000;
const NEWLINE = 10;

/** Where the bytes of a git object are kept. */
export interface KeptBlob {
  readonly blob: string;
  readonly size: number;
}

type RunGit = (args: readonly string[], more: { readonly input: string }) => Promise<GitResult>;

/**
 * Copies the contents of git objects into a store, by object. Objects that git does not have are left out. Rejects when
 * git or the disk fails, or when the signal aborts it.
 */
export async function keepBlobs(
  run: RunGit,
  objects: readonly string[],
  blobs: BlobStore,
  signal?: AbortSignal,
): Promise<ReadonlyMap<string, KeptBlob>> {
  const kept = new Map<string, KeptBlob>();
  const wanted = [...new Set(objects)];
  if (wanted.length === 0) return kept;
  for (const chunk of chunksOf(await sizesOf(run, wanted))) {
    signal?.throwIfAborted();
    const read = await run(['cat-file', '--batch'], { input: linesOf(chunk) });
    if (read.code !== 0) throw new Error(read.stderr || 'git was ended');
    for (const { object, bytes } of contentsIn(read.stdout)) {
      signal?.throwIfAborted();
      kept.set(object, { blob: await blobs.put(bytes), size: bytes.length });
    }
  }
  return kept;
}

async function sizesOf(run: RunGit, objects: readonly string[]): Promise<ReadonlyMap<string, number>> {
  const checked = await run(['cat-file', '--batch-check'], { input: linesOf(objects) });
  if (checked.code !== 0) throw new Error(checked.stderr || 'git was ended');
  const sizes = new Map<string, number>();
  for (const line of checked.stdout.toString('latin1').split('\n')) {
    const [object = '', type, size] = line.split(' ');
    if (type === 'blob') sizes.set(object, Number(size));
  }
  return sizes;
}

function chunksOf(sizes: ReadonlyMap<string, number>): string[][] {
  const chunks: string[][] = [];
  let chunk: string[] = [];
  let bytes = 0;
  for (const [object, size] of sizes) {
    if (chunk.length > 0 && (chunk.length >= CHUNK_FILES || bytes + size > CHUNK_BYTES)) {
      chunks.push(chunk);
      chunk = [];
      bytes = 0;
    }
    chunk.push(object);
    bytes += size;
  }
  if (chunk.length > 0) chunks.push(chunk);
  return chunks;
}

/** Reads `<object> blob <size>`, a line break, the bytes, a line break, and so on. */
function* contentsIn(output: Buffer): Iterable<{ readonly object: string; readonly bytes: Buffer }> {
  let at = 0;
  while (at < output.length) {
    const end = output.indexOf(NEWLINE, at);
    if (end < 0) return;
    const [object = '', type, size] = output.toString('latin1', at, end).split(' ');
    at = end + 1;
    if (type !== 'blob') continue; // It was deleted in the meantime.
    const bytes = output.subarray(at, at + Number(size));
    at += Number(size) + 1;
    yield { object, bytes };
  }
}

function linesOf(objects: readonly string[]): string {
  return `${objects.join('\n')}\n`;
}
