import assert from 'node:assert/strict';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { HostToWebview } from '../../src/protocol/messages';
import { Rig, until, type RigOptions } from '../support/conversation-rig';
import type { Script } from '../support/scripted-stream';

const GATE = `import type { HookAPI } from "@mariozechner/pi-coding-agent/hooks";
export default function (pi: HookAPI) {
  pi.on("tool_call", async (event, ctx) => {
    if (event.toolName !== "bash") return undefined;
    const choice = await ctx.ui.select("Run " + event.input.command + "?", ["Yes", "No"]);
    return choice === "Yes" ? undefined : { block: true, reason: "Blocked by user" };
  });
}`;

const bash = (command: string, id = 'c1'): Script => ({ calls: [{ id, name: 'bash', args: { command } }] });

describe('a conversation', () => {
  let rig: Rig | undefined;

  async function open(script: readonly Script[], options: RigOptions = {}): Promise<Rig> {
    rig = await Rig.open(script, options);
    return rig;
  }

  afterEach(async () => {
    await rig?.close();
    rig = undefined;
  });

  it('writes what was said to a session file that the next start resumes', async () => {
    const first = await open([{ thinking: 'hm', text: 'hello there' }]);
    await first.chat.submit('hi');
    const file = first.conversation.store.getSessionFile()!;
    await first.close(true);
    const roles = readFileSync(file, 'utf8')
      .trimEnd()
      .split('\n')
      .map(line => JSON.parse(line) as { type: string; message?: { role: string } })
      .map(entry => entry.message?.role ?? entry.type);
    assert.deepEqual(roles.slice(0, 1), ['session']);
    assert.deepEqual(
      roles.filter(role => role === 'user' || role === 'assistant'),
      ['user', 'assistant'],
    );
    const second = await open([], { root: first.root, resume: true });
    assert.equal(second.conversation.store.getSessionFile(), file);
    assert.deepEqual(
      second.items('user').map(item => item.text),
      ['hi'],
    );
    assert.deepEqual(second.items('assistant')[0]?.blocks, [
      { type: 'thinking', text: 'hm' },
      { type: 'text', text: 'hello there' },
    ]);
  });

  it('blocks a tool when the person says No on the card, and says by whom', async () => {
    const { chat, page, items } = bound(
      await open([bash('touch made'), { text: 'understood' }], { hooks: { 'gate.ts': GATE } }),
    );
    const { send } = page();
    const run = chat.submit('go');
    const gate = await until(() => items('gate').find(item => item.state.type === 'open'), 'the question');
    assert.equal(items('tool')[0]?.state.type, 'asking');
    assert.equal(gate.toolItem, items('tool')[0]?.id);
    send({ type: 'answer', id: gate.id, answer: 'No' });
    await run;
    const [tool] = items('tool');
    assert.deepEqual(tool?.state, {
      type: 'blocked',
      by: { path: join(rig!.cwd, '.pi', 'hooks', 'gate.ts'), name: 'gate.ts', line: 3 },
      reason: 'Blocked by user',
    });
    assert.deepEqual(
      tool.verdicts.map(verdict => [verdict.event, verdict.outcome, verdict.detail]),
      [['tool_call', 'blocked', 'Blocked by user']],
    );
    assert.equal(existsSync(join(rig!.cwd, 'made')), false);
    assert.deepEqual(items('gate')[0]?.state, { type: 'answered', answer: 'No' });
  });

  it('runs it after Yes', async () => {
    const { chat, page, items } = bound(
      await open([bash('echo out && touch made'), { text: 'ok' }], { hooks: { 'gate.ts': GATE } }),
    );
    const { send } = page();
    const run = chat.submit('go');
    const gate = await until(() => items('gate').find(item => item.state.type === 'open'), 'the question');
    send({ type: 'answer', id: gate.id, answer: 'Yes' });
    await run;
    assert.equal(items('tool')[0]?.state.type, 'done');
    assert.match(items('tool')[0]!.output, /out/);
    assert.ok(existsSync(join(rig!.cwd, 'made')));
  });

  it('closes the question as cancelled when the run is stopped, and does not run the tool', async () => {
    const { chat, items } = bound(await open([bash('touch made')], { hooks: { 'gate.ts': GATE } }));
    const run = chat.submit('go');
    await until(() => items('gate').find(item => item.state.type === 'open'), 'the question');
    await chat.conversation.run.stop();
    await run;
    assert.equal(items('gate')[0]?.state.type, 'cancelled');
    assert.equal(existsSync(join(rig!.cwd, 'made')), false);
    assert.equal(chat.conversation.run.isIdle, true);
  });

  it('asks two hooks one after the other, never at once', async () => {
    const { chat, page, items } = bound(
      await open([bash('true'), { text: 'ok' }], { hooks: { 'a.ts': GATE, 'b.ts': GATE } }),
    );
    const { send } = page();
    const run = chat.submit('go');
    for (const name of ['a.ts', 'b.ts']) {
      const gate = await until(() => items('gate').find(item => item.state.type === 'open'), name);
      assert.equal(gate.hook.name, name);
      send({ type: 'answer', id: gate.id, answer: 'Yes' });
    }
    await run;
    assert.equal(items('tool')[0]?.state.type, 'done');
  });

  it('blocks the tool when its hook throws, and shows the error with file and line', async () => {
    const thrower = `export default function (pi) {
  pi.on("tool_call", () => {
    throw new Error("cannot judge");
  });
}`;
    const { chat, items } = bound(
      await open([bash('touch made'), { text: 'ok' }], { hooks: { 'thrower.ts': thrower } }),
    );
    await chat.submit('go');
    assert.equal(items('tool')[0]?.state.type, 'blocked');
    assert.match(items('tool')[0]!.output, /^cannot judge$/);
    const notice = items('notice').find(item => item.text.includes('cannot judge'));
    assert.deepEqual([notice?.file?.line, notice?.hook?.name], [3, 'thrower.ts']);
    assert.equal(existsSync(join(rig!.cwd, 'made')), false);
  });

  it('steers a running agent, queues follow-ups, and gives queued texts back on stop', async () => {
    const { chat, page, items } = bound(
      await open([bash('true'), { text: 'ok' }, { text: 'late' }], { hooks: { 'gate.ts': GATE } }),
    );
    const { send } = page();
    const run = chat.submit('go');
    const gate = await until(() => items('gate').find(item => item.state.type === 'open'), 'the question');
    await chat.submit('look here', { delivery: 'steer' });
    await chat.submit('and then', { delivery: 'followUp' });
    assert.deepEqual(
      items('user').map(item => item.state),
      ['sent', 'steer', 'followUp'],
    );
    send({ type: 'answer', id: gate.id, answer: 'Yes' });
    await run;
    assert.deepEqual(
      items('user').map(item => [item.text, item.state]),
      [
        ['go', 'sent'],
        ['look here', 'sent'],
        ['and then', 'sent'],
      ],
    );
    assert.deepEqual(
      rig!.model.requests.map(request => request.messages.filter(message => message.role === 'user').length),
      [1, 2, 3],
    );
  });

  it('gives queued texts back to the composer when stopped', async () => {
    const { chat } = bound(await open(['hang']));
    const run = chat.submit('go');
    await until(() => (rig!.model.requests.length > 0 ? true : undefined), 'the request');
    await chat.submit('never sent', { delivery: 'followUp' });
    await chat.conversation.run.stop();
    await run;
    assert.equal(chat.composer.text, 'never sent');
    assert.deepEqual(
      rig!.items('user').map(item => item.text),
      ['go'],
    );
  });

  it('tries again after a passing failure, visibly, and keeps the failure out of the context', async () => {
    const retry = { enabled: true, maxRetries: 3, baseDelayMs: 0, maxAgentDelayMs: 0 };
    const { chat } = bound(
      await open([{ stopReason: 'error', errorMessage: '503 overloaded' }, { text: 'fine' }], { settings: { retry } }),
    );
    const phases: string[] = [];
    chat.status.onDidChange(() => phases.push(chat.status.current.phase.type));
    await chat.submit('go');
    assert.ok(phases.includes('retrying'));
    assert.deepEqual(
      rig!.model.requests[1]!.messages.map(message => message.role),
      ['user'],
    );
    assert.equal(phases.at(-1), 'idle');
  });

  it('does not try again what cannot pass, and shows the error', async () => {
    const { chat, items } = bound(await open([{ stopReason: 'error', errorMessage: '401 invalid key' }]));
    await chat.submit('go');
    assert.equal(rig!.model.requests.length, 1);
    assert.deepEqual([items('assistant')[0]?.state, items('assistant')[0]?.error], ['error', '401 invalid key']);
  });

  it('without a key says so, offers to set one, and keeps the text', async () => {
    const { chat, items } = bound(await open([], { hasKey: false }));
    await chat.conversation.models.use(
      { ...(chat.conversation.state.model ?? (undefined as never)), id: 'other', provider: 'acme', name: 'Acme' },
      'set',
    );
    await chat.submit('precious words');
    assert.equal(chat.composer.text, 'precious words');
    const [notice] = items('notice');
    assert.match(notice!.text, /acme/);
    assert.equal(notice?.actions?.[0]?.command, 'setApiKey');
    assert.equal(items('user').length, 0);
  });

  it('runs commands of hooks, also while the agent is at work', async () => {
    const hook = `export default function (pi) {
  pi.registerCommand("hello", { description: "Greets", handler: async (args, ctx) => { ctx.ui.notify("hello " + args, "info"); } });
}`;
    const { chat, items } = bound(await open(['hang'], { hooks: { 'hello.ts': hook } }));
    assert.ok(chat.commands.some(command => command.name === 'hello' && command.source === 'hook'));
    const run = chat.submit('go');
    await chat.submit('/hello  you');
    assert.ok(items('notice').some(item => item.text === 'hello  you' && item.hook?.name === 'hello.ts'));
    await chat.conversation.run.stop();
    await run;
  });

  it('gives a new page a snapshot equal to what an old page built from changes', async () => {
    const { chat, page } = bound(await open([{ text: 'one' }, bash('echo hi'), { text: 'two' }]));
    const old = page();
    await chat.submit('first');
    await chat.submit('second');
    await until(() => (old.got.at(-1)?.type === 'status' ? true : undefined), 'the last change');
    const fresh = page();
    const snapshot = fresh.got[0];
    assert.equal(snapshot?.type, 'snapshot');
    const revisions = old.got.flatMap(message => ('revision' in message ? [message.revision] : []));
    assert.deepEqual(
      revisions,
      revisions.map((_, index) => index + 1),
      'no revision is missing',
    );
    assert.deepEqual(rebuild(old.got), snapshot.items);
    old.dispose();
    fresh.dispose();
  });

  it('starts a new session, goes back to the old one, and branches from a message', async () => {
    const { chat, items } = bound(await open([{ text: 'one' }, { text: 'two' }, { text: 'three' }]));
    await chat.submit('first');
    await chat.submit('second');
    const old = chat.conversation.store.getSessionFile()!;
    await chat.conversation.sessions.newSession();
    assert.equal(items('user').length, 0);
    assert.notEqual(chat.conversation.store.getSessionFile(), old);
    await chat.conversation.sessions.switchTo(old);
    assert.deepEqual(
      items('user').map(item => item.text),
      ['first', 'second'],
    );
    await chat.edits.branchFrom(items('user')[1]!.id);
    assert.equal(chat.composer.text, 'second');
    assert.deepEqual(
      items('user').map(item => item.text),
      ['first'],
    );
    await chat.submit('second again');
    assert.deepEqual(
      rig!.model.requests.at(-1)!.messages.map(message => message.role),
      ['user', 'assistant', 'user'],
    );
    assert.deepEqual((await rig!.conversations.sessionList.list()).length, 2);
  });

  it('keeps sessions where a hook of extensions wants them', async () => {
    const hook = `import type { ExtensionAPI } from "@mariozechner/pi-coding-agent";
export default function (pi: ExtensionAPI) { pi.on("session_directory", event => ({ sessionDir: event.cwd + "/elsewhere" })); }`;
    const { chat } = bound(await open([{ text: 'ok' }], { hooks: { 'where.ts': hook } }));
    await chat.submit('hi');
    assert.equal(chat.conversation.store.getSessionDir(), join(rig!.cwd, 'elsewhere'));
    await chat.conversation.store.flush();
    assert.equal(existsSync(chat.conversation.store.getSessionFile()!), true);
  });

  it('stores what a hook appends as it was then', async () => {
    const hook = `export default function (pi) {
  const state = { n: 1 };
  pi.registerCommand("keep", { handler: async (args, ctx) => { pi.appendEntry("mine", state); state.n = 2; } });
}`;
    const { chat } = bound(await open([], { hooks: { 'keep.ts': hook } }));
    await chat.submit('/keep');
    const entry = chat.conversation.store.getEntries().find(candidate => candidate.type === 'custom');
    assert.deepEqual((entry as { data?: unknown }).data, { n: 1 });
  });

  it('a cancelling hook keeps the session', async () => {
    const hook = 'export default function (pi) { pi.on("session_before_switch", () => ({ cancel: true })); }';
    const { chat } = bound(await open([], { hooks: { 'stay.ts': hook } }));
    const before = chat.conversation.store.getSessionFile();
    assert.deepEqual(await chat.conversation.sessions.newSession(), { cancelled: true });
    assert.equal(chat.conversation.store.getSessionFile(), before);
  });

  it('compacts at the person’s wish; the model then sees the summary', async () => {
    const compaction = { enabled: true, reserveTokens: 100, keepRecentTokens: 5 };
    const { chat, items } = bound(
      await open(
        [{ text: 'a'.repeat(200) }, { text: 'b'.repeat(200) }, { text: 'SUMMARY' }, { text: 'TURN' }, { text: 'on' }],
        {
          settings: { compaction },
        },
      ),
    );
    await chat.submit('first');
    await chat.submit('second');
    const result = await chat.conversation.run.compact();
    assert.match(result.summary, /SUMMARY/);
    assert.ok(items('notice').some(item => item.detail?.includes('SUMMARY') === true));
    await chat.submit('third');
    assert.match(JSON.stringify(rig!.model.requests.at(-1)!.messages[0]), /SUMMARY/);
  });

  it('obeys a hook that was changed on disk, and keeps the last good version of a broken one', async () => {
    const { chat, items } = bound(
      await open([
        bash('true', 'a'),
        { text: 'ok' },
        bash('true', 'b'),
        { text: 'ok' },
        bash('true', 'c'),
        { text: 'ok' },
      ]),
    );
    await chat.submit('one');
    assert.equal(items('tool')[0]?.state.type, 'done');
    const block = 'export default function (pi) { pi.on("tool_call", () => ({ block: true, reason: "no bash" })); }';
    const file = join(rig!.cwd, '.pi', 'hooks', 'late.ts');
    const { mkdirSync } = await import('node:fs');
    mkdirSync(join(rig!.cwd, '.pi', 'hooks'), { recursive: true });
    writeFileSync(file, block);
    rig!.host.savedInEditor(file);
    await rig!.host.reload();
    await chat.submit('two');
    assert.equal(items('tool')[1]?.state.type, 'blocked');
    writeFileSync(file, `${block}\nconst = ;`);
    rig!.host.savedInEditor(file);
    await rig!.host.reload();
    const [info] = rig!.host.infos();
    assert.equal(info?.state.type, 'stale');
    assert.deepEqual(
      info.state.problems.map(problem => [problem.file, problem.line]),
      [[file, 2]],
    );
    await chat.submit('three');
    assert.equal(items('tool')[2]?.state.type, 'blocked');
  });
});

