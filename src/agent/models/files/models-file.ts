import { parse as parseJson, printParseErrorCode, type ParseError } from 'jsonc-parser';
import { readCountedText } from '../../../base/files/counted-text';
import { messageOf } from '../../../base/errors';
import { isRecord } from '../../../base/json/is-record';
import { placeInJson } from '../../../base/json/json-place';
import type { Problem } from '../../../base/result';
import { parse } from '../../../base/json/schema';
import { knownProvider } from '../keys/provider-names';
import { ModelEntry, ModelOverride, ProviderEntry } from './models-schema';

/** A provider of models.json, with the valid part of its entry. */
export interface FileProvider {
  readonly settings: ProviderEntry;
  readonly models: readonly ModelEntry[];
  readonly overrides: ReadonlyMap<string, ModelOverride>;
}

/** What `<agentDir>/models.json` says. */
export interface ModelsFile {
  readonly providers: ReadonlyMap<string, FileProvider>;
  /** Each names file, provider, model and field of an entry that was left out. */
  readonly problems: readonly Problem[];
}

/**
 * Reads models.json, which may have comments and commas before closing brackets, as in pi. A missing file counts as
 * empty. Never rejects: wrong parts become problems, and the rest loads. Models of `builtIn` providers need neither
 * address nor API.
 */
export async function readModelsFile(path: string, builtIn: ReadonlySet<string> = new Set()): Promise<ModelsFile> {
  let text: string;
  try {
    text = await readCountedText(path);
  } catch (error) {
    const isMissing = error instanceof Error && 'code' in error && error.code === 'ENOENT';
    return nothing(isMissing ? [] : [{ message: `models.json cannot be read: ${messageOf(error)}`, file: path }]);
  }
  return parseModelsFile(text, path, builtIn);
}

/**
 * Parses a text of models.json without a byte order mark; comments and commas before closing brackets are allowed. Where it is
 * not JSON, `code` is the parser's name of the first error, at `line` and `column` from 1.
 */
export function parseModelsText(
  text: string,
):
  | { readonly ok: true; readonly json: unknown }
  | { readonly ok: false; readonly line: number; readonly column: number; readonly code: string } {
  const errors: ParseError[] = [];
  const json: unknown = parseJson(text, errors, { allowTrailingComma: true });
  const [broken] = errors;
  if (broken === undefined) return { ok: true, json };
  const before = text.slice(0, broken.offset).split('\n');
  const column = (before.at(-1) ?? '').length + 1;
  return { ok: false, line: before.length, column, code: printParseErrorCode(broken.error) };
}

/** {@link readModelsFile} for a text; `path` is named in problems. */
export function parseModelsFile(fileText: string, path: string, builtIn: ReadonlySet<string> = new Set()): ModelsFile {
  const text = fileText.replace(/^\uFEFF/, '');
  const parsed = parseModelsText(text);
  if (!parsed.ok) {
    const { line, column, code } = parsed;
    return nothing([{ message: `models.json is not JSON: ${code}`, file: path, line, column }]);
  }
  const { json } = parsed;
  if (!isRecord(json) || !isRecord(json['providers'])) {
    return nothing([{ message: 'models.json: "providers" must be an object', file: path }]);
  }
  const problems: Problem[] = [];
  const providers = new Map<string, FileProvider>();
  for (const [name, value] of Object.entries(json['providers'])) {
    const report: ReportProblem = (message, at) => {
      const { line, column } = placeInJson(text, ['providers', name, ...at]);
      const place = { file: path, line: line + 1, column: column + 1 };
      problems.push({ message: `models.json, provider "${name}"${message}`, ...place });
    };
    const known = knownProvider(name);
    const provider = readProvider(value, builtIn.has(known), report);
    if (provider !== undefined) providers.set(known, provider);
  }
  return { providers, problems };
}

/** Is called with the text after the provider's name, and the path within the provider's entry. */
type ReportProblem = (message: string, at: readonly (string | number)[]) => void;

/** Reports what a schema does not allow; `at` is the path of the value, `who` names it. */
function complainOf(
  problems: readonly Problem[],
  report: ReportProblem,
  at: readonly (string | number)[],
  who = '',
): void {
  for (const { message } of problems) {
    const field = /^([^:]*):/.exec(message)?.[1] ?? '';
    report(`${who}, ${message}`, field === 'value' ? at : [...at, ...field.split('.')]);
  }
}

function readProvider(value: unknown, isBuiltIn: boolean, report: ReportProblem): FileProvider | undefined {
  const { models: modelValues, modelOverrides, ...rest } = isRecord(value) ? value : {};
  const settings = parse(ProviderEntry, isRecord(value) ? rest : value);
  if (!settings.ok) {
    complainOf(settings.problems, report, []);
    return undefined;
  }
  const models = readModels(modelValues, settings.value, isBuiltIn, report);
  const overrides = readOverrides(modelOverrides, report);
  const { baseUrl, headers, apiKey, compat, authHeader } = settings.value;
  const parts = [baseUrl, headers, apiKey, compat, authHeader, modelValues, modelOverrides];
  if (parts.every(part => part === undefined)) {
    report(': needs "baseUrl", "headers", "apiKey", "compat", "modelOverrides" or "models"', []);
  }
  return { settings: settings.value, models, overrides };
}

function readModels(value: unknown, settings: ProviderEntry, isBuiltIn: boolean, report: ReportProblem): ModelEntry[] {
  if (value === undefined) return [];
  if (!Array.isArray(value)) {
    report(', models: Expected array', ['models']);
    return [];
  }
  return value.flatMap((item: unknown, index) => {
    const at = ['models', index];
    const who = `, model ${isRecord(item) && typeof item['id'] === 'string' ? `"${item['id']}"` : `number ${index + 1}`}`;
    const model = parse(ModelEntry, item);
    if (!model.ok) {
      complainOf(model.problems, report, at, who);
      return [];
    }
    const lacks = (['baseUrl', 'api'] as const).find(
      field => !isBuiltIn && model.value[field] === undefined && settings[field] === undefined,
    );
    if (lacks === undefined) return [model.value];
    report(`${who}, ${lacks}: Required at the model or at its provider`, at);
    return [];
  });
}

function readOverrides(value: unknown, report: ReportProblem): ReadonlyMap<string, ModelOverride> {
  const overrides = new Map<string, ModelOverride>();
  if (value === undefined) return overrides;
  if (!isRecord(value)) {
    report(', modelOverrides: Expected object', ['modelOverrides']);
    return overrides;
  }
  for (const [id, item] of Object.entries(value)) {
    const override = parse(ModelOverride, item);
    if (override.ok) overrides.set(id, override.value);
    else complainOf(override.problems, report, ['modelOverrides', id], `, modelOverrides "${id}"`);
  }
  return overrides;
}

function nothing(problems: readonly Problem[]): ModelsFile {
  return { providers: new Map(), problems };
}
