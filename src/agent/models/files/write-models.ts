import { mkdir } from 'node:fs/promises';
import { dirname } from 'node:path';
import { applyEdits, modify, parse as parseJsonc } from 'jsonc-parser';
import { noteOwnText, readCountedText, refuseHeldText } from '../../../base/files/counted-text';
import { messageOf } from '../../../base/errors';
import { isRecord } from '../../../base/json/is-record';
import { replaceFile } from '../../tools/files/writing/replace-file';
import { errorCode } from '../../tools/result';
import { withFileLock } from '../keys/file-lock';
import { parseModelsFile } from './models-file';
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
  const [problem] = parseModelsFile(text, file).problems;
  const json: unknown = parseJsonc(text, [], { allowTrailingComma: true });
  const providers = isRecord(json) ? (json['providers'] ?? {}) : undefined;
  const isJson = problem === undefined || !problem.message.startsWith('models.json is not JSON');
  if (isJson && isRecord(providers)) return providers;
  const place = isJson ? '' : `:${problem.line ?? 1}:${problem.column ?? 1}`;
  const why = isJson ? '"providers" must be an object' : problem.message.replace('models.json ', '');
  throw new Error(`${file}${place}: ${why}. Nothing was changed in it.`);
}

function withProviderAdded(text: string, name: string, provider: NewProvider): string {
  const indent = /^([ \t]+)\S/m.exec(text)?.[1] ?? '  ';
  const insertSpaces = !indent.startsWith('\t');
  const formattingOptions = {
    insertSpaces,
    tabSize: insertSpaces ? indent.length : 2,
    eol: /\r\n/.exec(text)?.[0] ?? '\n',
  };
  return applyEdits(text, modify(text, ['providers', name], provider, { formattingOptions }));
}
