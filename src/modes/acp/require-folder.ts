import { stat } from 'node:fs/promises';
import { isAbsolute } from 'node:path';
import { invalidParams } from './connection/acp-error';

/** @throws {AcpError} `-32602` that names the field and the path, unless `path` is that of an existing folder, from the root */
export async function requireFolder(field: string, path: string): Promise<void> {
  requireAbsolute(field, path);
  const found = await stat(path).catch(() => undefined);
  if (found === undefined) throw invalidParams(`${field}: "${path}" does not exist, or cannot be read.`);
  if (!found.isDirectory()) throw invalidParams(`${field}: "${path}" is not a folder.`);
}

/** @throws {AcpError} `-32602` that names the field and the path, unless `path` begins at the root */
export function requireAbsolute(field: string, path: string): void {
  if (!isAbsolute(path)) throw invalidParams(`${field}: "${path}" must be an absolute path.`);
}