/** The parts a test uses most, with `items` and `page` bound. */
function bound(rig: Rig): Pick<Rig, 'chat' | 'items' | 'page'> {
  return { chat: rig.chat, items: rig.items.bind(rig), page: rig.page.bind(rig) };
}

/** What a page makes of its messages, in the simplest way. */
function rebuild(messages: readonly HostToWebview[]): unknown[] {
  const items = new Map<string, Record<string, unknown>>();
  for (const message of messages) {
    if (message.type === 'snapshot') {
      items.clear();
      for (const item of message.items) items.set(item.id, { ...item });
    } else if (message.type === 'item') items.set(message.item.id, { ...message.item });
    else if (message.type === 'remove') items.delete(message.id);
    else if (message.type === 'toolState') items.get(message.id)!['state'] = message.state;
    else if (message.type === 'output') {
      const item = items.get(message.id)!;
      item['output'] = message.reset ? message.append : `${String(item['output'])}${message.append}`;
    } else if (message.type === 'text') {
      const item = items.get(message.id)!;
      const blocks = [...(item['blocks'] as { type: string; text: string }[])];
      const block = blocks[message.block] ?? { type: message.blockType, text: '' };
      blocks[message.block] = { ...block, text: block.text + message.append };
      item['blocks'] = blocks;
    }
  }
  return [...items.values()];
}
