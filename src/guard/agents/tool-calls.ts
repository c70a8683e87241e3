import { homedir } from 'node:os';
import { isDeepStrictEqual } from 'node:util';
import { isRecord } from '../../base/json/is-record';
import { editsIn, prepareEditArguments } from '../../agent/tools/files/editing/edit-arguments';
import { resolveExisting } from '../../agent/tools/files/paths';
import { theirTool, type NamedCall, type AgentNaming, type TheirTool } from '../../hook-load/shell/tool-names';
import { mcpNames } from '../../mcp/tools/tool-names';
import type { TranslatedCall } from './agent';
import { jsonText } from './payload';

/** How an agent names its tools, and where its paths start. */
export interface CallNaming {
  /** In the order in which names are looked for. */
  readonly namings: readonly AgentNaming[];
  /** Absolute. */
  readonly cwd: string;
}

/** A change of a call that the agent's tool cannot take; the message says why. */
export class CannotChangeError extends Error {}

/**
 * What a call of another agent's tool is with pi's names, with absolute paths. It is one call, or one for each folder where a
 * search is given several. Arguments that pi does not know are kept; a tool that pi does not have keeps its name and arguments.
 */
export function translateCall(call: NamedCall, naming: CallNaming): readonly TranslatedCall[] {
  const tool = toolOf(call, naming);
  if (tool === undefined) return [{ toolName: mcpName(call.name, naming.namings), input: { ...call.input } }];
  const input = namedForPi(call.input, tool);
  if (tool.toolName === 'edit') asEdits(input, tool);
  if (Array.isArray(input['pattern'])) input['pattern'] = asOnePattern(input['pattern']);
  for (const [name, value] of Object.entries(input)) {
    if (typeof value === 'number' && tool.isTime(name)) input[name] = value / 1000;
  }
  const paths = pathsOf(input);
  if (paths.length === 0) return [{ toolName: tool.toolName, input }];
  return paths.map(path => ({ toolName: tool.toolName, input: { ...input, path: absolutePath(path, naming.cwd) } }));
}

/**
 * The arguments of the agent's call after a hook changed those of pi's call: only what the hook changed is changed.
 * @throws {CannotChangeError}
 */
export function changedArguments(
  original: NamedCall,
  { call, changed }: { readonly call: TranslatedCall; readonly changed: Readonly<Record<string, unknown>> },
  naming: CallNaming,
): Record<string, unknown> {
  const tool = toolOf(original, naming);
  if (tool === undefined) return { ...changed };
  const after = call.toolName === 'edit' ? (prepareEditArguments(changed) as typeof changed) : changed;
  const input: Record<string, unknown> = { ...original.input };
  for (const name of new Set([...Object.keys(call.input), ...Object.keys(after)])) {
    if (isDeepStrictEqual(call.input[name], after[name])) continue;
    if (call.toolName === 'edit' && name === 'edits') changeEdits(input, after, { original, tool });
    else changeArgument(input, [name, after[name]], { original, tool, cwd: naming.cwd });
  }
  return input;
}

/** Takes a path literally, as the other agents do: they do not know pi's `@` and the like. */
export function absolutePath(path: string, cwd: string): string {
  return resolveExisting(path, cwd, { platform: process.platform, home: homedir(), exists: () => true });
}

/** Some models of Copilot have one tool for files, whose argument `command` says what it does. */
function toolOf({ name, input }: NamedCall, { namings }: CallNaming): TheirTool | undefined {
  const command = name === 'str_replace_editor' ? input['command'] : undefined;
  return theirTool(typeof command === 'string' ? command : name, namings);
}

/**
 * Hookline's name of an MCP tool; any other name stays. Copilot joins the names of server and tool with `-`, which servers may
 * also have in their own names, as its own server has.
 */
function mcpName(name: string, namings: readonly AgentNaming[]): string {
  const own = namings.map(naming => MCP_NAMES[naming]).find(pattern => pattern !== undefined);
  const parts = /^mcp__(.+?)__(.+)$/.exec(name) ?? own?.exec(name) ?? null;
  const [, server = '', tool = ''] = parts ?? [];
  return parts === null ? name : (mcpNames([{ server, name: tool }])[0] ?? name);
}

/** How agents join the names of a server and its tool, beside `mcp__server__tool`. */
const MCP_NAMES: Readonly<Partial<Record<AgentNaming, RegExp>>> = {
  github: /^(github-mcp-server|[^-]+)-(.+)$/,
  droid: /^(.+?)___(.+)$/,
  cline: /^(.+?)__(.+)$/,
};

