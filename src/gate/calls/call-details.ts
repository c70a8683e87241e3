import { targetAt, type FileTarget } from '../../agent/tools/files/file-target';
import { resolveExisting, resolveForWrite } from '../../agent/tools/files/paths';
import type { KnownTool } from '../../agent/tools/tool';
import { defined } from '../../base/defined';
import { pathPlace, isOddOnWindows, runsAsHook, type PathPlace, type Places } from './path-place';
import { realPathOf } from './real-path';

/** What calls of a tool can do. */
export const TOOL_KINDS = [
  /** It changes nothing. */
  'reads',
  /** It changes the file that it names. */
  'writes',
  'executes',
  /** It shows a plan to the user, and does nothing else. */
  'plans',
  /** A tool of VS Code, which itself asks the user if the tool requires it. */
  'editor',
  /** A tool of a hook, a package or a server: it may do anything. */
  'foreign',
] as const;
export type ToolKind = (typeof TOOL_KINDS)[number];

/**
 * What approvals need to know of a call before it runs. It is plain data, so that it can be sent to another process.
 */
export interface AskedCall {
  readonly toolName: string;
  readonly kind: ToolKind;
  readonly input: Readonly<Record<string, unknown>>;
  /** The folder in which the agent works, absolute. */
  readonly cwd: string;
  /** See `Tool`. */
  readonly definition?: string;
}

/** What is known about a call: its data, and what its command or file means on this machine. */
export interface CallDetails extends AskedCall {
  readonly command?: { readonly line: string; readonly isPosix: boolean };
  readonly file?: {
    /** Real path; the given path where the real path is not known. */
    readonly real: string;
    readonly place: PathPlace;
    readonly use: 'read' | 'write';
    /** Hookline runs the file as a hook. */
    readonly isHook?: boolean;
    /** What is at the real path; absent where that is not known. */
    readonly target?: FileTarget;
  };
}

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
