import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { AnyModel } from '@mariozechner/pi-ai';
import { ModelsStoreFile } from '../../../src/agent/models/files/models-store';
import { CatalogUpdates } from '../../../src/agent/models/catalog-updates';
import { silentLog } from '../../../src/base/log';

const HOME = 'https://models.example/v1';
const DAY = 24 * 60 * 60 * 1000;
const SHIPPED_AT = Date.parse('2026-11-01T00:00:00Z');

function model(id: string, more: object = {}): AnyModel {
  return { id, name: id, provider: 'mine', api: 'openai-completions', baseUrl: HOME, ...more } as AnyModel;
}

describe('models that appear between two releases', () => {
  let dir: string;
  let store: ModelsStoreFile;
  let asked: { readonly url: string; readonly headers: Headers }[];
  let answers: (() => Response)[];
  let now: number;

  beforeEach(() => {
    dir = mkdtempSync(join(tmpdir(), 'catalog '));
    store = new ModelsStoreFile(join(dir, 'models-store.json'));
    asked = [];
    answers = [];
    now = SHIPPED_AT + 10 * DAY;
  });

  afterEach(() => rmSync(dir, { recursive: true }));

  async function open(): Promise<CatalogUpdates> {
    const updates = new CatalogUpdates({
      store,
      shippedAt: SHIPPED_AT,
      shipped: new Map([['mine', [model('old'), model('same', { name: 'before' })]]]),
      userAgent: 'test/1',
      send: (url, init) => {
        asked.push({ url: url instanceof Request ? url.url : url.toString(), headers: new Headers(init?.headers) });
        const answer = answers.shift();
        return answer === undefined ? Promise.reject(new Error('no network')) : Promise.resolve(answer());
      },
      now: () => now,
      log: silentLog,
    });
    await updates.restore();
    return updates;
  }

  const list =
    (models: readonly unknown[], date = SHIPPED_AT + DAY) =>
    (): Response =>
      Response.json(models, { headers: { 'last-modified': new Date(date).toUTCString(), etag: '"1"' } });
  const idsOf = (updates: CatalogUpdates): string[] => updates.modelsOf('mine').map(({ id }) => id);

  it('are there, also at the next start, and are asked for at most once a day', async () => {
    const updates = await open();
    assert.deepEqual(idsOf(updates), ['old', 'same']);
    answers = [list([model('new'), model('same', { name: 'after' })])];
    assert.equal(await updates.update(['mine', 'unknown']), true);
    assert.deepEqual(idsOf(updates), ['old', 'same', 'new']);
    assert.equal(updates.modelsOf('mine')[1]?.name, 'after');
    assert.equal(updates.listedAt, SHIPPED_AT + DAY);
    assert.deepEqual(
      asked.map(({ url, headers }) => [url, headers.get('user-agent')]),
      [['https://pi.dev/api/models/providers/mine?types=chat,image,classifier', 'test/1']],
    );
    now += DAY - 1;
    const next = await open();
    assert.deepEqual(idsOf(next), ['old', 'same', 'new']);
    assert.equal(await next.update(['mine']), false);
    assert.equal(asked.length, 1);
    now += 1;
    answers = [() => new Response(null, { status: 304 })];
    assert.equal(await next.update(['mine']), false);
    assert.equal(asked[1]?.headers.get('if-none-match'), '"1"');
    assert.deepEqual(idsOf(next), ['old', 'same', 'new']);
  });

  it('do not count where a list is older than the release', async () => {
    const updates = await open();
    answers = [list([model('new')], SHIPPED_AT - 1)];
    await updates.update(['mine']);
    assert.deepEqual(idsOf(updates), ['old', 'same']);
  });

  it('do not count at an address to which no shipped model sends its key', async () => {
    await store.write('mine', {
      models: [
        model('evil', { baseUrl: 'https://evil.example/v1' }),
        model('none', { baseUrl: 'x' }),
        model('same', { baseUrl: 'https://evil.example/v1' }),
        model('fine', { baseUrl: 'https://models.example/v2' }),
      ],
      lastModified: SHIPPED_AT + DAY,
      checkedAt: now,
    });
    const updates = await open();
    assert.deepEqual(idsOf(updates), ['old', 'same', 'fine']);
    assert.equal(updates.modelsOf('mine')[1]?.baseUrl, HOME);
  });

  for (const [what, answer] of [
    ['no network', undefined],
    ['a status', () => new Response('down', { status: 503 })],
    ['no JSON', () => new Response('<html>')],
    ['no list', () => Response.json('none')],
    ['entries that are no models', list([{ id: 7 }, 'x', null, {}])],
  ] as const) {
    it(`keep what is known when the server gives ${what}, and ask again a day later`, async () => {
      const updates = await open();
      answers = [list([model('new')])];
      await updates.update(['mine']);
      now += DAY;
      answers = answer === undefined ? [] : [answer];
      const isList = what.startsWith('entries');
      assert.equal(await updates.update(['mine']), isList);
      assert.deepEqual(idsOf(updates), isList ? ['old', 'same'] : ['old', 'same', 'new']);
      assert.equal(updates.listedAt, SHIPPED_AT + DAY);
      await updates.update(['mine']);
      assert.equal(asked.length, 2);
      now += DAY;
      await updates.update(['mine']);
      assert.equal(asked.length, 3);
    });
  }

  it('can be asked for again at once when the user stopped it', async () => {
    const updates = await open();
    const stop = new AbortController();
    stop.abort();
    assert.equal(await updates.update(['mine'], stop.signal), false);
    answers = [list([model('new')])];
    assert.equal(await updates.update(['mine']), true);
  });
});
