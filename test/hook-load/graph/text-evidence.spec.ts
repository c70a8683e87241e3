import assert from 'node:assert/strict';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { featuresIn, type TextEvidence } from '../../../src/hook-contract/dialects/detect';
import { CompileCache } from '../../../src/hook-load/compile/compile-cache';
import { HookSource } from '../../../src/hook-load/graph/hook-source';
import { evidenceOf } from '../../../src/hook-load/graph/text-evidence';
import { TempFiles } from '../support/temp-files';

describe('evidence in the texts of a load', () => {
  it('is read once for the same texts, and again with one more', () => {
    const entry = HookSource.of(
      '/a.ts',
      "import type { ExtensionAPI } from '@mariozechner/pi-coding-agent';\npi.send();",
    );
    const first = evidenceOf([entry]);
    assert.deepEqual([[...first.imported], first.calls], [['ExtensionAPI'], ['send']]);
    assert.equal(evidenceOf([entry]), first);
    const more = evidenceOf([
      entry,
      HookSource.of('/b.ts', 'pi.exec(); pi.exec();'),
      HookSource.of('/c.json', '"pi.x()"'),
    ]);
    assert.deepEqual(more.calls, ['send', 'exec']);
  });

  it('is stored for long texts, and only used for the same texts', () => {
    const files = new TempFiles();
    try {
      const cache = new CompileCache(files.path('cache'));
      const text = `// @pi-dialect tree
        import type { HookAPI } from '@mariozechner/pi-coding-agent/hooks';
        pi.exec(); if (event.reason === 'new') ctx.saveEntry({ 'clear': [...entries].map(({ message }) => message) });`;
      const long = (code: string): HookSource => HookSource.of('/a.ts', `${code}\n${'x();\n'.repeat(20_000)}`);
      const sources = (code: string): readonly HookSource[] => [
        long(code),
        HookSource.of('/b.ts', 'import "typebox"; pi.send();'),
        HookSource.of('/c.json', '"pi.x()"'),
      ];
      const plain = (evidence: TextEvidence): unknown =>
        JSON.parse(JSON.stringify({ ...evidence, imported: [...evidence.imported] }));
      const fresh = evidenceOf(sources(text));
      assert.equal(fresh.marks.newSession, "reason === 'new'");
      assert.deepEqual(plain(evidenceOf(sources(text), cache)), plain(fresh));
      const [name = ''] = readdirSync(files.path('cache'));
      const stored = evidenceOf(sources(text), cache);
      assert.deepEqual(plain(stored), plain(fresh));
      assert.deepEqual(featuresIn(stored), featuresIn(fresh));
      const kept = readFileSync(files.path('cache', name), 'utf8');
      writeFileSync(files.path('cache', name), kept.replace('saveEntry', 'keptEntry'));
      assert.equal(evidenceOf(sources(text), cache).marks.v2Members, 'ctx.keptEntry', 'it was searched again');
      assert.equal(evidenceOf(sources(text.replace('saveEntry', 'x')), cache).marks.v2Members, undefined);
      for (const damaged of [kept.slice(0, -9), `${kept.slice(0, 65)}{}\n`, `${kept.slice(0, 90)}\n`]) {
        writeFileSync(files.path('cache', name), damaged);
        assert.deepEqual(plain(evidenceOf(sources(text), cache)), plain(fresh));
      }
    } finally {
      files.remove();
    }
  });
});
