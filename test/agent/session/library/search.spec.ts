import assert from 'node:assert/strict';
import { cpSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import {
  searchSessions,
  wordsOf,
  type FileHits,
  type SearchOptions,
} from '../../../../src/agent/session/library/search';
import { useTempDir } from '../support';

let serial = 0;
const line = (type: string, fields: object): string =>
  `${JSON.stringify({ type, id: `e${serial++}`, parentId: null, timestamp: '2026-01-02T00:00:00.000Z', ...fields })}\n`;
const header = `${JSON.stringify({ type: 'session', version: 3, id: 's', timestamp: '', cwd: '/w' })}\n`;
const said = (content: unknown, role = 'user'): string => line('message', { message: { role, content } });

describe('search in sessions', () => {
  const dir = useTempDir();

  function write(name: string, ...lines: readonly string[]): string {
    const file = dir.join(name);
    writeFileSync(file, header + lines.join(''));
    return file;
  }

  async function search(files: readonly string[], query: string, options?: SearchOptions): Promise<FileHits[]> {
    const found: FileHits[] = [];
    for await (const hits of searchSessions(files, query, options)) found.push(hits);
    return found;
  }

  const texts = (found: readonly FileHits[]): string[] =>
    found.flatMap(({ hits }) =>
      hits.map(({ role, snippet }) => `${role}: ${snippet.before}[${snippet.match}]${snippet.after}`),
    );

  it('splits a query into words and phrases', () => {
    assert.deepEqual(wordsOf('  Two "Exact phrase" one" '), ['two', 'exact phrase', 'one']);
    assert.deepEqual(wordsOf('   '), []);
  });

  it('finds what anyone said, whatever its case and wherever it stands, files in their order', async () => {
    const a = write(
      'a.jsonl',
      said('nothing here'),
      said([{ type: 'text', text: 'See the NEEDLE\nin hay' }]),
      said(
        [
          { type: 'thinking', thinking: 'a needle?' },
          { type: 'text', text: 'no' },
        ],
        'assistant',
      ),
    );
    const b = write(
      'b.jsonl',
      said([{ type: 'toolCall', id: 'x', name: 'bash', arguments: { command: 'grep needle' } }], 'assistant'),
      line('message', { message: { role: 'toolResult', content: [{ type: 'text', text: 'needle: 1' }] } }),
      line('message', { message: { role: 'bashExecution', command: 'sew', output: 'needle broke' } }),
      line('custom_message', { customType: 'x', content: 'hook needle', display: true }),
    );
    const c = write(
      'c.jsonl',
      line('compaction', { summary: 'needle summary' }),
      line('label', { targetId: 'e', label: 'needle!' }),
      line('session_info', { name: 'Needles' }),
    );
    const found = await search([b, a, c], 'needle', { perFile: 9 });
    assert.deepEqual(
      found.map(({ total }) => total),
      [4, 2, 3],
    );
    assert.deepEqual(texts(found), [
      'hook: hook [needle]',
      'tool: sew [needle] broke',
      'tool: [needle]: 1',
      'assistant: bash grep [needle]',
      'assistant: a [needle]? no',
      'user: See the [NEEDLE] in hay',
      'name: [Needle]s',
      'label: [needle]!',
      'summary: [needle] summary',
    ]);
  });

  it('wants every word, in any order, and a phrase as it is', async () => {
    const file = write('a.jsonl', said('red apples and green pears'), said('green apples'), said('pears'));
    assert.equal((await search([file], 'pears green'))[0]?.total, 1);
    assert.equal((await search([file], '"green pears"'))[0]?.total, 1);
    assert.deepEqual(await search([file], '"pears green"'), []);
    assert.deepEqual(await search([file], '"  "'), []);
  });

  it('finds letters beyond ASCII, escaped or not, quotes and line ends', async () => {
    const escaped = said('ärger').replace('ä', '\\u00e4');
    const file = write('a.jsonl', said('Großer ÄRGER'), escaped, said('say "hi"\nthere'), said('日本語のテキスト'));
    assert.equal((await search([file], 'ärger'))[0]?.total, 2);
    assert.equal((await search([file], '本語'))[0]?.total, 1);
    assert.equal((await search([file], 'hi"'))[0]?.total, 1);
  });

  it('does not take the words of the format for words of the text', async () => {
    const file = write('a.jsonl', said('hello'), said('hello', 'assistant'));
    for (const query of ['message', 'parentid', 'assistant', 'timestamp']) {
      assert.deepEqual(await search([file], query), []);
    }
  });

  it('keeps the newest of many, counts all, and tells where they stand', async () => {
    const file = write('a.jsonl', ...Array.from({ length: 50 }, (_, n) => said(`needle ${n}.`)));
    const [found] = await search([file], 'needle', { perFile: 2 });
    assert.equal(found?.total, 50);
    assert.deepEqual(
      found.hits.map(hit => [hit.line, hit.snippet.after]),
      [
        [51, ' 49.'],
        [50, ' 48.'],
      ],
    );
    assert.equal((await search([file], '"needle 7."'))[0]?.hits[0]?.line, 9);
  });

  it('finds text across blocks and in lines longer than a block', async () => {
    const long = 'x'.repeat(300_000);
    const file = write(
      'a.jsonl',
      said(`${long} needle one`),
      ...Array.from({ length: 4000 }, (_, n) => said(`${n} hay `.repeat(20))),
      said(`needle two ${long}`),
    );
    const [found] = await search([file], 'needle');
    assert.deepEqual(
      found?.hits.map(hit => [hit.line, hit.snippet.match]),
      [
        [4003, 'needle'],
        [2, 'needle'],
      ],
    );
  });

  it('reads all versions, torn lines, and files without a last newline', async () => {
    for (const version of ['v1', 'v2', 'v3']) {
      cpSync(`test/fixtures/sessions/${version}.jsonl`, dir.join(`${version}.jsonl`));
    }
    const files = ['v1', 'v2', 'v3'].map(name => dir.join(`${name}.jsonl`));
    const found = await search(files, 'one');
    assert.deepEqual(
      found.map(({ file }) => file),
      [dir.join('v1.jsonl'), dir.join('v3.jsonl')],
    );
    assert.equal(found[0]?.hits.at(-1)?.entryId, undefined);
    const torn = dir.join('torn.jsonl');
    writeFileSync(
      torn,
      `${header}{"type":"message","message":{"role":"user","content":"needle\n${said('whole needle').trimEnd()}`,
    );
    assert.equal((await search([torn], 'needle'))[0]?.total, 1);
  });

  it('passes over what is gone or no file', async () => {
    const gone = write('gone.jsonl', said('needle'));
    rmSync(gone);
    mkdirSync(dir.join('folder.jsonl'));
    const file = write('a.jsonl', said('needle'));
    assert.equal((await search([gone, dir.join('folder.jsonl'), file], 'needle')).length, 1);
  });

  it('stops when it is not wanted any more', async () => {
    const files = ['a', 'b', 'c'].map(name => write(`${name}.jsonl`, said('needle')));
    const abort = new AbortController();
    const found: string[] = [];
    for await (const { file } of searchSessions(files, 'needle', { signal: abort.signal })) {
      found.push(file);
      abort.abort();
    }
    assert.deepEqual(found, [files[0]]);
  });

  it('lets others run while it goes through a session of 100,000 entries and a thousand files', async function () {
    this.timeout(120_000);
    const bulk = Array.from({ length: 100_000 }, (_, n) => said(`entry ${n} of hay`)).join('');
    const long = write('long.jsonl', bulk, said('the needle'));
    const many = Array.from({ length: 1000 }, (_, n) => write(`${n}.jsonl`, said(`small ${n}`)));
    let turns = 0;
    let going = true;
    const count = (): void => {
      turns += 1;
      if (going) setImmediate(count);
    };
    setImmediate(count);
    const found = await search([...many, long], 'needle');
    going = false;
    assert.equal(found.length, 1);
    assert.ok(turns > 200, `${turns} turns of the event loop`);
  });
});
