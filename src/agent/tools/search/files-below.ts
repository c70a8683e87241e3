import { throwIfAborted } from '../abort';
import { walkFiles } from './fallback-search';
import type { RipgrepLocator } from './ripgrep';
import { withinSearchTime } from './search-limits';
import { ripgrepFiles, RipgrepUnavailableError } from './ripgrep-search';

/**
 * Tells every file below a folder that is not ignored, in no order, as a path relative to it with `/`: by ripgrep, or in
 * JavaScript where ripgrep cannot do it. `begin` gives what takes the paths, and is called again if the search begins anew.
 * Rejects when the signal fires, and when the search takes too long.
 */
export async function eachFileBelow(
  root: string,
  ripgrep: RipgrepLocator,
  begin: () => (path: string) => void,
  signal: AbortSignal | undefined,
): Promise<void> {
  await withinSearchTime(signal, limited => tellFiles(root, ripgrep, begin, limited));
}

async function tellFiles(
  root: string,
  ripgrep: RipgrepLocator,
  begin: () => (path: string) => void,
  signal: AbortSignal,
): Promise<void> {
  const program = await ripgrep.locate();
  if (program !== undefined) {
    try {
      await ripgrepFiles(program, root, begin(), signal);
      return;
    } catch (error) {
      if (!(error instanceof RipgrepUnavailableError)) throw error;
      ripgrep.forget();
    }
  }
  const onFile = begin();
  for await (const path of walkFiles(root, signal)) onFile(path);
}

/**
 * The first `limit` files below a folder, sorted by nothing. `hasMore` says that there are others; the search ends then.
 * Rejects when the signal fires.
 */
export async function filesBelow(
  root: string,
  ripgrep: RipgrepLocator,
  { limit, signal }: { readonly limit: number; readonly signal: AbortSignal },
): Promise<{ readonly paths: readonly string[]; readonly hasMore: boolean }> {
  const enough = new AbortController();
  let paths: string[] = [];
  try {
    await eachFileBelow(
      root,
      ripgrep,
      () => {
        paths = [];
        return path => {
          if (paths.length < limit) paths.push(path);
          else enough.abort();
        };
      },
      AbortSignal.any([signal, enough.signal]),
    );
  } catch (error) {
    throwIfAborted(signal);
    if (!enough.signal.aborted) throw error;
  }
  return { paths, hasMore: enough.signal.aborted };
}
