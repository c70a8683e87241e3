import { mkdir } from 'node:fs/promises';
import { dirname } from 'node:path';
import { applyEdits, modify } from 'jsonc-parser';
import { noteOwnText, readCountedText, refuseHeldText } from '../../../base/files/counted-text';
import { messageOf } from '../../../base/errors';
import { isRecord } from '../../../base/json/is-record';
import { formattingOf } from '../../../base/json/json-format';
import { replaceFile } from '../../tools/files/writing/replace-file';
import { errorCode } from '../../tools/result';
import { withFileLock } from '../keys/file-lock';
import { parseModelsText } from './models-file';
import type { ModelEntry, ProviderEntry } from './models-schema';

/** A provider as models.json has it. */
export interface NewProvider extends ProviderEntry {
  readonly models: readonly ModelEntry[];
}

const BOM = '\uFEFF';

/**
 * Adds a provider to a models.json (absolute path) under the lock that pi uses. Comments, unknown members, line ends and a byte
 * order mark stay. A missing file is created for its owner only.
 * @throws Error that names file and line when the file is not valid, and the name when it is taken; the file is then not changed
 */
export async function addProvider(file: string, name: string, provider: NewProvider): Promise<void> {
  await mkdir(dirname(file), { recursive: true });
  await withFileLock(file, async () => {
    const before = await readText(file);
    const bom = before.startsWith(BOM) ? BOM : '';
    const text = before.slice(bom.length);
    if (Object.hasOwn(providersIn(text, file), name)) throw new Error(`${file} already has a provider "${name}".`);
    const changed = bom + withProviderAdded(text, name, provider);
    refuseHeldText(file);
    await replaceFile(file, changed, 0o600);
    noteOwnText(file, changed);
  });
}

/** The names of the providers in a models.json; none without a file. @throws as {@link addProvider} */
export async function providerNames(file: string): Promise<readonly string[]> {
  return Object.keys(providersIn((await readText(file)).replace(BOM, ''), file));
}

async function readText(file: string): Promise<string> {
  try {
    const text = await readCountedText(file);
    return text.replace(BOM, '').trim() === '' ? '{}\n' : text;
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return '{}\n';
    throw new Error(`${file} cannot be read: ${messageOf(error)}`, { cause: error });
  }
}

function providersIn(text: string, file: string): Readonly<Record<string, unknown>> {
  const parsed = parseModelsText(text);
  if (!parsed.ok) {
    const { line, column, code } = parsed;
    throw new Error(`${file}:${line}:${column}: is not JSON: ${code}. Nothing was changed in it.`);
  }
  const { json } = parsed;
  if (isRecord(json)) {
    const providers = Object.hasOwn(json, 'providers') ? json['providers'] : {};
    if (isRecord(providers)) return providers;
  }
  throw new Error(`${file}: "providers" must be an object. Nothing was changed in it.`);
}

function withProviderAdded(text: string, name: string, provider: NewProvider): string {
  return applyEdits(text, modify(text, ['providers', name], provider, { formattingOptions: formattingOf(text) }));
}
