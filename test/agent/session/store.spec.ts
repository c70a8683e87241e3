import assert from 'node:assert/strict';
import { chmodSync, cpSync, existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { SessionReadOnlyError } from '../../../src/agent/session/appendable-session';
import { SessionStore } from '../../../src/agent/session/store';
import { itOnPosix } from '../../support/platform';
import { assistant, texts, user, useStores, useTempDir } from './support';

const fixture = (name: string): string => readFileSync(`test/fixtures/sessions/${name}`, 'utf8');
const linesOf = (file: string): string[] => readFileSync(file, 'utf8').trimEnd().split('\n');

describe('session store', () => {
  const dir = useTempDir();
  const stores = useStores();
  const create = (): SessionStore => stores.track(SessionStore.create({ dir: dir.join('s'), cwd: '/w' }));

  it('leaves no file for a session that was never used', async () => {
    const store = create();
    store.appendModelChange('anthropic', 'claude');
    store.appendThinkingLevelChange('high');
    await store.flush();
    assert.ok(!existsSync(dir.join('s')));
  });

  it('has the first user message on disk before any answer, with all that came before it', async () => {
    const store = create();
    store.appendModelChange('anthropic', 'claude');
    store.appendMessage(user('hi'));
    await store.flush();
    const lines = linesOf(store.getSessionFile()!).map(line => (JSON.parse(line) as { type: string }).type);
    assert.deepEqual(lines, ['session', 'model_change', 'message']);
    assert.match(store.getSessionFile()!, /\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d-\d{3}Z_[0-9a-f-]{36}\.jsonl$/);
  });

  itOnPosix('writes files that only their user can read, and changes who can read one that exists', async () => {
    const modeOf = (file: string): string => (statSync(file).mode & 0o777).toString(8);
    const store = create();
    store.appendMessage(user('hi'));
    await store.flush();
    const file = store.getSessionFile()!;
    assert.deepEqual(
      readdirSync(dir.join('s')).map(name => modeOf(join(dir.join('s'), name))),
      ['600', '600'],
    );
    chmodSync(file, 0o640);
    rmSync(file);
    store.appendMessage(user('again'));
    await store.flush();
    assert.equal(modeOf(file), '640');
  });

  for (const mode of [0o600, 0o640]) {
    itOnPosix(`rewrites a file of an older version as readable as it was (${mode.toString(8)})`, async () => {
      const file = dir.join('old.jsonl');
      writeFileSync(file, fixture('v1.jsonl'), { mode });
      const store = await stores.open(file);
      store.appendMessage(user('more'));
      await store.flush();
      for (const each of [file, `${file}.bak`]) assert.equal(statSync(each).mode & 0o777, mode);
    });
  }

  it('gives back after reopening what was appended, of every kind', async () => {
    const store = create();
    const first = store.appendMessage(user('hi'));
    store.appendMessage(assistant('hello'));
    store.appendCustomEntry('state', { n: 1 });
    store.appendCustomMessageEntry('note', 'look', true, { a: 1 });
    store.appendLabelChange(first, 'here');
    store.appendSessionInfo(' name ');
    store.appendRaw({ type: 'stack_pop', backToId: first });
    store.appendCompaction({
      summary: 'sum',
      firstKeptEntryId: first,
      tokensBefore: 9,
      details: { x: 1 },
      fromHook: true,
    });
    store.branchWithSummary(first, 'left');
    await store.flush();
    const again = await stores.open(store.getSessionFile()!, { readOnly: true });
    assert.deepEqual(again.problems, []);
    const plain = (entries: unknown): unknown => JSON.parse(JSON.stringify(entries));
    assert.deepEqual(plain(again.getEntries()), plain(store.getEntries()));
    assert.equal(again.getLeafId(), store.getLeafId());
    assert.equal(again.getLabel(first), 'here');
    assert.equal(again.getSessionName(), 'name');
    assert.deepEqual(again.buildSessionContext(), store.buildSessionContext());
    assert.deepEqual(again.getHeader(), store.getHeader());
  });

  it('keeps the order of appends made while others are being written', async () => {
    const store = create();
    const ids: string[] = [];
    for (let round = 0; round < 20; round++) {
      for (let n = 0; n < 10; n++) ids.push(store.appendMessage(user(`${round}.${n} ünï`)));
      await Promise.resolve();
      if (round % 5 === 0) await store.flush();
    }
    await store.flush();
    const written = linesOf(store.getSessionFile()!)
      .slice(1)
      .map(line => (JSON.parse(line) as { id: string }).id);
    assert.deepEqual(written, ids);
    assert.equal(texts([store.buildSessionContext().messages[57]!])[0], 'user: 5.7 ünï');
  });

  it('closes a torn last line and appends after it, rewriting nothing', async () => {
    const file = dir.join('torn.jsonl');
    const torn = `${fixture('v3.jsonl')}{"type":"message","id":"zz`;
    writeFileSync(file, torn);
    const store = await stores.open(file);
    assert.deepEqual(store.access, { kind: 'write' });
    assert.match(store.problems[0]!.message, /last line is torn/);
    assert.equal(store.problems[0]!.line, 14);
    store.appendMessage(user('on we go'));
    await store.flush();
    const now = readFileSync(file, 'utf8');
    assert.ok(now.startsWith(`${torn}\n{"type":"message"`));
    assert.deepEqual(texts(store.buildSessionContext().messages).slice(-2), ['user: three', 'user: on we go']);
    const again = await stores.open(file, { readOnly: true });
    assert.equal(again.getEntries().length, store.getEntries().length);
    assert.equal(again.getLeafId(), store.getLeafId());
  });

  for (const [what, head] of [
    ['a torn first line', '{"type":"session","version":3,"id":"1111'],
    ['binary rubbish at its head', '\u0000\u0001\u0002\u0003'],
  ] as const) {
    it(`opens a file with ${what} for reading and continues in a fork that names it`, async () => {
      const file = dir.join('damaged.jsonl');
      const body = fixture('v3.jsonl').split('\n').slice(1).join('\n');
      writeFileSync(file, `${head}\n${body}`);
      const store = await stores.open(file);
      assert.equal(store.access.kind === 'read' && store.access.cause, 'damaged');
      assert.match(store.problems[0]!.message, /first line/);
      assert.equal(store.problems[0]!.file, file);
      assert.equal(store.getEntries().length, 12);
      assert.throws(() => store.appendMessage(user('x')), SessionReadOnlyError);
      assert.ok(!existsSync(`${file}.lock`));
      const fork = stores.track(await store.forkTo({ cwd: '/w' }));
      fork.appendMessage(user('goes on'));
      await fork.flush();
      assert.equal(readFileSync(file, 'utf8'), `${head}\n${body}`);
      const again = await stores.open(fork.getSessionFile()!, { readOnly: true });
      assert.equal(again.getHeader()?.parentSession, file);
      assert.equal(again.getEntries().length, 13);
      assert.deepEqual(again.problems, []);
    });
  }

  it('treats a file of rubbish as damaged and leaves every byte of it', async () => {
    const file = dir.join('rubbish.jsonl');
    const bytes = Buffer.alloc(3_000_000, 7);
    bytes.fill(10, 1000, 1200);
    writeFileSync(file, bytes);
    const store = await stores.open(file);
    assert.equal(store.access.kind, 'read');
    assert.deepEqual(store.getEntries(), []);
    assert.ok(readFileSync(file).equals(bytes));
  });

  it('begins a session in an empty file, and in a missing one when told the folder', async () => {
    for (const name of ['empty.jsonl', 'missing.jsonl']) {
      const file = dir.join(name);
      if (name === 'empty.jsonl') writeFileSync(file, '');
      const store = await stores.open(file, { cwd: '/w' });
      store.appendMessage(user('hi'));
      await store.flush();
      assert.equal(store.getCwd(), '/w');
      assert.equal(linesOf(file).length, 2);
    }
    await assert.rejects(SessionStore.open(dir.join('nowhere.jsonl')), /Session file not found: .*nowhere\.jsonl/);
    await assert.rejects(SessionStore.open(dir.join('.')), /is a folder, not a session file/);
  });

  /** What a version of tomorrow may have written: known and unknown lines, and one that was cut off. */
  function ofTomorrow(name: string): { readonly file: string; readonly text: string } {
    const file = dir.join(name);
    const known = fixture('v3.jsonl').replace('"version":3', '"version":4,"codec":"later"');
    const last = (JSON.parse(known.trimEnd().split('\n').at(-1)!) as { readonly id: string }).id;
    const base = { parentId: last, timestamp: '2027-01-01T00:00:00.000Z' };
    const oracle = { type: 'message', id: 'tomorrow2', ...base, parentId: 'tomorrow1', message: { role: 'oracle' } };
    const lines = [{ type: 'hologram', id: 'tomorrow1', ...base, beams: [1] }, oracle, { kind: 'no entry at all' }];
    const text = `${known}${lines.map(line => `${JSON.stringify(line)}\n`).join('')}{"type":"message","id":"to`;
    writeFileSync(file, text);
    return { file, text };
  }

  it('goes on with a session of a newer version, and changes no line of it', async () => {
    const { file, text } = ofTomorrow('new.jsonl');
    const store = await stores.open(file);
    assert.deepEqual(store.access, { kind: 'write' });
    assert.ok(store.problems.some(({ message }) => message.startsWith('Session version 4 is newer')));
    assert.deepEqual(
      store
        .getEntries()
        .slice(-2)
        .map(({ id }) => id),
      ['tomorrow1', 'tomorrow2'],
    );
    store.appendMessage(user('asked today'));
    await store.flush();
    const after = readFileSync(file, 'utf8');
    assert.ok(after.startsWith(`${text}\n`), 'the torn line is closed, and nothing else');
    const again = await stores.open(file, { readOnly: true });
    assert.equal(again.getHeader()?.version, 4);
    assert.equal(again.getEntries().at(-1)?.parentId, 'tomorrow2');
    assert.deepEqual(again.buildSessionContext(), store.buildSessionContext());
  });

  it('lets a fork of such a session keep its version', async () => {
    const { file } = ofTomorrow('forked.jsonl');
    const store = await stores.open(file, { readOnly: true });
    const fork = await store.fork('tomorrow2', 'at');
    await fork.flush();
    const lines = linesOf(fork.getSessionFile()!);
    assert.equal((JSON.parse(lines[0]!) as { version: number }).version, 4);
    assert.ok(lines.some(line => line.includes('"type":"hologram","id":"tomorrow1"') && line.includes('"beams":[1]')));
    await fork.dispose();
  });

  for (const version of ['v1', 'v2']) {
    it(`migrates ${version} in memory, and on disk only at the first append, with a backup beside it`, async () => {
      const file = dir.join('old.jsonl');
      cpSync(`test/fixtures/sessions/${version}.jsonl`, file);
      const original = `${readFileSync(file, 'utf8')}{"type":"mess\n`;
      writeFileSync(file, original);
      const store = await stores.open(file);
      const before = store.getEntries();
      assert.equal(readFileSync(file, 'utf8'), original);
      writeFileSync(`${file}.bak`, 'an older backup');
      const id = store.appendMessage(user('new'));
      await store.flush();
      assert.equal(readFileSync(`${file}.bak`, 'utf8'), 'an older backup');
      assert.equal(readFileSync(`${file}.bak.1`, 'utf8'), original);
      assert.equal((JSON.parse(linesOf(file)[0]!) as { version: number }).version, 3);
      assert.ok(linesOf(file).includes('{"type":"mess'));
      store.appendMessage(user('newer'));
      await store.flush();
      const again = await stores.open(file, { readOnly: true });
      assert.deepEqual(again.getEntries().slice(0, -2), before);
      assert.equal(again.getEntries().at(-2)?.id, id);
      assert.deepEqual(again.buildSessionContext(), store.buildSessionContext());
    });
  }

  it('frees the file when it is disposed, leaving nothing beside it', async () => {
    const store = create();
    store.appendMessage(user('hi'));
    await store.dispose();
    assert.equal(readdirSync(dir.join('s')).length, 1);
  });

  it('keeps what it cannot write and says so; a fork saves it', async () => {
    const file = dir.join('gone.jsonl');
    writeFileSync(file, fixture('v3.jsonl'));
    const store = await stores.open(file);
    writeFileSync(file, '');
    store.appendMessage(user('where to'));
    await assert.rejects(store.flush(), /become shorter/);
    assert.equal(texts(store.buildSessionContext().messages).at(-1), 'user: where to');
    assert.equal(readFileSync(file, 'utf8'), '');
  });

  it('refuses what cannot be an entry, leaving the session as it was', () => {
    const store = SessionStore.inMemory('/w');
    const first = store.appendMessage(user('hi'));
    const loop: Record<string, unknown> = {};
    loop['self'] = loop;
    assert.throws(() => store.appendCustomEntry('x', loop), /Entry of type "custom" cannot be saved/);
    assert.throws(() => store.appendRaw({ type: 'session' }), /header/);
    assert.throws(() => store.appendRaw({ type: 'message' }), /Bad message entry/);
    assert.throws(() => store.appendLabelChange('nope', 'x'), /^Error: Entry nope not found$/);
    assert.throws(() => store.branch('nope'), /Entry nope not found/);
    assert.equal(store.getLeafId(), first);
    assert.equal(store.getEntries().length, 1);
  });

  it('works in memory as on disk', async () => {
    const store = SessionStore.inMemory('/w');
    const first = store.appendMessage(user('one'));
    store.appendMessage(assistant('first'));
    store.branch(first);
    store.appendMessage(assistant('second'));
    assert.deepEqual(texts(store.buildSessionContext().messages), ['user: one', 'assistant: second']);
    assert.equal(store.getTree()[0]?.children.length, 2);
    assert.equal(store.getSessionFile(), undefined);
    await store.flush();
    const fork = await store.fork(store.getLeafId()!);
    assert.deepEqual(texts(fork.buildSessionContext().messages), ['user: one']);
    assert.equal(fork.getSessionFile(), undefined);
  });

  it('tells each append after it took place', () => {
    const store = SessionStore.inMemory('/w');
    const seen: unknown[] = [];
    store.onDidAppend(entry => seen.push([entry.id, store.getLeafId()]));
    const id = store.appendMessage(user('x'));
    assert.deepEqual(seen, [[id, id]]);
  });

  it('survives a crash at any byte of the last write: all before it is there, and it goes on', async () => {
    const whole = fixture('v3.jsonl').split('\n').slice(0, 4).join('\n') + '\n';
    const bytes = Buffer.from(whole);
    const lastLine = bytes.subarray(0, -1).lastIndexOf(10) + 1;
    for (let end = lastLine; end <= bytes.length; end++) {
      const file = dir.join(`cut-${end}.jsonl`);
      writeFileSync(file, bytes.subarray(0, end));
      const store = await stores.open(file);
      const whatIsThere = end >= bytes.length - 1 ? 3 : 2;
      assert.equal(store.getEntries().length, whatIsThere, `cut at ${end}`);
      store.appendMessage(user('after the crash'));
      await store.dispose();
      assert.ok(readFileSync(file).subarray(0, end).equals(bytes.subarray(0, end)));
      const again = await stores.open(file, { readOnly: true });
      assert.equal(again.getEntries().length, whatIsThere + 1, `cut at ${end}`);
      assert.equal(again.getBranch().length, whatIsThere + 1);
    }
  });

  it('reads lines longer than a block, and finds what is torn inside one', async () => {
    const file = dir.join('long.jsonl');
    const store = stores.track(SessionStore.create({ dir: dir.path, cwd: '/w' }));
    const sizes = [10, 700_000, 3, 524_288, 1_500_000, 0, 524_000, 77];
    for (const [index, size] of sizes.entries()) store.appendMessage(user(`${index}:${'é"\n'.repeat(size / 4)}`));
    await store.flush();
    const lines = linesOf(store.getSessionFile()!);
    const glued = lines.toSpliced(4, 2, lines[4]!.slice(0, 1000) + lines[5]!);
    const broken = glued.toSpliced(6, 1, `${glued[6]!.slice(0, -5)}}`);
    writeFileSync(file, `${broken.join('\n')}\n`);
    const again = await stores.open(file);
    const said: string[] = [];
    again.onDidComplain(problem => said.push(`${problem.line ?? 0}: ${problem.message}`));
    const found = again
      .getEntries()
      .map(entry => (entry as unknown as { message: { content: string } }).message.content);
    assert.deepEqual(
      found.map(text => text[0]),
      ['0', '1', '2', '4', '5', '7'],
    );
    assert.deepEqual(
      found.map(text => text.length),
      [0, 1, 2, 4, 5, 7].map(n => 2 + 3 * Math.floor(sizes[n]! / 4)),
    );
    assert.match(
      again.problems.map(problem => `${problem.line ?? 0}: ${problem.message}`).join('; '),
      /5: A torn entry/,
    );
    assert.deepEqual(said, ['7: Unreadable line']);
    assert.equal(again.getBranch().length, 6);
    assert.deepEqual(await again.loadSessionContext(), again.buildSessionContext());
  });
});
