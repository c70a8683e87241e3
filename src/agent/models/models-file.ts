import { readFile } from 'node:fs/promises';
import { messageOf } from '../../base/errors';
import type { Problem } from '../../base/result';
import { parse } from '../../base/schema';
import { ModelEntry, ModelOverride, ProviderEntry } from './models-schema';

/** A provider of models.json with what of it was right. */
export interface FileProvider {
  readonly settings: ProviderEntry;
  readonly models: readonly ModelEntry[];
  readonly overrides: ReadonlyMap<string, ModelOverride>;
}

/** What `<agentDir>/models.json` says. */
export interface ModelsFile {
  readonly providers: ReadonlyMap<string, FileProvider>;
  /** Each names file, provider, model and field; what it complains about was left out. */
  readonly problems: readonly Problem[];
}

/**
 * Reads models.json; a missing file is an empty one. Never rejects: what is wrong becomes a problem, the rest loads.
 */
export async function readModelsFile(path: string): Promise<ModelsFile> {
  let text: string;
  try {
    text = await readFile(path, 'utf8');
  } catch (error) {
    const isMissing = error instanceof Error && 'code' in error && error.code === 'ENOENT';
    return nothing(isMissing ? [] : [{ message: `models.json cannot be read: ${messageOf(error)}`, file: path }]);
  }
  return parseModelsFile(text, path);
}

/** {@link readModelsFile} for a text; `path` is named in problems. */
export function parseModelsFile(text: string, path: string): ModelsFile {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch (error) {
    // The message of JSON.parse goes on to quote the text, which may hold a key.
    const reason = messageOf(error).replace(/,? *(?:\.\.\.)?"[\s\S]*$/, '');
    return nothing([{ message: `models.json is not JSON: ${reason}`, file: path, ...positionIn(error) }]);
  }
  if (!isRecord(json) || !isRecord(json['providers'])) {
    return nothing([{ message: 'models.json: "providers" must be an object', file: path }]);
  }
  const problems: Problem[] = [];
  const providers = new Map<string, FileProvider>();
  for (const [name, value] of Object.entries(json['providers'])) {
    const complain = (message: string): void => {
      problems.push({ message: `models.json, provider "${name}"${message}`, file: path });
    };
    const provider = readProvider(value, complain);
    if (provider !== undefined) providers.set(name, provider);
  }
  return { providers, problems };
}

/** Takes the words that follow the provider's name. */
type Complain = (message: string) => void;

function readProvider(value: unknown, complain: Complain): FileProvider | undefined {
  const { models: modelValues, modelOverrides, ...rest } = isRecord(value) ? value : {};
  const settings = parse(ProviderEntry, isRecord(value) ? rest : value);
  if (!settings.ok) {
    for (const { message } of settings.problems) complain(`, ${message}`);
    return undefined;
  }
  const models = readModels(modelValues, settings.value, complain);
  const overrides = readOverrides(modelOverrides, complain);
  const { baseUrl, headers, apiKey, compat } = settings.value;
  const saysNothing = [baseUrl, headers, apiKey, compat, modelValues, modelOverrides].every(part => part === undefined);
  if (saysNothing) complain(': needs "baseUrl", "headers", "apiKey", "modelOverrides" or "models"');
  return { settings: settings.value, models, overrides };
}

function readModels(value: unknown, settings: ProviderEntry, complain: Complain): ModelEntry[] {
  if (value === undefined) return [];
  if (!Array.isArray(value)) {
    complain(', models: Expected array');
    return [];
  }
  if (settings.baseUrl === undefined && value.length > 0) {
    complain(', baseUrl: Required when models are defined');
    return [];
  }
  return value.flatMap((item: unknown, index) => {
    const who = isRecord(item) && typeof item['id'] === 'string' ? `"${item['id']}"` : `number ${index + 1}`;
    const model = parse(ModelEntry, item);
    if (!model.ok) {
      for (const { message } of model.problems) complain(`, model ${who}, ${message}`);
      return [];
    }
    if (model.value.api === undefined && settings.api === undefined) {
      complain(`, model ${who}, api: Required at the model or at its provider`);
      return [];
    }
    return [model.value];
  });
}

function readOverrides(value: unknown, complain: Complain): ReadonlyMap<string, ModelOverride> {
  const overrides = new Map<string, ModelOverride>();
  if (value === undefined) return overrides;
  if (!isRecord(value)) {
    complain(', modelOverrides: Expected object');
    return overrides;
  }
  for (const [id, item] of Object.entries(value)) {
    const override = parse(ModelOverride, item);
    if (override.ok) overrides.set(id, override.value);
    else for (const { message } of override.problems) complain(`, modelOverrides "${id}", ${message}`);
  }
  return overrides;
}

function nothing(problems: readonly Problem[]): ModelsFile {
  return { providers: new Map(), problems };
}

function positionIn(error: unknown): { readonly line?: number; readonly column?: number } {
  const match = /\(line (\d+) column (\d+)\)/.exec(messageOf(error));
  return match === null ? {} : { line: Number(match[1]), column: Number(match[2]) };
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
