import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { SEED_DOCUMENTS, SEED_INDEX, seedHash, seedIt, seedLines, seedText } from '../support/seeds';

describe('the list of the documents’ hooks', () => {
  seedIt('covers every default export of the five documents, each once', () => {
    const exported = SEED_DOCUMENTS.flatMap(document =>
      seedLines(document).flatMap((line, at) => (/^\s*export default\b/.test(line) ? [`${document}:${at + 1}`] : [])),
    );
    const covered = exported.map(place => {
      const [document, line] = place.split(':');
      const hooks = SEED_INDEX.filter(
        hook =>
          hook.form === 'module' &&
          hook.document === document &&
          hook.lines.some(([first, last]) => first <= Number(line) && Number(line) <= last),
      );
      return [place, hooks.length];
    });
    assert.ok(exported.length >= 24, `${exported.length} default exports found`);
    assert.deepEqual(
      covered,
      exported.map(place => [place, 1]),
    );
    assert.equal(SEED_INDEX.filter(hook => hook.form === 'module').length, exported.length);
  });

  for (const document of SEED_DOCUMENTS) {
    seedIt(`says truly which lines of ${document} are meant`, () => {
      const hooks = SEED_INDEX.filter(hook => hook.document === document);
      assert.ok(hooks.length > 0);
      assert.deepEqual(
        hooks.map(hook => [hook.id, seedHash(seedText(hook))]),
        hooks.map(hook => [hook.id, hook.sha256]),
      );
    });
  }

  it('leaves no hook undriven', () => {
    const folder = import.meta.dirname;
    const sources = readdirSync(folder)
      .filter(name => name.endsWith('.spec.ts'))
      .map(name => readFileSync(join(folder, name), 'utf8'))
      .join('\n');
    const driven = (id: string): boolean =>
      sources.includes(`'${id}'`) || sources.includes(`\`\${document}-${id.replace(/^\w+?-/, '')}\``);
    assert.deepEqual(
      SEED_INDEX.map(hook => hook.id).filter(id => !driven(id)),
      [],
    );
  });

  it('names each hook once and holds no text of a document', () => {
    const ids = SEED_INDEX.map(hook => hook.id);
    assert.equal(new Set(ids).size, ids.length);
    for (const hook of SEED_INDEX) {
      assert.deepEqual(Object.keys(hook).sort(), ['document', 'form', 'id', 'lines', 'sha256', 'what']);
      assert.ok(hook.what.length < 80);
    }
  });
});
