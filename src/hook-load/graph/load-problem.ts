import { messageOf } from '../../base/errors';
import { jsonFault } from '../../base/json/parse-json';
import type { Problem } from '../../base/result';
import type { HookGroup } from '../../hook-contract/hook-info';
import type { HookPlace } from '../../hook-contract/source-place';
import { inWrittenNames } from '../../hook-contract/written-names';
import { SyntaxFailure, type ModuleGraph } from './module-graph';

/** A failure whose place in the file is known without its stack. */
class PlacedError extends Error {
  constructor(
    message: string,
    readonly place: { readonly file: string; readonly line?: number; readonly column?: number },
    readonly code: string,
  ) {
    super(message);
  }
}

/** The error for a module that was not found, with the file that imports it. Returns other errors unchanged. */
export function missingModule(error: unknown, specifier: string, from: HookPlace): unknown {
  if (!(error instanceof Error) || !('code' in error) || error instanceof PlacedError) return error;
  if (error.code !== 'MODULE_NOT_FOUND' && error.code !== 'ERR_MODULE_NOT_FOUND') return error;
  if (!error.message.includes(specifier)) return error;
  return new PlacedError(`Cannot find module '${specifier}', imported by ${from.file}`, from, error.code);
}

/** The error for a JSON file that holds no valid JSON. */
export function jsonFailure(file: string, text: string, error: unknown): Error {
  const { line = 1, column = 1 } = jsonFault(text) ?? {};
  return new PlacedError(`Invalid JSON: ${messageOf(error)}`, { file, line, column }, 'INVALID_JSON');
}

/**
 * The problem to show for a load that threw: the message that the dialects use, and the place in the file that failed.
 */
export function loadProblem(thrown: unknown, graph: ModuleGraph, group: HookGroup): Problem {
  const what = group === 'hooks' ? 'Failed to load hook' : 'Failed to load extension';
  const message = `${what}: ${inWrittenNames(messageOf(thrown), graph.mentions)}`;
  if (thrown instanceof SyntaxFailure) {
    const { line, column } = thrown.problem;
    return { message, file: thrown.file, ...(line === undefined ? {} : { line, column: column ?? 1 }) };
  }
  if (thrown instanceof PlacedError) return { message, ...thrown.place };
  const place = thrown instanceof Error ? graph.placeIn(thrown.stack ?? '') : undefined;
  return { message, file: graph.entry, ...place };
}

/** The problem to show for a file that runs but exports no factory. */
export function noFactoryProblem(file: string, group: HookGroup): Problem {
  return group === 'hooks'
    ? { message: 'Hook must export a default function', file }
    : { message: `Extension does not export a valid factory function: ${file}`, file };
}
