import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../../scripts/support/paths.ts';
import type { Program } from '../modes/support/cli';
import type { ScriptedRequest } from '../support/scripted-llm';
import { describePeer, importPeer, piToday, TODAY } from './peers';
import { Legs, promptWithImage, sentIn, type Line, type Reading } from './session-legs';

/** What the turns leave in the file. */
const KINDS = [
  ...['message', 'model_change', 'thinking_level_change', 'session_info', 'label', 'custom', 'custom_message'],
  ...['branch_summary', 'compaction', 'context_edit', 'usage'],
];

describePeer('one session, by turns in both', TODAY, folder => {
  const sides: Readonly<Record<string, Program>> = { pi: piToday(folder), Hookline: {} };
  let legs: Legs;

  beforeEach(async () => {
    legs = await Legs.open();
  });

  afterEach(async () => {
    await legs.close();
  });

  /** Both make the same of the file, and what stood in it before stands there still, byte for byte. */
  async function assertAlike(before: string): Promise<void> {
    assert.ok(legs.text().startsWith(before), 'earlier lines were changed');
    const theirs = await legs.read(sides['pi']!);
    const ours = await legs.read(sides['Hookline']!);
    for (const key of Object.keys(theirs) as (keyof typeof theirs)[]) assert.deepEqual(ours[key], theirs[key], key);
  }

  for (const [first, second] of [
    ['pi', 'Hookline'],
    ['Hookline', 'pi'],
  ] as const) {
    it(`begun in ${first}`, async function () {
      this.timeout(240_000);
      let before = '';
      const turn = async (side: string, act: Parameters<Legs['leg']>[1]): Promise<void> => {
        await legs.leg(sides[side]!, act);
        await assertAlike(before);
        before = legs.text();
      };

      // Where sessions are older than what Hookline knows of the hooks, it holds them until a person approves.
      await legs.leg(sides['Hookline']!, host => host.data('get_state'), ['--no-session']);
      await turn(first, async host => {
        await promptWithImage(host, 'look at this');
        legs.llm.reply({ text: 'let me see', toolCalls: [{ name: 'bash', arguments: { command: 'echo found' } }] });
        await host.prompt('run it');
        await host.data('set_session_name', { name: 'a trial' });
      });
      await turn(second, async host => {
        await host.data('bash', { command: 'echo shown' });
        await host.data('bash', { command: 'echo hidden', excludeFromContext: true });
        await host.prompt('asked by the second');
        await host.data('prompt', { message: `/mark ${legs.lineOf('look at this').id} start` });
        await host.data('prompt', { message: '/keep here' });
        await host.data('set_thinking_level', { level: 'high' });
        legs.llm.fail(500);
        await host.prompt('fails at first');
      });
      const cost = { input: 0, output: 0, cacheRead: 2, cacheWrite: 0, total: 2 };
      const usage = { input: 0, output: 0, cacheRead: 5000, cacheWrite: 0, totalTokens: 5000, cost };
      legs.append({ type: 'usage', kind: 'cache_warm', provider: 'scripted', model: 'one', usage });
      await turn(first, async host => {
        await host.data('prompt', { message: `/go ${legs.lineOf('run it').id} summary` });
        await host.prompt('on the other branch');
        await host.data('prompt', { message: '/note minded' });
        await host.data('set_model', { provider: 'scripted', modelId: 'two' });
      });
      await turn(second, async host => {
        await host.prompt('before it gets long');
        await host.data('compact');
        await host.prompt('after it got short');
      });
      await turn(first, async host => {
        await host.data('prompt', { message: `/go ${legs.lineOf('asked by the second').id}` });
        await host.prompt('back on the first branch');
      });
      const types = new Set(legs.lines().map(({ type }) => type));
      for (const type of KINDS) assert.ok(types.has(type), `nobody wrote ${type}`);
      assert.ok(before.includes('"type":"image"'));
      const statistics = (await legs.read(sides[second]!)).statistics as { readonly cost: number };
      assert.ok(statistics.cost > 2, 'the usage entry is not counted');
    });
  }

  for (const [first, second] of [
    ['pi', 'Hookline'],
    ['Hookline', 'pi'],
  ] as const) {
    it(`begun in ${first}: what was taken out of the context is not sent by either`, async function () {
      this.timeout(240_000);
      legs.place.file('work/notes.txt', 'the tool found swordfish');
      await legs.leg(sides[first]!, async host => {
        legs.llm.reply({ text: 'heard swordfish' });
        await host.prompt('the word is swordfish');
        legs.llm.reply({ text: 'reading', toolCalls: [{ name: 'bash', arguments: { command: 'cat notes.txt' } }] });
        await host.prompt('read the notes');
        await host.data('prompt', { message: '/note swordfish' });
      });
      const edited = { said: 'the word is', heard: 'heard swordfish', found: 'the tool found' } as const;
      const { said, heard, found } = edited;
      legs.append({
        type: 'context_edit',
        targetId: legs.lineOf(said).id,
        replacement: { content: 'the word is gone' },
      });
      legs.append({ type: 'context_edit', targetId: legs.lineOf(heard).id, replacement: null });
      const blocks = [{ type: 'text', text: 'first edit' }];
      legs.append({ type: 'context_edit', targetId: legs.lineOf(found).id, replacement: { content: blocks } });
      legs.append({ type: 'context_edit', targetId: legs.lineOf(found).id, replacement: { content: 'last edit' } });
      const note = legs.lines().find(({ type }) => type === 'custom_message')?.id;
      legs.append({ type: 'context_edit', targetId: note, replacement: null });
      const from = legs.llm.requests.length;
      let before = legs.text();
      for (const side of [second, first, second]) {
        await legs.leg(sides[side]!, async host => {
          await host.prompt(`go on in ${side}`);
          if (side === first) await host.data('compact');
        });
        await assertAlike(before);
        before = legs.text();
      }
      const bodies = legs.llm.requests.slice(from).map(({ body }) => JSON.stringify(body));
      assert.ok(bodies.some(body => body.includes('the word is gone') && body.includes('last edit')));
      assert.ok(bodies.every(body => !body.includes('swordfish') && !body.includes('first edit')));
      assert.ok(before.includes('swordfish'));
    });
  }

  for (const side of ['pi', 'Hookline']) {
    it(`forks and clones of ${side} mean the same to both`, async () => {
      await legs.leg(sides[side]!, async host => {
        await promptWithImage(host, 'look at this');
        await host.prompt('and on');
        await host.data('prompt', { message: `/mark ${legs.lineOf('look at this').id} start` });
        await host.data('set_session_name', { name: 'a trial' });
        await host.prompt('not in the fork');
      });
      const original = legs.file;
      for (const [command, members] of [
        ['clone', {}],
        ['fork', { entryId: legs.lineOf('not in the fork').id }],
      ] as const) {
        let made = '';
        await legs.leg(sides[side]!, async host => {
          await host.data(command, members);
          await host.prompt('in the copy');
          made = (await host.data<{ readonly sessionFile: string }>('get_state')).sessionFile;
        });
        assert.notEqual(made, original);
        const theirs = await legs.read(sides['pi']!, made);
        assert.deepEqual(await legs.read(sides['Hookline']!, made), theirs);
        assert.equal(theirs.name, 'a trial');
      }
    });
  }

  it('our JSONL export means the same to both as the session', async () => {
    await legs.leg(sides['pi']!, async host => {
      await promptWithImage(host, 'look at this');
      await host.prompt('and on');
      await host.data('prompt', { message: `/go ${legs.lineOf('and on').id} summary` });
      await host.prompt('elsewhere');
    });
    legs.append({ type: 'context_edit', targetId: legs.lineOf('look at this').id, replacement: { content: 'gone' } });
    const copy = join(legs.place.root, 'copy.jsonl');
    const { code, stderr } = await legs.place.run(['--export', legs.file, copy]);
    assert.deepEqual([code, stderr], [0, '']);
    const whole = await legs.read(sides['pi']!);
    for (const program of Object.values(sides)) {
      const reading = await legs.read(program, copy);
      assert.deepEqual(reading.sent, whole.sent);
      assert.deepEqual(reading.model, whole.model);
    }
  });

  for (const version of ['v1', 'v2']) {
    it(`a session of format ${version} means the same to both, and still after the other went on`, async function () {
      this.timeout(120_000);
      const old = join(ROOT, 'test', 'fixtures', 'sessions', `${version}.jsonl`);
      const written: Skeleton[] = [];
      for (const [first, second] of [
        ['pi', 'Hookline'],
        ['Hookline', 'pi'],
      ] as const) {
        const file = join(legs.place.root, `${version} ${first}.jsonl`);
        writeFileSync(
          file,
          readFileSync(old, 'utf8').replace(/"cwd":"[^"]*"/, `"cwd":${JSON.stringify(legs.place.cwd)}`),
        );
        const theirs = await meaning(legs, sides['pi']!, file);
        assert.deepEqual(await meaning(legs, sides['Hookline']!, file), theirs);
        await legs.leg(sides[first]!, host => host.prompt('taken up'), ['--session', file]);
        const after = await meaning(legs, sides[second]!, file);
        assert.deepEqual(after, await meaning(legs, sides[first]!, file));
        assert.match(JSON.stringify(after.sent), /taken up/);
        written.push(skeletonOf(file));
      }
      const [theirs, ours] = written;
      assert.deepEqual(ours?.rows, theirs?.rows);
      // Ours names the folder too, and the parent as today's files do (docs/sessions.md).
      const more = ours?.header.filter(name => !theirs?.header.includes(name));
      assert.deepEqual(more, version === 'v1' ? ['cwd'] : ['parentSession']);
    });
  }

  it('a session whose folder is gone is refused over RPC in the same words', async () => {
    const gone = legs.place.file(
      'gone.jsonl',
      `${JSON.stringify({ type: 'session', version: 3, id: 'gone-session', timestamp: '2026-01-02T03:04:05.678Z', cwd: '/gone/far' })}\n`,
    );
    const said: unknown[] = [];
    for (const program of Object.values(sides)) {
      await legs.leg(program, async host => said.push(await host.ask('switch_session', { sessionPath: gone })), []);
    }
    const [theirs, ours] = said.map(answer => {
      const { success, error } = answer as { readonly success: boolean; readonly error?: string };
      return { success, error };
    });
    assert.deepEqual(ours, theirs);
    assert.match(theirs?.error ?? '', /does not exist: \/gone\/far/);
  });

  it('a session of a later version is gone on with by both', async function () {
    this.timeout(120_000);
    await legs.leg(sides['pi']!, host => host.prompt('today'));
    const later = legs.text().replace('"version":3', '"version":4,"later":true');
    writeFileSync(legs.file, later);
    await legs.leg(sides['Hookline']!, host => host.prompt('asked in ours'));
    assert.ok(legs.text().startsWith(later));
    await legs.leg(sides['pi']!, host => host.prompt('asked in pi'));
    await assertAlike(later);
    assert.deepEqual(texts(legs.llm.requests.at(-1)!), [
      ...['today', 'answer 1', 'asked in ours', 'answer 2', 'asked in pi', 'answer 3', 'next'],
    ]);
  });

  for (const side of ['pi', 'Hookline']) {
    it(`begun in ${side}: a role and an entry of tomorrow are kept, and Hookline goes on`, async () => {
      await legs.leg(sides[side]!, host => host.prompt('today'));
      legs.append({
        type: 'message',
        message: { role: 'oracle', content: 'foretold', timestamp: 1, depth: { a: 1 } },
      });
      legs.append({ type: 'hologram', beams: [1, 2] });
      const before = legs.text();
      await legs.leg(sides['Hookline']!, async host => {
        await host.prompt('and then');
        const { entries } = await host.data<{ entries: readonly { type: string }[] }>('get_entries');
        assert.ok(entries.some(({ type }) => type === 'hologram'));
      });
      assert.ok(legs.text().startsWith(before));
      assert.deepEqual(texts(legs.llm.requests.at(-1)!), ['today', 'answer 1', 'and then']);
      await legs.leg(sides['pi']!, async () => {});
      await legs.leg(sides['Hookline']!, host => host.prompt('once more'));
      assert.ok(legs.text().startsWith(before));
    });
  }
});

