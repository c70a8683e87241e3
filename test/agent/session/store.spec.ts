import assert from 'node:assert/strict';
import {
  appendFileSync,
  cpSync,
  existsSync,
  readdirSync,
  readFileSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { SessionReadOnlyError } from '../../../src/agent/session/appendable-session';
import { SessionStore } from '../../../src/agent/session/store';
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

  it('leaves nothing of a fork that fails, neither its file nor its lock', async () => {
    const store = create();
    for (const letter of 'abc') store.appendMessage(user(letter.repeat(3_000_000)));
    await store.flush();
    const before = readdirSync(dir.join('s'));
    const last = store.getLeafId();
    const read = store.getEntry.bind(store);
    store.getEntry = id => {
      if (id === last) throw new Error('the disk is gone');
      return read(id);
    };
    await assert.rejects(store.forkTo(), /the disk is gone/);
    await assert.rejects(store.fork(last!, 'at'), /the disk is gone/);
    assert.deepEqual(readdirSync(dir.join('s')), before);
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

  it('lets one writer in: the second reads, may fork or take over, and the first then stops writing', async () => {
    const file = dir.join('shared.jsonl');
    writeFileSync(file, fixture('v3.jsonl'));
    const first = await stores.open(file);
    const second = await stores.open(file);
    assert.equal(second.access.kind === 'read' && second.access.cause, 'locked');
    assert.match(
      second.access.kind === 'read' ? second.access.reason : '',
      /^Another window or program has this session open\.$/,
    );
    first.appendMessage(user('by the first'));
    await first.flush();
    await second.takeOver();
    assert.equal(second.access.kind, 'write');
    assert.equal(texts(second.buildSessionContext().messages).at(-1), 'user: by the first');
    second.appendMessage(user('by the second'));
    await second.flush();
    first.appendMessage(user('too late'));
    await assert.rejects(first.flush(), /took over this session/);
    assert.throws(() => first.appendMessage(user('x')), SessionReadOnlyError);
    const rescue = stores.track(await first.forkTo());
    assert.equal(texts(rescue.buildSessionContext().messages).at(-1), 'user: too late');
    assert.equal(
      texts((await stores.open(file, { readOnly: true })).buildSessionContext().messages).at(-1),
      'user: by the second',
    );
  });

  it('takes the lock of a process that is gone', async () => {
    const file = dir.join('left.jsonl');
    writeFileSync(file, fixture('v3.jsonl'));
    const stale = { token: 'x', pid: process.pid, host: (await import('node:os')).hostname(), since: 'then' };
    writeFileSync(`${file}.lock`, JSON.stringify(stale));
    assert.equal((await stores.open(file)).access.kind, 'write');
    for (const rubbish of ['', '{"pid":']) {
      const other = dir.join(`left${rubbish.length}.jsonl`);
      writeFileSync(other, fixture('v3.jsonl'));
      writeFileSync(`${other}.lock`, rubbish);
      assert.equal((await stores.open(other)).access.kind, 'write');
    }
  });

  it('frees the file when it is disposed, leaving nothing beside it', async () => {
    const store = create();
    store.appendMessage(user('hi'));
    await store.dispose();
    assert.equal(readdirSync(dir.join('s')).length, 1);
  });

  it('takes in what another program (pi knows no locks) appends, each on its branch', async () => {
    const file = dir.join('both.jsonl');
    writeFileSync(file, fixture('v3.jsonl'));
    const store = await stores.open(file);
    const said: string[] = [];
    store.onDidComplain(problem => said.push(problem.message));
    const foreign = { type: 'message', id: 'ffffffff', parentId: 'u0000003', timestamp: 't', message: user('foreign') };
    appendFileSync(file, `${JSON.stringify(foreign)}\n`);
    store.appendMessage(user('ours'));
    await store.flush();
    assert.deepEqual(texts(store.buildSessionContext().messages).slice(-2), ['user: three', 'user: ours']);
    assert.deepEqual(texts([(store.getEntry('ffffffff') as unknown as { message: { role: string } }).message]), [
      'user: foreign',
    ]);
    assert.match(said.join(), /Another program appended 1 entries/);
    store.appendMessage(user('more'));
    await store.flush();
    assert.equal(
      texts((await stores.open(file, { readOnly: true })).buildSessionContext().messages).at(-1),
      'user: more',
    );
  });

  it('follows what another program began in the file since it was opened', async () => {
    const file = dir.join('new.jsonl');
    const [first, second] = [await stores.open(file, { cwd: '/w' }), await stores.open(file, { cwd: '/w' })];
    first.appendMessage(user('theirs'));
    await first.dispose();
    second.appendMessage(user('ours'));
    second.appendMessage(assistant('answer'));
    await second.flush();
    assert.deepEqual(texts(second.buildSessionContext().messages), ['user: ours', 'assistant: answer']);
    const again = await stores.open(file, { readOnly: true });
    assert.deepEqual(again.problems, []);
    assert.deepEqual(
      again.getEntries().map(entry => texts([(entry as unknown as { message: { role: string } }).message])[0]),
      ['user: theirs', 'user: ours', 'assistant: answer'],
    );
    assert.deepEqual(texts(again.buildSessionContext().messages), ['user: ours', 'assistant: answer']);
  });

  it('leaves a file that is no session as it is when it appears after the opening', async () => {
    const file = dir.join('new.jsonl');
    const store = await stores.open(file, { cwd: '/w' });
    writeFileSync(file, 'notes of somebody\n');
    store.appendMessage(user('hi'));
    await assert.rejects(store.flush(), /new\.jsonl meanwhile, and it cannot be continued$/);
    assert.equal(readFileSync(file, 'utf8'), 'notes of somebody\n');
  });

  it('does not migrate a file that another program changed since it was opened, until it is taken over', async () => {
    const file = dir.join('old.jsonl');
    cpSync('test/fixtures/sessions/v2.jsonl', file);
    const store = await stores.open(file);
    const before = store.getEntries().length;
    const foreign = { type: 'message', id: 'ffffffff', parentId: null, timestamp: 't', message: user('foreign') };
    appendFileSync(file, `${JSON.stringify(foreign)}\n`);
    const original = readFileSync(file, 'utf8');
    store.appendMessage(user('ours'));
    await assert.rejects(store.flush(), /Another program changed this session/);
    assert.equal(readFileSync(file, 'utf8'), original);
    await store.takeOver();
    store.appendMessage(user('more'));
    await store.flush();
    const again = await stores.open(file, { readOnly: true });
    assert.equal(again.getEntries().length, before + 3);
    assert.ok(again.getEntry('ffffffff'));
  });

  it('takes in what another program appends while it takes in what came before', async () => {
    const file = dir.join('both.jsonl');
    writeFileSync(file, fixture('v3.jsonl'));
    const store = await stores.open(file);
    const foreign = (id: string, parentId: string): string =>
      `${JSON.stringify({ type: 'message', id, parentId, timestamp: 't', message: user(id) })}\n`;
    const ids: string[] = [store.appendMessage(user('first'))];
    await store.flush();
    appendFileSync(file, foreign('fffffff1', 'u0000003'));
    ids.push(store.appendMessage(user('second')), 'fffffff1');
    await new Promise(setImmediate);
    appendFileSync(file, foreign('fffffff2', 'fffffff1'));
    await store.flush();
    ids.push(store.appendMessage(user('third')), 'fffffff2');
    await store.flush();
    const read = ids.map(
      id => (store.getEntryOnce(id) as unknown as { message: { role: string } } | undefined)?.message,
    );
    assert.deepEqual(texts(read.flatMap(message => message ?? [])), [
      'user: first',
      'user: second',
      'user: fffffff1',
      'user: third',
      'user: fffffff2',
    ]);
  });

  it('takes in what another program appends while a lock that was deleted is made again', async () => {
    const file = dir.join('both.jsonl');
    writeFileSync(file, fixture('v3.jsonl'));
    const store = await stores.open(file);
    const foreign = { type: 'message', id: 'ffffffff', parentId: 'u0000003', timestamp: 't', message: user('foreign') };
    store.appendMessage(user('first'));
    await store.flush();
    rmSync(`${file}.lock`);
    const id = store.appendMessage(user('ours'));
    await new Promise(setImmediate);
    assert.equal(existsSync(`${file}.lock`), false, 'the line waits for the lock');
    appendFileSync(file, `${JSON.stringify(foreign)}\n`);
    await store.flush();
    store.appendMessage(user('ours again'));
    await store.flush();
    for (const [entry, text] of [
      [id, 'user: ours'],
      ['ffffffff', 'user: foreign'],
    ] as const) {
      const { message } = store.getEntryOnce(entry) as unknown as { message: { role: string } };
      assert.deepEqual(texts([message]), [text]);
    }
    assert.deepEqual(texts(store.buildSessionContext().messages).slice(-2), ['user: ours', 'user: ours again']);
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

  it('respects a living process and a stale heartbeat', async () => {
    const file = dir.join('held.jsonl');
    writeFileSync(file, fixture('v3.jsonl'));
    const { hostname } = await import('node:os');
    const holder = { token: 'x', pid: process.ppid, host: hostname(), since: 'noon' };
    writeFileSync(`${file}.lock`, JSON.stringify(holder));
    const access = (await stores.open(file)).access;
    assert.match(access.kind === 'read' ? access.reason : '', /^Another window or program has this session open\.$/);
    const long = new Date(Date.now() - 10 * 60_000);
    utimesSync(`${file}.lock`, long, long);
    assert.equal((await stores.open(file)).access.kind, 'write');
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

  describe('fork', () => {
    it('copies the path before a message byte for byte and re-parents around labels', async () => {
      const file = dir.join('base.jsonl');
      writeFileSync(file, fixture('v3.jsonl'));
      const store = await stores.open(file);
      const tip = store.getEntry('u0000002')!;
      store.branch(tip.id);
      const last = store.appendMessage(user('four'));
      const fork = stores.track(await store.fork(last));
      await fork.flush();
      const lines = linesOf(fork.getSessionFile()!);
      const original = linesOf(file);
      assert.deepEqual(lines.slice(1, 8), original.slice(1, 8));
      assert.deepEqual(JSON.parse(lines[8]!), { ...tip, parentId: 'x0000001' });
      assert.equal(fork.getLabel('u0000001'), 'start');
      assert.equal(fork.getHeader()?.parentSession, file);
      const again = await stores.open(fork.getSessionFile()!, { readOnly: true });
      assert.deepEqual(again.problems, []);
      assert.deepEqual(
        again
          .getBranch()
          .map(entry => entry.id)
          .slice(0, 8),
        ['m0000001', 't0000001', 'u0000001', 'a0000001', 'c0000001', 'n0000001', 'x0000001', 'u0000002'],
      );
    });

    it('before the first user message is an empty session that names its parent', async () => {
      const store = create();
      const first = store.appendMessage(user('one'));
      await store.flush();
      const fork = stores.track(await store.fork(first));
      assert.deepEqual(fork.getEntries(), []);
      assert.equal(fork.getHeader()?.parentSession, store.getSessionFile());
      assert.ok(!existsSync(fork.getSessionFile()!));
    });
  });
});
