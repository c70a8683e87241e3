import assert from 'node:assert/strict';
import { readFileSync, readdirSync } from 'node:fs';
import { basename, join } from 'node:path';
import { Type } from '@sinclair/typebox';
import { Value } from '@sinclair/typebox/value';
import {
  ACP_REGISTRY_ICON,
  acpRegistryEntry,
  writeAcpRegistryFolder,
  type NpmManifest,
} from '../../scripts/support/acp-registry.ts';
import { ROOT } from '../../scripts/support/paths.ts';

const REPOSITORY = 'https://git.example.org/owner/hook.line';

/** The registry's rules for an entry that is an npm package; it refuses fields that it does not know in `distribution`. */
const ENTRY = Type.Object({
  id: Type.String({ pattern: '^[a-z][a-z0-9-]*$' }),
  name: Type.String({ minLength: 1 }),
  version: Type.String({ pattern: '^[0-9]+\\.[0-9]+\\.[0-9]+$' }),
  description: Type.String({ minLength: 1 }),
  repository: Type.String({ pattern: '^https://' }),
  website: Type.String({ pattern: '^https://' }),
  license: Type.String({ minLength: 1 }),
  license_url: Type.String({ pattern: '^https://' }),
  distribution: Type.Object(
    {
      npx: Type.Object(
        { package: Type.String({ minLength: 1 }), args: Type.Array(Type.String()) },
        { additionalProperties: false },
      ),
    },
    { additionalProperties: false },
  ),
});

describe('the entry in the registry of the Agent Client Protocol', () => {
  const manifest = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as NpmManifest;

  it('follows the rules of the registry', () => {
    assert.deepEqual([...Value.Errors(ENTRY, acpRegistryEntry(manifest, REPOSITORY))], []);
  });

  it('starts the npm package of exactly this version with "acp"', () => {
    const { version, distribution } = acpRegistryEntry(manifest, REPOSITORY);
    assert.equal(version, manifest.version);
    assert.deepEqual(distribution.npx, { package: `hookline@${manifest.version}`, args: ['acp'] });
  });

  it('names no address where there is no repository', () => {
    const entry = acpRegistryEntry(manifest);
    for (const field of ['repository', 'website', 'license_url']) assert.ok(!(field in entry), field);
    assert.deepEqual([...Value.Errors(Type.Omit(ENTRY, ['repository', 'website', 'license_url']), entry)], []);
  });

  it('leads to pages that the repository has', () => {
    const { website, license_url } = acpRegistryEntry(manifest, REPOSITORY);
    for (const address of [website, license_url]) {
      const [repository, path = ''] = address?.split('/blob/HEAD/') ?? [];
      assert.equal(repository, REPOSITORY);
      assert.ok(readFileSync(join(ROOT, path), 'utf8').length > 0, path);
    }
  });

  it('is a folder with its id as name, an agent.json and an icon', () => {
    const folder = writeAcpRegistryFolder(REPOSITORY);
    assert.deepEqual(readdirSync(folder).toSorted(), ['agent.json', 'icon.svg']);
    assert.deepEqual(
      JSON.parse(readFileSync(join(folder, 'agent.json'), 'utf8')),
      acpRegistryEntry(manifest, REPOSITORY),
    );
    assert.equal(basename(folder), acpRegistryEntry(manifest).id);
    assert.equal(readFileSync(join(folder, 'icon.svg'), 'utf8'), readFileSync(ACP_REGISTRY_ICON, 'utf8'));
  });
});

describe('the icon for the registry of the Agent Client Protocol', () => {
  const icon = readFileSync(ACP_REGISTRY_ICON, 'utf8');
  const [root = ''] = /^<svg\b[^>]*>/.exec(icon) ?? [];

  it('is 16 × 16', () => {
    for (const attribute of ['width="16"', 'height="16"', 'viewBox="0 0 16 16"']) {
      assert.ok(root.includes(` ${attribute}`), attribute);
    }
  });

  it('has no color but that of the text around it', () => {
    const colors = [...icon.matchAll(/\b(?:fill|stroke|color|stop-color)\s*[=:]\s*["']?([^"';\s>]+)/gi)];
    assert.deepEqual([...new Set(colors.map(([, color]) => color))].toSorted(), ['currentColor', 'none']);
    assert.ok(!/#[0-9a-f]{3,8}\b|rgb|hsl|style/i.test(icon));
  });

  it('runs and loads nothing', () => {
    const elements = [...icon.matchAll(/<(\w+)/g)].map(([, element = '']) => element);
    assert.deepEqual([...new Set(elements)].toSorted(), ['circle', 'path', 'svg']);
    assert.ok(!/\bon\w+\s*=|href|url\(|<!/i.test(icon));
  });
});