describePeer('a session of today in an older pi', '0.73.1', folder => {
  it('opens with all it knows, and comes back', async function () {
    this.timeout(120_000);
    const legs = await Legs.open();
    try {
      await legs.leg({}, async host => {
        await promptWithImage(host, 'look at this');
        await host.prompt('and on');
        await host.data('set_session_name', { name: 'a trial' });
        await host.data('prompt', { message: `/mark ${legs.lineOf('look at this').id} start` });
        await host.data('prompt', { message: `/go ${legs.lineOf('and on').id} summary` });
        await host.prompt('elsewhere');
        await host.data('compact');
        await host.prompt('after it got short');
      });
      const before = legs.text();
      const written = legs.lines();
      const { SessionManager } = await importPeer<OlderModule>(folder, 'core/session-manager.js');
      const older = SessionManager.open(legs.file);
      assert.deepEqual(
        older.getEntries().map(({ id, type }) => [id, type]),
        written.map(({ id, type }) => [id, type]),
      );
      assert.equal(older.getSessionName(), 'a trial');
      assert.equal(older.getLabel(legs.lineOf('look at this').id), 'start');
      assert.equal(older.getLeafId(), written.at(-1)?.id);
      older.appendMessage({ role: 'user', content: 'asked in the older one', timestamp: 1 });
      assert.ok(legs.text().startsWith(before));
      await legs.leg({}, host => host.prompt('back again'));
      const sent = JSON.stringify(sentIn(legs.llm.requests.at(-1)!));
      assert.ok(sent.includes('after it got short') && sent.includes('asked in the older one'));
    } finally {
      await legs.close();
    }
  });
});

