import { anySignal } from '../../../base/async/wait';

/** How long one search may take, ms. */
const MOST_MS = 120_000;
const SECOND_MS = 1_000;

/** Memory that ripgrep may use on Linux, in KiB of addresses; a search of 100,000 files needs less than a quarter of it. */
const MOST_MEMORY_KIB = 1024 * 1024;

/** Runs a search with a time limit. Rejects with a clear error when it is over; `search` gets a signal that fires then. */
export async function withinSearchTime<T>(
  signal: AbortSignal | undefined,
  search: (signal: AbortSignal) => Promise<T>,
  mostMs: number = MOST_MS,
): Promise<T> {
  const limit = AbortSignal.timeout(mostMs);
  try {
    return await search(anySignal(limit, signal));
  } catch (error) {
    if (!limit.aborted || signal?.aborted === true) throw error;
    throw new Error(`The search took longer than ${Math.ceil(mostMs / SECOND_MS)} s. Search a smaller folder.`, {
      cause: error,
    });
  }
}

/** The command that runs a program with a memory limit where the system has one; its process is that of the program. */
export function withMemoryLimit(
  program: string,
  args: readonly string[],
  platform: NodeJS.Platform = process.platform,
): { readonly command: string; readonly args: readonly string[] } {
  if (platform !== 'linux') return { command: program, args };
  // Otherwise, it would write its memory to the disk when it ends for lack of memory.
  const script = `ulimit -c 0; ulimit -v ${MOST_MEMORY_KIB} 2>/dev/null; exec "$@"`;
  return { command: '/bin/sh', args: ['-c', script, 'sh', program, ...args] };
}

/** Whether a shell returned this code because the program is missing or cannot be executed. */
export function isMissingProgram(code: number): boolean {
  return code === 126 || code === 127;
}
