import assert from 'node:assert/strict';
import { existsSync, readFileSync, realpathSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { SessionUpdate } from '@agentclientprotocol/sdk';
import { AcpEditor, refusal } from '../../support/acp';
import { eachWithModel } from '../../support/each-with-model';

const PREVENTS = `import type { ExtensionAPI } from '@mariozechner/pi-coding-agent';
export default (pi: ExtensionAPI) => {
  pi.on('session_before_switch', () => ({ cancel: true }));
  pi.on('session_before_fork', () => ({ cancel: true }));
  pi.on('session_before_compact', () => ({ cancel: true }));
};
`;

const MOVES = `import type { ExtensionAPI } from '@mariozechner/pi-coding-agent';
export default (pi: ExtensionAPI) => {
  pi.registerCommand('fresh', { description: 'begins a new session', handler: async (args, ctx) => { await ctx.newSession(); } });
};
`;

const SAYS_GOODBYE = `import { appendFileSync } from 'node:fs';
export default (pi: any) => {
  pi.on('session_shutdown', (event: any, ctx: any) => appendFileSync(process.env.GOODBYES!, 'bye\\n'));
};
`;

const SLOW_GOODBYE = `export default (pi: any) => {
  pi.on('session_shutdown', () => new Promise(resolve => setTimeout(resolve, 300)));
};
`;

const NOTES_STARTS = `import { appendFileSync } from 'node:fs';
export default (pi: any) => {
  for (const name of ['session_switch', 'session_fork', 'session_start']) {
    pi.on(name, (event: any) => appendFileSync(process.env.STARTS!, JSON.stringify(event) + '\\n'));
  }
};
`;

describe('Sessions over ACP', function () {
  this.timeout(120_000);
  const { place, llm } = eachWithModel();

  const fileOf = (sessionId: string): string =>
    place.sessionFiles().find(file => file.endsWith(`_${sessionId}.jsonl`)) ?? '';
  const kinds = (updates: readonly SessionUpdate[]): readonly string[] => updates.map(each => each.sessionUpdate);

  it('are heard of only after their answer, commands first', async () => {
    const editor = await AcpEditor.open(place);
    const sessionId = await editor.create();
    await editor.update(sessionId, 'available_commands_update');
    assert.equal(kinds(editor.updates(sessionId))[0], 'available_commands_update');
    await editor.end();
  });

  it('need a folder that exists', async () => {
    const editor = await AcpEditor.open(place);
    const open = (cwd: string): Promise<unknown> => editor.create({ cwd });
    assert.match(await refusal(open('work'), -32_602), /cwd: "work"/);
    assert.match(await refusal(open(join(place.cwd, 'none')), -32_602), /none/);
    assert.match(await refusal(open(place.file('a-file', '')), -32_602), /a-file/);
    await editor.end();
  });

  it('share the folder, but not their runs', async () => {
    const editor = await AcpEditor.open(place);
    const [one, two] = [await editor.create(), await editor.create()];
    const held = llm.hold({ text: 'slow' });
    const slow = editor.prompt(one, 'one');
    await held.reached;
    llm.reply({ text: 'quick' });
    assert.equal(await editor.prompt(two, 'two'), 'end_turn');
    assert.equal(editor.said(two), 'quick');
    assert.equal(editor.said(one), '');
    held.release();
    assert.equal(await slow, 'end_turn');
    await editor.end();
  });

  it('are loaded with all that was said, without a change of the file', async () => {
    const first = await AcpEditor.open(place);
    const sessionId = await first.create();
    llm.reply({ text: 'an answer' });
    await first.prompt(sessionId, 'a question');
    await first.end();
    const before = readFileSync(fileOf(sessionId));
    const second = await AcpEditor.open(place);
    const loaded = await second.request('session/load', { sessionId, cwd: place.cwd, mcpServers: [] });
    assert.equal(loaded.modes?.currentModeId, 'ask');
    assert.deepEqual(kinds(second.updates(sessionId)).slice(0, 2), ['user_message_chunk', 'agent_message_chunk']);
    assert.equal(second.said(sessionId), 'an answer');
    await second.update(sessionId, 'available_commands_update');
    assert.deepEqual(readFileSync(fileOf(sessionId)), before);
    llm.reply({ text: ', and more' });
    await second.prompt(sessionId, 'go on');
    assert.equal(second.said(sessionId), 'an answer, and more');
    await second.end();
  });

  it('of pi are loaded without a change of the file, and go on', async () => {
    const id = '01a22938-1a95-7621-99a9-8af07af07022';
    const stored = readFileSync('test/fixtures/sessions/pi-1.6.0.jsonl', 'utf8').replaceAll('/work/project', place.cwd);
    const folder = `--${place.cwd.replaceAll(/[/\\:]/g, '-').replace(/^-/, '')}--`;
    const file = place.file(`agent/sessions/${folder}/2026-11-29T21-31-12-405Z_${id}.jsonl`, stored);
    const { mtimeMs } = statSync(file);
    const editor = await AcpEditor.open(place);
    await editor.request('session/load', { sessionId: id, cwd: place.cwd, mcpServers: [] });
    await editor.update(id, 'available_commands_update');
    assert.deepEqual(
      kinds(editor.updates(id)).filter(kind => kind.endsWith('_chunk') || kind === 'tool_call'),
      [
        ...['user_message_chunk', 'agent_thought_chunk', 'agent_message_chunk', 'tool_call', 'tool_call', 'tool_call'],
        ...['agent_message_chunk', 'user_message_chunk', 'tool_call', 'agent_message_chunk'],
      ],
    );
    assert.equal(readFileSync(file, 'utf8'), stored);
    assert.equal(statSync(file).mtimeMs, mtimeMs);
    llm.reply({ text: ' Third answer.' });
    assert.equal(await editor.prompt(id, 'go on'), 'end_turn');
    assert.match(JSON.stringify(llm.requests[0]?.body['messages']), /write the notes.*Still beta.*go on/);
    await editor.end();
    const continued = readFileSync(file, 'utf8');
    assert.ok(continued.startsWith(stored) && continued.includes('Third answer.'));
  });

  it('are resumed without what was said, and loaded again while they are open', async () => {
    const editor = await AcpEditor.open(place);
    const sessionId = await editor.create();
    llm.reply({ text: 'an answer' });
    await editor.prompt(sessionId, 'a question');
    await editor.request('session/close', { sessionId });
    const from = editor.updates(sessionId).length;
    await editor.request('session/resume', { sessionId, cwd: place.cwd, mcpServers: [] });
    await editor.update(sessionId, 'available_commands_update', () => true, from);
    assert.ok(!kinds(editor.updates(sessionId)).slice(from).includes('agent_message_chunk'));
    await editor.request('session/load', { sessionId, cwd: place.cwd, mcpServers: [] });
    assert.equal(editor.said(sessionId), 'an answeran answer');
    await editor.end();
  });

  it('cannot be loaded when there is none, or its file is damaged', async () => {
    const editor = await AcpEditor.open(place);
    const load = (sessionId: string): Promise<unknown> =>
      editor.request('session/load', { sessionId, cwd: place.cwd, mcpServers: [] });
    assert.match(await refusal(load('no-such-id'), -32_002), /no-such-id/);
    const sessionId = await editor.create();
    llm.reply({ text: 'an answer' });
    await editor.prompt(sessionId, 'a question');
    const file = fileOf(sessionId);
    place.file(join(dirname(file).slice(place.root.length + 1), '2026-01-01_broken.jsonl'), 'this is no session\n');
    assert.match(await refusal(load('broken'), -32_603), /2026-01-01_broken\.jsonl/);
    await editor.end();
  });

  it('cannot be loaded from a file that begins as no session or as another one', async () => {
    const editor = await AcpEditor.open(place);
    const sessionId = await editor.create();
    llm.reply({ text: 'an answer' });
    await editor.prompt(sessionId, 'a question');
    const folder = dirname(fileOf(sessionId)).slice(place.root.length + 1);
    const text = readFileSync(fileOf(sessionId), 'utf8');
    for (const [id, content] of [
      ['empty', ''],
      ['copied', text],
    ] as const) {
      const file = place.file(join(folder, `2026-01-01_${id}.jsonl`), content);
      for (const method of ['session/load', 'session/resume'] as const) {
        const opening = editor.request(method, { sessionId: id, cwd: place.cwd, mcpServers: [] });
        assert.ok((await refusal(opening, -32_603)).includes(file));
      }
      assert.equal(readFileSync(file, 'utf8'), content);
    }
    await editor.end();
  });

  it('are not found by an empty id, which only damaged files have', async () => {
    const damaged = place.file('agent/sessions/--any--/2026-01-01_broken.jsonl', 'this is no session\n');
    const editor = await AcpEditor.open(place);
    await editor.request('session/delete', { sessionId: '' });
    assert.ok(existsSync(damaged));
    const loading = editor.request('session/load', { sessionId: '', cwd: place.cwd, mcpServers: [] });
    await refusal(loading, -32_002);
    await editor.end();
  });

  it('are listed and found beside a file that is no folder of sessions', async () => {
    place.file('agent/sessions/.DS_Store', '');
    const editor = await AcpEditor.open(place);
    const sessionId = await editor.create();
    llm.reply({ text: 'an answer' });
    await editor.prompt(sessionId, 'a question');
    const { sessions } = await editor.request('session/list', {});
    assert.deepEqual(
      sessions.map(session => session.sessionId),
      [sessionId],
    );
    const loading = editor.request('session/load', { sessionId: 'none', cwd: place.cwd, mcpServers: [] });
    await refusal(loading, -32_002);
    await editor.end();
  });

  it('are opened once when the client asks several times at once, also while they are closed', async () => {
    const editor = await AcpEditor.open(place);
    const sessionId = await editor.create();
    llm.reply({ text: 'an answer' });
    await editor.prompt(sessionId, 'a question');
    const resume = (cwd = place.cwd): Promise<unknown> =>
      editor.request('session/resume', { sessionId, cwd, mcpServers: [] });
    const closing = editor.request('session/close', { sessionId });
    const refused = refusal(resume(join(place.cwd, 'none')), -32_602);
    await Promise.all([closing, refused, resume(), resume()]);
    llm.reply({ text: ', and more' });
    await editor.prompt(sessionId, 'go on');
    assert.equal(editor.said(sessionId), 'an answer, and more');
    const isNotice = ({ sessionUpdate }: SessionUpdate): boolean => sessionUpdate === 'notice';
    assert.deepEqual(editor.updates(sessionId).filter(isNotice), []);
    await editor.end();
  });

  it('are listed by folder, page by page', async () => {
    const stamp = (minute: number): string => `2026-01-01T00:${String(minute).padStart(2, '0')}:00.000Z`;
    const other = realpathSync(dirname(place.file('other/readme.md', '')));
    for (let at = 0; at < 55; at += 1) {
      const cwd = at === 0 ? other : place.cwd;
      const dir = `agent/sessions/--${cwd.replace(/^\//, '').replaceAll('/', '-')}--`;
      const header = { type: 'session', version: 3, id: `id-${at}`, timestamp: stamp(at), cwd };
      const message = { role: 'user', content: `question ${at}`, timestamp: 0 };
      const entry = { type: 'message', id: 'aaaaaaaa', parentId: null, timestamp: stamp(at), message };
      place.file(`${dir}/x_id-${at}.jsonl`, `${JSON.stringify(header)}\n${JSON.stringify(entry)}\n`);
    }
    const editor = await AcpEditor.open(place);
    const first = await editor.request('session/list', {});
    assert.equal(first.sessions.length, 50);
    assert.deepEqual(first.sessions[0], {
      sessionId: 'id-54',
      cwd: place.cwd,
      title: 'question 54',
      updatedAt: stamp(54),
    });
    const { nextCursor: cursor } = first;
    const second = await editor.request('session/list', { cursor });
    assert.deepEqual(
      second.sessions.map(({ sessionId }) => sessionId),
      ['id-4', 'id-3', 'id-2', 'id-1', 'id-0'],
    );
    assert.equal(second.nextCursor, undefined);
    const ofOther = await editor.request('session/list', { cwd: other });
    assert.deepEqual(
      ofOther.sessions.map(({ sessionId }) => sessionId),
      ['id-0'],
    );
    assert.match(await refusal(editor.request('session/list', { cursor: 'nonsense' }), -32_602), /nonsense/);
    await editor.end();
  });

  it('are deleted into the trash, once or twice', async () => {
    const editor = await AcpEditor.open(place);
    const sessionId = await editor.create();
    llm.reply({ text: 'an answer' });
    await editor.prompt(sessionId, 'a question');
    const file = fileOf(sessionId);
    await editor.request('session/delete', { sessionId });
    assert.ok(!existsSync(file));
    await editor.request('session/delete', { sessionId });
    assert.match(await refusal(editor.prompt(sessionId, 'anyone?'), -32_602), /not open/);
    await editor.end();
  });

  it('are loaded while they close, and deleted while they load, one after the other', async () => {
    const editor = await AcpEditor.open(place, { args: ['--hook', place.file('slow.ts', SLOW_GOODBYE)] });
    const sessionId = await editor.create();
    llm.reply({ text: 'an answer' }, { text: 'another answer' });
    await editor.prompt(sessionId, 'a question');
    const file = fileOf(sessionId);
    const load = (): Promise<unknown> => editor.request('session/load', { sessionId, cwd: place.cwd, mcpServers: [] });
    await Promise.all([editor.request('session/close', { sessionId }), load()]);
    await editor.prompt(sessionId, 'a second question');
    assert.match(readFileSync(file, 'utf8'), /another answer/);
    await editor.request('session/close', { sessionId });
    await Promise.all([load(), editor.request('session/delete', { sessionId })]);
    assert.ok(!existsSync(file));
    assert.match(await refusal(editor.prompt(sessionId, 'anyone?'), -32_602), /not open/);
    await editor.end();
  });

  it('are copied with all that was said', async () => {
    const editor = await AcpEditor.open(place);
    const sessionId = await editor.create();
    llm.reply({ text: 'an answer' });
    await editor.prompt(sessionId, 'a question');
    const copy = await editor.request('session/fork', { sessionId, cwd: place.cwd, mcpServers: [] });
    assert.notEqual(copy.sessionId, sessionId);
    llm.otherwise(({ body }) => ({ text: JSON.stringify(body['messages']) }));
    await editor.prompt(copy.sessionId, 'go on');
    assert.match(editor.said(copy.sessionId), /a question.*an answer.*go on/);
    assert.equal(editor.said(sessionId), 'an answer');
    await editor.end();
  });

  it('are forks to hooks when they are copies, of open and of stored sessions', async () => {
    place.hook('starts.ts', NOTES_STARTS);
    const starts = place.file('starts', '');
    const editor = await AcpEditor.open(place, { env: { STARTS: starts } });
    const sessionId = await editor.create();
    llm.reply({ text: 'an answer' });
    await editor.prompt(sessionId, 'a question');
    const previousSessionFile = fileOf(sessionId);
    const toldOfCopy = async (): Promise<readonly unknown[]> => {
      const before = readFileSync(starts, 'utf8');
      const copy = await editor.request('session/fork', { sessionId, cwd: place.cwd, mcpServers: [] });
      llm.reply({ text: 'goes on' });
      await editor.prompt(copy.sessionId, 'go on'); // It begins when hooks have heard of the session.
      const lines = readFileSync(starts, 'utf8').slice(before.length).trim().split('\n');
      return lines.map(line => {
        const { type, reason, previousSessionFile: previous } = JSON.parse(line) as Record<string, unknown>;
        return [type, reason, previous];
      });
    };
    const fork = [
      ['session_fork', undefined, previousSessionFile],
      ['session_start', 'fork', previousSessionFile],
    ];
    assert.deepEqual(await toldOfCopy(), fork);
    await editor.create(); // Another one is active now.
    await editor.request('session/close', { sessionId });
    assert.deepEqual(await toldOfCopy(), fork);
    await editor.end();
  });

  it('stay as they are when a hook prevents a step', async () => {
    place.hook('prevents.ts', PREVENTS);
    place.useLlm(llm, { compaction: { keepRecentTokens: 1 } });
    const editor = await AcpEditor.open(place);
    const sessionId = await editor.create();
    llm.reply({ text: 'one' }, { text: 'two' });
    await editor.prompt(sessionId, 'first');
    await editor.prompt(sessionId, 'second');
    const before = readFileSync(fileOf(sessionId), 'utf8');
    const [file] = place.sessionFiles();
    assert.match(await refusal(editor.create(), -32_603), /hook prevented/);
    const fork = editor.request('session/fork', { sessionId, cwd: place.cwd, mcpServers: [] });
    assert.match(await refusal(fork, -32_603), /hook prevented/);
    assert.match(await refusal(editor.prompt(sessionId, '/compact'), -32_603), /hook prevented/);
    assert.equal(readFileSync(fileOf(sessionId), 'utf8'), before);
    await editor.request('session/close', { sessionId });
    await editor.create();
    const again = editor.request('session/fork', { sessionId, cwd: place.cwd, mcpServers: [] });
    assert.match(await refusal(again, -32_603), /hook prevented.*session_before_switch/);
    assert.deepEqual(place.sessionFiles(), [file]);
    await editor.end();
  });

  it('keep their id when a hook begins another session in them', async () => {
    place.hook('moves.ts', MOVES);
    const editor = await AcpEditor.open(place);
    const sessionId = await editor.create();
    llm.reply({ text: 'before.' });
    await editor.prompt(sessionId, 'one');
    await editor.prompt(sessionId, '/fresh');
    llm.otherwise(({ body }) => ({ text: ` ${(body['messages'] as unknown[]).length} after` }));
    await editor.prompt(sessionId, 'two');
    assert.equal(editor.said(sessionId), 'before. 1 after');
    await editor.end();
  });

  it('say goodbye to hooks when they are closed, and when the client is gone', async () => {
    place.hook('goodbye.ts', SAYS_GOODBYE);
    const goodbyes = place.file('goodbyes', '');
    const editor = await AcpEditor.open(place, { env: { GOODBYES: goodbyes } });
    const closed = await editor.create();
    await editor.create();
    await editor.request('session/close', { sessionId: closed });
    assert.equal(readFileSync(goodbyes, 'utf8'), 'bye\n');
    await editor.end();
    assert.equal(readFileSync(goodbyes, 'utf8'), 'bye\nbye\n');
  });

  it('are sent whole to each of two requests that load one at a time', async () => {
    const first = await AcpEditor.open(place);
    const id = await first.create();
    llm.reply({ text: 'one' }, { text: 'two' });
    await first.prompt(id, 'a');
    await first.prompt(id, 'b');
    await first.end();
    const editor = await AcpEditor.open(place);
    const load = (): Promise<unknown> =>
      editor.request('session/load', { sessionId: id, cwd: place.cwd, mcpServers: [] });
    await Promise.all([load(), load()]);
    const texts = editor
      .updates(id)
      .flatMap(update =>
        /message_chunk$/.test(update.sessionUpdate) && 'content' in update
          ? [(update.content as { readonly text?: string }).text]
          : [],
      );
    assert.deepEqual(texts, ['a', 'one', 'b', 'two', 'a', 'one', 'b', 'two']);
    await editor.end();
  });
});