/** What is used of the SessionManager of 0.73.1. */
interface OlderModule {
  readonly SessionManager: {
    open(file: string): {
      getEntries(): readonly Line[];
      getLabel(id: string): string | undefined;
      getLeafId(): string | null;
      getSessionName(): string | undefined;
      appendMessage(message: object): string;
    };
  };
}

/** What was said, by both. */
function texts({ body }: ScriptedRequest): readonly unknown[] {
  const messages = body['messages'] as readonly { readonly content: string | readonly { readonly text: string }[] }[];
  return messages.flatMap(({ content }) => (typeof content === 'string' ? [content] : content.map(({ text }) => text)));
}

/** What a program makes of a file in an older format, whose entries get ids only when it is opened. */
async function meaning(legs: Legs, program: Program, file: string): Promise<Pick<Reading, 'sent' | 'name' | 'model'>> {
  const { sent, name, model } = await legs.read(program, file);
  return { sent, name, model };
}

interface Skeleton {
  /** Names of its members. */
  readonly header: readonly string[];
  /** Of each line its kind, its role and where its parent stands. */
  readonly rows: readonly unknown[];
}

function skeletonOf(file: string): Skeleton {
  const [header, ...lines] = readFileSync(file, 'utf8')
    .trimEnd()
    .split('\n')
    .map(line => JSON.parse(line) as Line);
  const ids = lines.map(({ id }) => id);
  const rows = lines.map(({ type, parentId, message }) => [type, message?.role, parentId && ids.indexOf(parentId)]);
  return { header: Object.keys(header!).sort(), rows };
}
