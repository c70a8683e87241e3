import { isDeepStrictEqual } from 'node:util';
import { defined } from '../../base/defined';
import { isRecord } from '../../base/json/is-record';
import type { EventAnswer, GuardedEventOf, TranslatedCall } from './agent';
import { changedPatchInput, patchInputCalls } from './patch-calls';
import type { Payload } from './payload';
import { absolutePath, CannotChangeError } from './tool-calls';

/** One of Cline's own tools. Most of its tools do several things in one call. */
interface ClineTool {
  /** The calls of pi's tools that do the same; empty for arguments that Cline does not take. */
  calls(input: Payload, cwd: string): readonly TranslatedCall[];
  /** What hooks may change in such a call. */
  readonly changes: readonly string[];
  /** Its arguments for the arguments of these calls. */
  input(inputs: readonly Payload[], original: Payload): Record<string, unknown>;
}

/** The values of members, where Cline takes several names, and one value in place of a list. */
function listOf(input: Payload, names: readonly string[]): readonly unknown[] {
  return names.flatMap(name => {
    const value = input[name];
    return Array.isArray(value) ? (value as readonly unknown[]) : value == null ? [] : [value];
  });
}

const COMMANDS: ClineTool = {
  calls(input) {
    const own = typeof input['command'] === 'string' ? [input] : [];
    const commands = [...listOf(input, ['commands', 'cmd']), ...own].flatMap(command => commandText(command) ?? []);
    return commands.map(command => ({ toolName: 'bash', input: { command } }));
  },
  changes: ['command'],
  input: inputs => ({ commands: inputs.map(({ command }) => command) }),
};

/** A command line; a program with its arguments is one with quotes. */
function commandText(command: unknown): string | undefined {
  if (typeof command === 'string') return command;
  if (!isRecord(command) || typeof command['command'] !== 'string') return undefined;
  if (command['args'] === undefined) return command['command'];
  return [command['command'], ...listOf(command, ['args']).map(String)].map(quoted).join(' ');
}

function quoted(word: string): string {
  return /^[\w./:=@%+,-]+$/.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`;
}

const PATHS = ['path', 'file_path', 'filePath'];

const FILES: ClineTool = {
  calls(input, cwd) {
    const files = [...listOf(input, ['files', 'file_paths', 'paths']), input];
    return files.flatMap(file => {
      const [path] = typeof file === 'string' ? [file] : isRecord(file) ? listOf(file, PATHS) : [];
      if (typeof path !== 'string') return [];
      const lines = isRecord(file) ? linesOf(file) : {};
      return [{ toolName: 'read', input: { path: absolutePath(path, cwd), ...lines } }];
    });
  },
  changes: ['path', 'offset', 'limit'],
  input: inputs => ({
    files: inputs.map(({ path, offset, limit }) => ({
      path,
      ...defined({ start_line: offset }),
      ...(typeof limit === 'number' ? { end_line: (typeof offset === 'number' ? offset : 1) + limit - 1 } : {}),
    })),
  }),
};

function linesOf({ start_line: start, end_line: end }: Payload): { readonly offset?: number; readonly limit?: number } {
  const offset = typeof start === 'number' ? start : undefined;
  const limit = typeof end === 'number' ? end - (offset ?? 1) + 1 : undefined;
  return defined({ offset, limit });
}

const SEARCHES: ClineTool = {
  calls: input =>
    listOf(input, ['queries']).flatMap(pattern =>
      typeof pattern === 'string' ? [{ toolName: 'grep', input: { pattern } }] : [],
    ),
  changes: ['pattern'],
  input: inputs => ({ queries: inputs.map(({ pattern }) => pattern) }),
};

const EDITOR: ClineTool = {
  calls({ path, old_text: oldText, new_text: newText, insert_line: line }, cwd) {
    if (typeof path !== 'string' || typeof newText !== 'string') return [];
    const file = { path: absolutePath(path, cwd) };
    if (typeof oldText !== 'string' && line == null) {
      return [{ toolName: 'write', input: { ...file, content: newText } }];
    }
    const edits = [{ oldText: typeof oldText === 'string' ? oldText : '', newText }];
    return [{ toolName: 'edit', input: { ...file, edits } }];
  },
  changes: ['path', 'content', 'edits'],
  input([changed = {}], original) {
    const { path, content, edits } = changed;
    if (edits === undefined) return { ...original, path, new_text: content };
    const [edit, ...more] = listOf(changed, ['edits']);
    if (!isRecord(edit) || more.length > 0) throw new CannotChangeError('A hook gave editor not exactly one edit.');
    const old = original['old_text'] === undefined ? {} : { old_text: edit['oldText'] };
    return { ...original, path, ...old, new_text: edit['newText'] };
  },
};

const TOOLS: ReadonlyMap<string, ClineTool> = new Map([
  ['run_commands', COMMANDS],
  ['read_files', FILES],
  ['search_codebase', SEARCHES],
  ['editor', EDITOR],
]);

/** Where the arguments of a tool are a list or a text in place of an object, the member that Cline means. */
const ONLY_MEMBER: ReadonlyMap<string, string> = new Map([
  ['run_commands', 'commands'],
  ['read_files', 'files'],
  ['search_codebase', 'queries'],
  ['apply_patch', 'input'],
]);

/** The arguments of a call as an object; without any, what was given. */
export function clineInput(name: string, input: unknown): unknown {
  return isRecord(input) || input == null ? input : { [ONLY_MEMBER.get(name) ?? 'input']: input };
}

/** What a call of a tool of Cline is with pi's names; undefined for a tool that is not Cline's own. */
export function clineCalls(name: string, input: Payload, cwd: string): readonly TranslatedCall[] | undefined {
  const unread = [{ toolName: name, input: { ...input } }];
  if (name === 'apply_patch') return patchInputCalls(input, cwd) ?? unread;
  const tool = TOOLS.get(name);
  if (tool === undefined) return undefined;
  const calls = tool.calls(input, cwd);
  return calls.length === 0 ? unread : calls;
}

/**
 * The arguments of a call after hooks changed those of its parts; undefined where they changed nothing, or the tool is not Cline's.
 * @throws {CannotChangeError}
 */
export function changedClineInput(
  event: GuardedEventOf<'tool_call'>,
  inputs: EventAnswer['input'],
): Record<string, unknown> | undefined {
  const { calls, original } = event;
  const tool = TOOLS.get(original.name);
  if (original.name === 'apply_patch') return changedPatchInput(event, inputs);
  if (
    tool === undefined ||
    inputs === undefined ||
    isDeepStrictEqual(
      calls.map(({ input }) => input),
      inputs,
    )
  ) {
    return undefined;
  }
  if (inputs.length !== calls.length) {
    throw new CannotChangeError(`A hook changed how many things ${original.name} does.`);
  }
  for (const [at, { input }] of calls.entries()) {
    const after = inputs[at] ?? {};
    const other = Object.keys({ ...input, ...after }).find(
      name => !tool.changes.includes(name) && !isDeepStrictEqual(input[name], after[name]),
    );
    if (other !== undefined) {
      throw new CannotChangeError(`A hook gave ${original.name} the argument "${other}", which it does not take.`);
    }
  }
  return tool.input(inputs, original.input);
}