/** Where two arguments have the same name in pi, the one counts that the agent's tool would take. */
function namedForPi(input: NamedCall['input'], tool: TheirTool): Record<string, unknown> {
  const rank = (theirs: string): number => {
    const index = tool.theirNames(tool.ourName(theirs)).indexOf(theirs);
    return index === -1 ? Infinity : index;
  };
  const names = Object.keys(input).sort((a, b) => rank(b) - rank(a));
  return Object.fromEntries(names.map(name => [tool.ourName(name), input[name]]));
}

function asEdits(input: Record<string, unknown>, tool: TheirTool): void {
  const { oldText, newText, edits } = input;
  if (Array.isArray(edits) && oldText === undefined && newText === undefined) {
    input['edits'] = edits.map((edit: unknown) => (isRecord(edit) ? namedForPi(edit, tool) : edit));
    return;
  }
  delete input['oldText'];
  delete input['newText'];
  input['edits'] = [{ oldText: asText(oldText), newText: asText(newText) }];
}

/** droid looks for the files of several patterns at once. */
function asOnePattern(patterns: readonly unknown[]): string {
  return patterns.length === 1 ? asText(patterns[0]) : `{${patterns.map(asText).join(',')}}`;
}

function asText(value: unknown): string {
  return typeof value === 'string' ? value : jsonText(value);
}

/** The paths of a call: one, or several of a search in Copilot. */
function pathsOf({ path, paths }: Readonly<Record<string, unknown>>): readonly string[] {
  if (path !== undefined) return typeof path === 'string' ? [path] : [];
  if (typeof paths === 'string') return [paths];
  return Array.isArray(paths) ? paths.filter(each => typeof each === 'string') : [];
}

interface Target {
  readonly original: NamedCall;
  readonly tool: TheirTool;
}

function changeArgument(
  input: Record<string, unknown>,
  [name, value]: readonly [string, unknown],
  { original, tool, cwd }: Target & { readonly cwd: string },
): void {
  if (name === 'path' && !hasPath(original, tool) && original.input['paths'] !== undefined) {
    input['paths'] = Array.isArray(original.input['paths']) ? [value] : value;
    return;
  }
  const theirs = nameIn(original, name, tool);
  if (value === undefined) Reflect.deleteProperty(input, theirs);
  else if (typeof value === 'number' && tool.isTime(name)) input[theirs] = value * 1000;
  else input[theirs] = name === 'path' && typeof value === 'string' ? absolutePath(value, cwd) : value;
}

function hasPath({ input }: NamedCall, tool: TheirTool): boolean {
  return tool.theirNames('path').some(name => Object.hasOwn(input, name));
}

/** The name of pi's argument in the agent's call. */
function nameIn({ name, input }: NamedCall, argument: string, tool: TheirTool): string {
  const names = tool.theirNames(argument);
  const given =
    names.find(each => Object.hasOwn(input, each)) ?? (Object.hasOwn(input, argument) ? argument : undefined);
  if (given !== undefined) return given;
  const [usual] = names;
  if (usual !== undefined && tool.takes(argument)) return usual;
  throw new CannotChangeError(
    `A hook gave ${name} the argument "${argument}", which this tool of the agent does not take.`,
  );
}

function changeEdits(
  input: Record<string, unknown>,
  after: Readonly<Record<string, unknown>>,
  { original, tool }: Target,
): void {
  const edits = editsIn(after);
  if (edits === undefined) throw new CannotChangeError(`A hook gave ${original.name} edits that are no texts.`);
  const usual = (argument: string): string => tool.theirNames(argument)[0] ?? argument;
  if (Array.isArray(original.input['edits']) && !Object.hasOwn(input, usual('oldText'))) {
    input['edits'] = edits.map(edit =>
      Object.fromEntries(Object.entries(edit).map(([name, value]) => [usual(name), value])),
    );
    return;
  }
  const [edit] = edits;
  if (edit === undefined || edits.length > 1) {
    const count = `${edits.length} edits`;
    throw new CannotChangeError(`A hook changed the call to ${count}, and ${original.name} takes one for each call.`);
  }
  for (const name of ['oldText', 'newText'] as const) {
    if (edit[name] !== '' || Object.hasOwn(input, usual(name))) input[nameIn(original, name, tool)] = edit[name];
  }
}
