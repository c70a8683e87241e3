import { targetAt, type FileTarget } from '../../agent/tools/files/file-target';
import { resolveExisting, resolveForWrite } from '../../agent/tools/files/paths';
import type { KnownTool } from '../../agent/tools/tool';
import { defined } from '../../base/defined';
import { pathPlace, isOddOnWindows, runsAsHook, type Places } from './path-place';
import { realPathOf } from './real-path';
import type { AskedCall, CallDetails, ToolKind } from '../../hook-contract/approvals/asked-call';

/** What calls of a tool can do. Statements of a hook, a package or a server about its own tools do not count. */
export function toolKind(tool: KnownTool): ToolKind {
  if (tool.presentsPlan === true) return 'plans';
  if (tool.actsInEditor === true) return 'editor';
  if (tool.listing !== undefined && tool.isOurs !== true) return 'foreign';
  if (tool.isReadOnly === true) return 'reads';
  if (tool.summaryKind === 'command') return 'executes';
  return tool.file === undefined ? 'foreign' : 'writes';
}

/** Whether a call changes a file that has more than one name (hard links). */
export function isShared({ use, target }: NonNullable<CallDetails['file']>): boolean {
  return use === 'write' && target?.isLinked === true;
}

/** The path that a call of one of our file tools names; undefined for other calls. */
function pathIn({ kind, input: { path } }: AskedCall): string | undefined {
  const isOfFile = kind === 'writes' || kind === 'reads';
  return isOfFile && typeof path === 'string' && path !== '' ? path : undefined;
}

/** Where a call leads on this machine: the absolute path that its tool makes of its input, and its real path. */
function whereIs(
  path: string,
  { toolName, cwd }: AskedCall,
  platform: NodeJS.Platform,
): { readonly resolved: string; readonly real: string | undefined } {
  const resolved = toolName === 'write' ? resolveForWrite(path, cwd) : resolveExisting(path, cwd);
  return { resolved, real: platform === 'win32' && isOddOnWindows(resolved) ? undefined : realPathOf(resolved) };
}

/** What a call of one of our file tools would use now; undefined for other calls, and where that is not known. */
export function targetOf(call: AskedCall, platform: NodeJS.Platform = process.platform): FileTarget | undefined {
  const path = pathIn(call);
  const real = path === undefined ? undefined : whereIs(path, call, platform).real;
  return real === undefined ? undefined : targetAt(real);
}

/**
 * Adds the command or the real path of the file to a call. For a foreign tool, nothing is known but its name and input.
 */
export function callDetails(call: AskedCall, places: Places): CallDetails {
  const { toolName, kind, input, cwd } = call;
  const { command } = input;
  if (kind === 'executes' && typeof command === 'string') {
    return { ...call, command: { line: command, isPosix: toolName === 'bash' } };
  }
  const path = pathIn(call);
  if (path === undefined) return call;
  const { resolved, real } = whereIs(path, call, places.platform);
  return { ...call, file: fileAt(resolved, real, { use: kind === 'writes' ? 'write' : 'read', cwd, places }) };
}

/** The details of a call that reads a file or folder; `path` is absolute. */
export function readingDetails(path: string, cwd: string, places: Places): CallDetails {
  const call: AskedCall = { toolName: 'read', kind: 'reads', input: { path }, cwd };
  const { real } = whereIs(path, call, places.platform);
  return { ...call, file: fileAt(path, real, { use: 'read', cwd, places }) };
}

function fileAt(
  resolved: string,
  real: string | undefined,
  { use, cwd, places }: { readonly use: 'read' | 'write'; readonly cwd: string; readonly places: Places },
): NonNullable<CallDetails['file']> {
  if (real === undefined) return { real: resolved, place: 'unclear', use };
  const here = { ...places, cwd: realPathOf(cwd) ?? cwd };
  const target = targetAt(real);
  return { real, place: pathPlace(real, here), use, isHook: runsAsHook(real, here), ...defined({ target }) };
}
