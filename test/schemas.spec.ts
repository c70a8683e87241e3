import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { TSchema } from '@sinclair/typebox';
import { Check } from 'typebox/schema';
import { ROOT } from '../scripts/support/paths.ts';
import { ModelEntry, ModelOverride, ProviderEntry } from '../src/agent/models/files/models-schema';
import { SETTINGS_WITHOUT_MEANING, SettingsContent } from '../src/agent/settings/setting-keys';

interface JsonSchema {
  readonly properties: Readonly<Record<string, JsonSchema>>;
  readonly additionalProperties: JsonSchema;
  readonly items: JsonSchema;
  readonly description?: string;
}

const schemaOf = (name: string): JsonSchema =>
  JSON.parse(readFileSync(join(ROOT, 'media', 'schemas', `${name}.schema.json`), 'utf8')) as JsonSchema;
const accepts = (name: string, value: unknown): boolean => Check(schemaOf(name) as object, value);

/** What a schema demands, without the words for people; objects with named members allow no others. */
function demands(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(demands);
  if (typeof schema !== 'object' || schema === null) return schema;
  const rest = Object.entries(schema).filter(([key, value]) => {
    const isWord = (key === 'description' || key === 'deprecationMessage') && typeof value === 'string';
    return !isWord && key !== 'additionalProperties';
  });
  return Object.fromEntries(rest.map(([key, value]) => [key, demands(value)]));
}
const read = (schema: TSchema): unknown => demands(JSON.parse(JSON.stringify(schema)));
const members = (schema: unknown): Readonly<Record<string, unknown>> => (schema as JsonSchema).properties;

describe('schemas of files that people write', () => {
  it('demand of settings.json what its reader does, and name every key', () => {
    const found = schemaOf('settings').properties;
    const without = new Set<string>(SETTINGS_WITHOUT_MEANING);
    const counted = Object.fromEntries(Object.entries(found).filter(([key]) => !without.has(key)));
    assert.deepEqual(demands(counted), members(read(SettingsContent)));
    assert.deepEqual(
      SETTINGS_WITHOUT_MEANING.filter(key => !(key in found)),
      [],
    );
  });

  it('demand of models.json what its reader does', () => {
    const provider = schemaOf('models').properties['providers']!.additionalProperties;
    const { models, modelOverrides, oauth, ...settings } = provider.properties;
    assert.ok(oauth);
    assert.deepEqual(demands(settings), members(read(ProviderEntry)));
    assert.deepEqual(demands(models!.items), read(ModelEntry));
    assert.deepEqual(demands(modelOverrides!.additionalProperties), read(ModelOverride));
  });

  const good: Readonly<Record<string, unknown>> = {
    settings: { $schema: 'x', theme: 'dark', defaultModel: 'm', retry: { provider: { timeoutMs: 5 } }, skills: ['a'] },
    models: {
      providers: {
        local: {
          baseUrl: 'http://127.0.0.1:1/v1',
          apiKey: '$KEY',
          models: [
            { id: 'm', cost: { input: 1, output: 1, cacheRead: 0, cacheWrite: 0 }, samplingParams: { top_k: 1 } },
          ],
          modelOverrides: { m: { cost: { input: 2 }, compat: { thinkingFormat: 'chat-template' } } },
        },
      },
    },
    mcp: { mcpServers: { a: { command: 'x', args: ['y'], env: { K: '${K}' } }, b: { url: 'https://x', timeout: 5 } } },
  };
  for (const [name, value] of Object.entries(good)) {
    it(`find nothing wrong with a good ${name}.json`, () => assert.equal(accepts(name, value), true));
  }

  const wrong: readonly (readonly [string, unknown])[] = [
    ['settings', { defaultModle: 'm' }],
    ['settings', { retry: { maxRetrys: 3 } }],
    ['settings', { defaultThinkingLevel: 'much' }],
    ['models', { provider: {} }],
    ['models', { providers: { a: { baseURL: 'x' } } }],
    ['models', { providers: { a: { models: [{ name: 'no id' }] } } }],
    ['models', { providers: { a: { modelOverrides: { m: { cost: { inputs: 1 } } } } } }],
    ['mcp', { mcpServers: { a: { comand: 'x' } } }],
    ['mcp', { mcpServers: { a: { url: 'x', exposure: 'all' } } }],
  ];
  for (const [name, value] of wrong) {
    it(`underline ${JSON.stringify(value)} in ${name}.json`, () => assert.equal(accepts(name, value), false));
  }

  it('ship with the extension, for the files of a folder and of the agent folder', () => {
    const { contributes } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
      contributes: { jsonValidation: { fileMatch: string[]; url: string }[] };
    };
    assert.deepEqual(
      contributes.jsonValidation.map(({ fileMatch, url }) => [url, fileMatch]),
      [
        ['./media/schemas/settings.schema.json', ['.pi/settings.json', '.pi/agent/settings.json']],
        ['./media/schemas/models.schema.json', ['.pi/agent/models.json']],
        ['./media/schemas/mcp.schema.json', ['.pi/mcp.json', '.pi/agent/mcp.json']],
      ],
    );
    for (const { url } of contributes.jsonValidation) assert.ok(readFileSync(join(ROOT, url), 'utf8'));
  });
});
