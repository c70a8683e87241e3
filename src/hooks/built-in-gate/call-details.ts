import { resolveExisting, resolveForWrite } from '../../agent/tools/files/paths';
import type { AnyTool } from '../../agent/tools/tool';
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
  };
}

/** What calls of a tool can do. Statements of a hook, a package or a server about its own tools do not count. */
export function toolKind(tool: AnyTool): ToolKind {
  if (tool.presentsPlan === true) return 'plans';
  if (tool.actsInEditor === true) return 'editor';
  if (tool.listing !== undefined && tool.isOurs !== true) return 'foreign';
  if (tool.isReadOnly === true) return 'reads';
  if (tool.summaryKind === 'command') return 'executes';
  return tool.file === undefined ? 'foreign' : 'writes';
}

/**
 * Adds the command or the real path of the file to a call. For a foreign tool, nothing is known but its name and input.
 */
export function callDetails(call: AskedCall, places: Places): CallDetails {
  const { toolName, kind, input, cwd } = call;
  const { path, command } = input;
  if (kind === 'executes' && typeof command === 'string') {
    return { ...call, command: { line: command, isPosix: toolName === 'bash' } };
  }
  if ((kind !== 'writes' && kind !== 'reads') || typeof path !== 'string' || path === '') return call;
  const resolved = toolName === 'write' ? resolveForWrite(path, cwd) : resolveExisting(path, cwd);
  return { ...call, file: fileAt(resolved, cwd, kind === 'writes' ? 'write' : 'read', places) };
}

/** The details of a call that reads a file or folder; `path` is absolute. */
export function readingDetails(path: string, cwd: string, places: Places): CallDetails {
  return { toolName: 'read', kind: 'reads', input: { path }, cwd, file: fileAt(path, cwd, 'read', places) };
}

/** `resolved` is absolute. */
function fileAt(
  resolved: string,
  cwd: string,
  use: 'read' | 'write',
  places: Places,
): NonNullable<CallDetails['file']> {
  const real = places.platform === 'win32' && isOddOnWindows(resolved) ? undefined : realPathOf(resolved);
  if (real === undefined) return { real: resolved, place: 'unclear', use };
  const here = { ...places, cwd: realPathOf(cwd) ?? cwd };
  return { real, place: pathPlace(real, here), use, isHook: runsAsHook(real, here) };
}
