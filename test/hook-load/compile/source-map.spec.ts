import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { SourceMap, type SourceMapPayload } from 'node:module';
import { join } from 'node:path';
import { transformSync } from 'esbuild';
import { PositionMap } from '../../../src/hook-load/compile/source-map';
import type { SourcePosition } from '../../../src/hook-contract/source-place';
import { ROOT } from '../support/loading';

describe('a position in compiled code', () => {
  const mapOf = (payload: object): PositionMap => {
    const encoded = Buffer.from(JSON.stringify(payload)).toString('base64');
    return new PositionMap(() => `code\n//# sourceMappingURL=data:application/json;charset=utf-8;base64,${encoded}\n`);
  };

  for (const minify of [false, true]) {
    it(`is the one that Node finds${minify ? ', in one long line' : ''}`, () => {
      const source = readFileSync(join(ROOT, 'src', 'hook-load', 'files', 'discover.ts'), 'utf8');
      const { code, map } = transformSync(source, { loader: 'ts', sourcemap: true, minify });
      const payload = JSON.parse(map) as SourceMapPayload;
      const [ours, nodes] = [mapOf(payload), new SourceMap(payload)];
      const places = code.split('\n').flatMap((text, line) => Array.from(`${text}  `, (_, column) => [line, column]));
      assert.ok(places.length > 4_000);
      for (const [line = 0, column = 0] of places) {
        const found = nodes.findEntry(line, column);
        assert.ok('originalLine' in found);
        const wanted: SourcePosition = { line: found.originalLine + 1, column: found.originalColumn + 1 };
        assert.deepEqual(ours.original({ line: line + 1, column: column + 1 }), wanted);
      }
    });
  }

  it('stays what it is before the first mapping, without a map, and where no source is', () => {
    const at = { line: 1, column: 3 };
    assert.deepEqual(mapOf({ mappings: 'IAAA' }).original(at), at);
    assert.deepEqual(mapOf({ mappings: 'C' }).original(at), at);
    assert.deepEqual(mapOf({}).original(at), at);
    assert.deepEqual(new PositionMap(() => 'code\n').original(at), at);
    assert.deepEqual(mapOf({ mappings: 'CAgCgCA' }).original(at), { line: 33, column: 33 });
  });
});
