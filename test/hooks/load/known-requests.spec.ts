import assert from 'node:assert/strict';
import { existsSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { CompileCache } from '../../../src/hooks/load/compile/compile-cache';
import type { CompileRequest } from '../../../src/hooks/load/compile/compile';
import { KnownRequests } from '../../../src/hooks/load/known-requests';
import { TempFiles } from './support/temp-files';

const ENTRY: CompileRequest = { file: '/hooks/entry.ts', source: '', hash: 'entry', async: true };
const HELPER: CompileRequest = { file: '/hooks/helper.ts', source: '', hash: 'helper', async: false };
const REQUESTS = [{ async: false, specifier: 'node:fs' }, { async: true }];

describe('requests of a hook that are known', () => {
  let files: TempFiles;
  let cache: CompileCache;
  beforeEach(() => {
    files = new TempFiles();
    cache = new CompileCache(files.path('cache'));
  });
  afterEach(() => files.remove());

  function load(requests: readonly CompileRequest[]): void {
    const known = new KnownRequests(ENTRY, cache);
    for (const request of requests) known.add(request, known.of(request) ?? REQUESTS);
    known.keep();
  }

  it('are those of the same text, requested in the same way', () => {
    load([ENTRY, HELPER]);
    const known = new KnownRequests(ENTRY, cache);
    assert.deepEqual(known.of(HELPER), REQUESTS);
    assert.equal(known.of({ ...HELPER, hash: 'edited' }), undefined);
    assert.equal(known.of({ ...HELPER, async: true }), undefined);
    assert.equal(new KnownRequests({ ...ENTRY, hash: 'edited' }, cache).of(HELPER), undefined);
  });

  it('are stored for what the entry imports, and not for the entry', () => {
    load([ENTRY]);
    assert.equal(existsSync(cache.folder), false);
    load([ENTRY, HELPER]);
    assert.equal(readdirSync(cache.folder).length, 1);
    assert.equal(new KnownRequests(ENTRY, cache).of(ENTRY), undefined);
  });

  it('are stored again only when some were not known', () => {
    load([ENTRY, HELPER]);
    const known = new KnownRequests(ENTRY, cache);
    known.add(HELPER, known.of(HELPER) ?? []);
    rmSync(cache.folder, { recursive: true });
    known.keep();
    assert.equal(existsSync(cache.folder), false);
    known.add({ ...HELPER, hash: 'edited' }, REQUESTS);
    known.keep();
    assert.deepEqual(new KnownRequests(ENTRY, cache).of({ ...HELPER, hash: 'edited' }), REQUESTS);
  });

  it('are found again when the file is damaged', () => {
    load([ENTRY, HELPER]);
    const [name = ''] = readdirSync(cache.folder);
    for (const text of ['', 'entry\n{"helper require /hooks/helper.ts": [{}]}\n', 'entry\n[1\n', 'entry\n[]\n']) {
      writeFileSync(files.path('cache', name), text);
      assert.equal(new KnownRequests(ENTRY, cache).of(HELPER), undefined);
      load([ENTRY, HELPER]);
      assert.deepEqual(new KnownRequests(ENTRY, cache).of(HELPER), REQUESTS);
    }
  });
});
