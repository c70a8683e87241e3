import { mkdir } from 'node:fs/promises';
import { dirname } from 'node:path';
import { applyEdits, findNodeAtLocation, modify, parseTree } from 'jsonc-parser';
import { noteOwnText, readCountedText, refuseHeldText } from '../../base/files/counted-text';
import { messageOf } from '../../base/errors';
import { isRecord } from '../../base/json/is-record';
import { formattingOf } from '../../base/json/json-format';
import { parseJson } from '../../base/json/parse-json';
import { withFileLock } from '../../agent/models/keys/file-lock';
import { replaceFile } from '../../agent/tools/files/writing/replace-file';
import { errorCode } from '../../agent/tools/result';

/** The members of a server that can be changed in its file. */
export interface ServerChange {
  readonly enabled?: boolean;
  readonly exposure?: 'codemode' | 'deferred' | 'direct' | 'hidden';
}

/**
 * Adds a server to an `mcp.json` (absolute path), or replaces the one of that name; resolves with whether it replaced
 * one. A missing file is created for its owner only, since it may hold keys; the mode of an existing one stays. Everything else in the file stays unchanged.
 * @throws Error that names the file when it contains no JSON object or cannot be written; it is then not changed
 */
export async function addServer(file: string, name: string, config: object): Promise<boolean> {
  return change(file, (text, servers) => {
    const isThere = servers[name] !== undefined;
    const appended = isThere ? undefined : withServerAtEnd(text, name, config);
    return { text: appended ?? edited(text, [name], config), result: isThere };
  });
}

/** The names in an `mcp.json`, including those of invalid entries; none without a file. Throws as {@link addServer}. */
export async function serverNames(file: string): Promise<readonly string[]> {
  return Object.keys((await read(file)).servers);
}

/** Removes a server from an `mcp.json`; resolves false when it is not in it. Throws as {@link addServer}. */
export async function removeServer(file: string, name: string): Promise<boolean> {
  return change(file, (text, servers) => {
    const isThere = servers[name] !== undefined;
    return { text: isThere ? edited(text, [name], undefined) : text, result: isThere };
  });
}

/**
 * Changes members of a server. If the file has no entry for it, an entry with only these members is added, as a project
 * file may have. Throws as {@link addServer}.
 */
export async function changeServer(file: string, name: string, changes: ServerChange): Promise<void> {
  await change(file, text => ({
    text: Object.entries(changes).reduce((now, [member, value]) => edited(now, [name, member], value), text),
    result: undefined,
  }));
}

type Change<T> = (
  text: string,
  servers: Readonly<Record<string, unknown>>,
) => { readonly text: string; readonly result: T };

async function change<T>(file: string, edit: Change<T>): Promise<T> {
  await mkdir(dirname(file), { recursive: true });
  return withFileLock(file, async () => {
    const { text, servers } = await read(file);
    const { text: changed, result } = edit(text, servers);
    if (changed === text) return result;
    refuseHeldText(file);
    await replaceFile(file, changed, 0o600);
    noteOwnText(file, changed);
    return result;
  });
}

/**
 * The text with a server added after the others, which stay exactly as they are. Undefined when there are no others, or
 * the last one does not begin on its own line.
 */
function withServerAtEnd(text: string, name: string, config: object): string | undefined {
  const root = parseTree(text);
  const last = root === undefined ? undefined : findNodeAtLocation(root, ['mcpServers'])?.children?.at(-1);
  if (last === undefined) return undefined;
  const lineStart = text.lastIndexOf('\n', last.offset) + 1;
  const indent = text.slice(lineStart, last.offset);
  if (lineStart === 0 || indent.trim() !== '') return undefined;
  const eol = /\r\n/.exec(text)?.[0] ?? '\n';
  const unit = /^([ \t]+)\S/m.exec(text)?.[1] ?? '  ';
  const value = JSON.stringify(config, null, unit).replaceAll('\n', `${eol}${indent}`);
  const end = last.offset + last.length;
  return `${text.slice(0, end)},${eol}${indent}${JSON.stringify(name)}: ${value}${text.slice(end)}`;
}

function edited(text: string, path: readonly string[], value: unknown): string {
  // When a member is removed, formatting would also change the members beside it.
  const options = value === undefined ? {} : { formattingOptions: formattingOf(text) };
  return applyEdits(text, modify(text, ['mcpServers', ...path], value, options));
}

async function read(file: string): Promise<{ text: string; servers: Readonly<Record<string, unknown>> }> {
  const empty = { text: '{}\n', servers: {} };
  let text: string;
  try {
    text = (await readCountedText(file)).replace(/^\uFEFF/, '');
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return empty;
    throw new Error(`${file} cannot be read: ${messageOf(error)}`, { cause: error });
  }
  if (text.trim() === '') return empty;
  let parsed: unknown;
  try {
    parsed = parseJson(text);
  } catch (error) {
    throw new Error(`${file} is not JSON, and nothing was changed in it: ${messageOf(error)}`, { cause: error });
  }
  const servers = isRecord(parsed) ? (parsed['mcpServers'] ?? {}) : undefined;
  if (isRecord(servers)) return { text, servers };
  throw new Error(`${file} must hold an object "mcpServers"; nothing was changed in it.`);
}
