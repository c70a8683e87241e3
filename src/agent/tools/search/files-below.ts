import { throwIfAborted } from '../abort';
import type { RipgrepLocator } from './ripgrep';
import { ripgrepFiles } from './ripgrep-search';
import { withinSearchTime } from './search-limits';

/**
 * Tells every file below a folder that is not ignored, in no order, as a path relative to it with `/`. Rejects when ripgrep is
 * missing, when the signal fires, and when the search takes too long.
 */
export async function eachFileBelow(
  root: string,
  ripgrep: RipgrepLocator,
  onFile: (path: string) => void,
  signal: AbortSignal | undefined,
): Promise<void> {
  await withinSearchTime(signal, limited => ripgrep.use(program => ripgrepFiles(program, root, onFile, limited)));
}

/**
 * The first `limit` files below a folder, in no order. `hasMore` says that there are others; the search ends then. Rejects as
 * {@link eachFileBelow} does.
 */
export async function filesBelow(
  root: string,
  ripgrep: RipgrepLocator,
  { limit, signal }: { readonly limit: number; readonly signal: AbortSignal },
): Promise<{ readonly paths: readonly string[]; readonly hasMore: boolean }> {
  const enough = new AbortController();
  const paths: string[] = [];
  const onFile = (path: string): void => {
    if (paths.length < limit) paths.push(path);
    else enough.abort();
  };
  try {
    await eachFileBelow(root, ripgrep, onFile, AbortSignal.any([signal, enough.signal]));
  } catch (error) {
    throwIfAborted(signal);
    if (!enough.signal.aborted) throw error;
  }
  return { paths, hasMore: enough.signal.aborted };
}
