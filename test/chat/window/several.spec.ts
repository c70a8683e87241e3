import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import type { Chat } from '../../../src/chat/chat';
import { OPEN_LIMIT } from '../../../src/chat/window/conversations';
import type { Question } from '../../../src/session/ports/dialogs';
import { Rig, until, type RigOptions } from '../../support/conversation-rig';
import { ScriptedStream, type Script } from '../../support/scripted-stream';

/** Notes in which session each step happened, before and after awaiting something. */
const WITNESS = `import type { ExtensionAPI } from "@mariozechner/pi-coding-agent";
import { appendFileSync } from "node:fs";
export default function (pi: ExtensionAPI) {
  const note = (ctx, text) => appendFileSync(ctx.cwd + "/witness.txt", ctx.sessionManager.getSessionId() + " " + text + "\\n");
  for (const name of ["session_before_switch", "session_switch", "session_start", "session_before_tree", "session_tree"])
    pi.on(name, (e, ctx) => note(ctx, name + " " + (e.reason ?? "")));
  pi.on("tool_call", async (event, ctx) => {
    note(ctx, "call " + event.toolCallId);
    const answer = await ctx.ui.confirm("May " + event.toolCallId + "?", "");
    await new Promise(resolve => setImmediate(resolve));
    note(ctx, (answer ? "allowed " : "refused ") + event.toolCallId);
    pi.appendEntry("verdict", { call: event.toolCallId, answer });
    if (!answer) return { block: true, reason: "no " + event.toolCallId };
  });
  pi.on("agent_end", (_e, ctx) => note(ctx, "end"));
}`;

function call(id: string, command = 'echo ran'): Script {
  return { calls: [{ id, name: 'bash', args: { command } }] };
}

/** A model that follows the script of the conversation whose first message names it. */
function scripts(byWord: Readonly<Record<string, readonly Script[]>>): NonNullable<RigOptions['stream']> {
  const models = Object.entries(byWord).map(([word, script]) => ({ word, model: new ScriptedStream(...script) }));
  return (model, context, options) => {
    const said = JSON.stringify(context.messages[0]);
    const found = models.find(({ word }) => said.includes(word));
    if (found === undefined) throw new Error(`no script for ${said}`);
    return found.model.stream(model, context, options);
  };
}

function openQuestions({ conversation }: Chat): number {
  return conversation.questions.openCount;
}

describe('several conversations in one window', function () {
  this.timeout(20_000);
  let rig: Rig | undefined;

  async function open(byWord: Readonly<Record<string, readonly Script[]>>, options: RigOptions = {}): Promise<Rig> {
    rig = await Rig.open([], { stream: scripts(byWord), ...options });
    return rig;
  }

  afterEach(async () => {
    await rig?.close();
    rig = undefined;
  });

  const witness = (opened: Rig, chat: Chat): readonly string[] =>
    readFileSync(`${opened.cwd}/witness.txt`, 'utf8')
      .split('\n')
      .filter(line => line.startsWith(chat.conversation.store.getSessionId()))
      .map(line => line.slice(line.indexOf(' ') + 1));

  /** Questions that were shown and not answered yet, as a view gets them. */
  function viewOf(opened: Rig): { readonly now: () => Question | undefined; answer(value: boolean): void } {
    let current: { question: Question; answer: (value: boolean | undefined) => void } | undefined;
    opened.dialogs.addView({
      show: (question, answer) => {
        current = { question, answer };
        return { dispose: () => (current = undefined) };
      },
    });
    return {
      now: () => current?.question,
      answer: value => {
        current?.answer(value);
      },
    };
  }

  async function twoRunning(
    opened: Rig,
    isUnderWay = (first: Chat): boolean => !first.conversation.run.isIdle,
  ): Promise<{ first: Chat; second: Chat; sent: Promise<void>[] }> {
    const first = opened.chat;
    const sent = [first.submit('apple please')];
    await until(() => (isUnderWay(first) ? true : undefined), 'the first run');
    await opened.conversations.newSession();
    const second = opened.chat;
    assert.notEqual(second, first);
    sent.push(second.submit('pear please'));
    return { first, second, sent };
  }

  it('run side by side: gates, tools, entries and ctx of each stay its own, also after awaits', async () => {
    const opened = await open(
      {
        apple: [call('a1'), call('a2'), { text: 'apples done' }],
        pear: [call('p1'), call('p2'), { text: 'pears done' }],
      },
      { extensions: { 'witness.ts': WITNESS } },
    );
    const dialogs = viewOf(opened);
    const { first, second, sent } = await twoRunning(opened, first => openQuestions(first) === 1);
    await until(() => (openQuestions(first) === 1 && openQuestions(second) === 1 ? true : undefined), 'two gates');
    assert.equal(opened.dialogs.size, 2, 'one is shown, the other waits');
    const asked: string[] = [];
    while (asked.length < 4) {
      const question = await until(dialogs.now, 'a question');
      asked.push(`${question.title} ${question.conversation ?? '-'}`);
      dialogs.answer(!question.title.includes('p1'));
    }
    await Promise.all(sent);
    assert.deepEqual([...asked].sort(), [
      'May a1? -',
      'May a2? apple please',
      'May p1? pear please',
      'May p2? pear please',
    ]);
    const end = ['session_start startup', 'call a1', 'allowed a1', 'call a2', 'allowed a2', 'end'];
    assert.deepEqual(
      witness(opened, first).filter(line => line !== 'session_before_switch new'),
      end,
    );
    assert.deepEqual(witness(opened, second), [
      'session_switch new',
      'session_start new',
      'call p1',
      'refused p1',
      'call p2',
      'allowed p2',
      'end',
    ]);
    for (const [chat, own, other] of [
      [first, 'a', 'p'],
      [second, 'p', 'a'],
    ] as const) {
      const entries = JSON.stringify(chat.conversation.store.getEntries());
      for (const id of ['1', '2']) {
        assert.ok(entries.includes(`"call":"${own}${id}"`), `verdict on ${own}${id} is in its session`);
        assert.equal(entries.includes(`"${other}${id}"`), false, `nothing of ${other}${id} in the other session`);
      }
    }
    const tools = second.model.items.filter(item => item.kind === 'tool');
    assert.deepEqual(
      tools.map(item => item.state.type),
      ['blocked', 'done'],
    );
  });

  it('are aborted one by one: the question of the other stays, and so does its run', async () => {
    const opened = await open(
      { apple: [call('a1'), { text: 'apples done' }], pear: [call('p1'), { text: 'pears done' }] },
      { extensions: { 'witness.ts': WITNESS } },
    );
    const dialogs = viewOf(opened);
    const { first, second, sent } = await twoRunning(opened);
    await until(() => (opened.dialogs.size === 2 ? true : undefined), 'two gates');
    await first.conversation.run.stop();
    assert.equal(first.conversation.run.phase.type, 'idle');
    assert.equal(second.conversation.run.phase.type, 'running');
    const left = await until(() => dialogs.now(), 'the question of the other');
    assert.match(left.title, /p1/);
    dialogs.answer(true);
    await Promise.all(sent);
    assert.equal(second.conversation.run.agent.messages.length, 5);
    assert.deepEqual(witness(opened, second).slice(-2), ['allowed p1', 'end']);
  });

  it('go on while another is shown, and are marked: running, asking, unread, failed', async () => {
    const opened = await open(
      {
        apple: [call('a1', 'true'), { text: 'apples done' }],
        pear: [{ text: 'pears done' }],
        plum: [{ stopReason: 'error', errorMessage: 'plums are out' }],
      },
      { extensions: { 'witness.ts': WITNESS }, settings: { retry: noRetry } },
    );
    const dialogs = viewOf(opened);
    const states = (): Record<string, string> =>
      Object.fromEntries(opened.conversations.tabs.map(({ title, state }) => [title, state]));
    const { first, second, sent } = await twoRunning(opened);
    await sent[1];
    await until(() => dialogs.now(), 'the gate');
    assert.deepEqual(states(), { 'apple please': 'asking', 'pear please': 'idle' });
    await opened.conversations.openBeside();
    const third = opened.chat;
    const plum = third.submit('plum please');
    opened.conversations.show(second.id);
    dialogs.answer(true);
    await Promise.all([...sent, plum]);
    assert.deepEqual(states(), { 'apple please': 'unread', 'pear please': 'idle', 'plum please': 'failed' });
    assert.equal(opened.conversations.stateOf(first.conversation.store.getSessionFile()!), 'unread');
    opened.conversations.show(first.id);
    opened.conversations.show(third.id);
    assert.deepEqual(states(), { 'apple please': 'idle', 'pear please': 'idle', 'plum please': 'idle' });
  });

  it('tell each page of themselves, and give it a snapshot of the one that is shown', async () => {
    const opened = await open({ apple: [{ text: 'apples' }], pear: [{ text: 'pears' }] });
    const page = opened.page();
    await opened.chat.submit('apple please');
    page.send({ type: 'newConversation' });
    await until(() => opened.conversations.all[1], 'the second');
    await opened.chat.submit('pear please');
    const [first, second] = opened.conversations.tabs;
    page.send({ type: 'showConversation', id: first!.id });
    const snapshot = page.got.findLast(message => message.type === 'snapshot');
    assert.ok(snapshot?.type === 'snapshot');
    assert.match(JSON.stringify(snapshot.items), /apples/);
    assert.doesNotMatch(JSON.stringify(snapshot.items), /pears/);
    const told = page.got.findLast(message => message.type === 'conversations');
    assert.deepEqual(told, {
      type: 'conversations',
      conversations: [
        { id: first!.id, title: 'apple please', state: 'idle', shown: true },
        { id: second!.id, title: 'pear please', state: 'idle', shown: false },
      ],
    });
    page.send({ type: 'closeConversation', id: second!.id });
    await until(() => (opened.conversations.all.length === 1 ? true : undefined), 'the end of the second');
    page.dispose();
  });

  it('take a text to the conversation that the page had drawn when it was sent', async () => {
    const opened = await open({ apple: [{ text: 'apples' }] });
    const page = opened.page();
    const first = opened.chat;
    const key = first.conversation.state.key;
    await opened.conversations.openBeside();
    page.send({ type: 'draft', text: 'half a thought', conversation: key, was: '' });
    assert.equal(first.composer.text, 'half a thought');
    assert.equal(opened.chat.composer.text, '');
    page.send({ type: 'submit', text: 'apple please', delivery: 'steer', images: [], conversation: key });
    await until(() => (first.conversation.run.agent.messages.length === 3 ? true : undefined), 'the answer');
    assert.equal(opened.chat.conversation.run.agent.messages.length, 0);
    page.dispose();
  });

  it('keep a draft, its images and the place for each session', async () => {
    const opened = await open({ apple: [{ text: 'apples' }] });
    const page = opened.page();
    const last = (): Extract<(typeof page.got)[number], { type: 'snapshot' }> => {
      const snapshot = page.got.findLast(message => message.type === 'snapshot');
      assert.ok(snapshot?.type === 'snapshot');
      return snapshot;
    };
    await opened.chat.submit('apple please');
    const { id } = opened.chat;
    const key = last().conversation;
    const image = { type: 'image', mimeType: 'image/png', data: 'AAAA' } as const;
    page.send({ type: 'draft', text: 'and then', conversation: key, was: '' });
    page.send({ type: 'attachments', images: [image], conversation: key });
    page.send({ type: 'scrolled', conversation: key, scroll: { id: 'user:1', offset: -4 } });
    await opened.conversations.newSession();
    assert.deepEqual([last().draft, last().attachments, last().scroll], ['', undefined, undefined]);
    assert.equal(opened.chat.id, id, 'an idle conversation begins the new session itself');
    await opened.conversations.resume(
      (await opened.conversations.sessionList.list()).find(({ firstText }) => firstText === 'apple please')!.file,
    );
    assert.deepEqual(
      [last().draft, last().attachments, last().scroll],
      ['and then', [image], { id: 'user:1', offset: -4 }],
    );
    page.dispose();
  });

  it('never have one file open twice: going to it shows the conversation that has it', async () => {
    const opened = await open({ apple: ['hang'], pear: [{ text: 'pears' }] });
    const { first, second, sent } = await twoRunning(opened);
    await sent[1];
    const file = first.conversation.store.getSessionFile()!;
    await opened.conversations.resume(file);
    assert.equal(opened.chat, first);
    opened.conversations.show(second.id);
    assert.deepEqual(await second.conversation.forHooks.switchSession(file), { cancelled: true });
    assert.equal(opened.chat, first);
    assert.equal(second.conversation.store.getSessionFile() === file, false);
    assert.equal(opened.conversations.all.length, 2);
    await first.conversation.run.stop();
    await sent[0];
  });

  it('open beside one that is at work, when the person resumes another session or begins one by command', async () => {
    const opened = await open({ apple: [{ text: 'apples' }], pear: ['hang'] });
    await opened.chat.submit('apple please');
    const file = opened.chat.conversation.store.getSessionFile()!;
    await opened.chat.conversation.store.flush();
    await opened.chat.submit('/new');
    assert.equal(opened.conversations.all.length, 1);
    const running = opened.chat;
    const sent = running.submit('pear please');
    await until(() => (running.conversation.run.isIdle ? undefined : true), 'the run');
    await opened.conversations.resume(file);
    assert.equal(opened.conversations.all.length, 2);
    assert.equal(opened.chat.conversation.store.getSessionFile(), file);
    opened.conversations.show(running.id);
    await running.submit('/new');
    assert.equal(opened.conversations.all.length, 3);
    assert.equal(running.conversation.run.phase.type, 'running');
    await running.conversation.run.stop();
    await sent;
  });

  it('do not open a file twice when the person asks for it twice in a row', async () => {
    const opened = await open({ apple: [{ text: 'apples' }], pear: ['hang'] });
    await opened.chat.submit('apple please');
    const file = opened.chat.conversation.store.getSessionFile()!;
    await opened.chat.conversation.store.flush();
    await opened.conversations.newSession();
    const again = [file, file].map(each => opened.conversations.resume(each));
    await Promise.all(again);
    assert.deepEqual([opened.conversations.all.length, opened.chat.conversation.store.access], [1, { kind: 'write' }]);
    await opened.conversations.newSession();
    const running = opened.chat;
    const sent = running.submit('pear please');
    await until(() => (running.conversation.run.isIdle ? undefined : true), 'the run');
    await Promise.all([file, file].map(each => opened.conversations.resume(each)));
    assert.deepEqual([opened.conversations.all.length, opened.chat.conversation.store.access], [2, { kind: 'write' }]);
    assert.equal(opened.chat.conversation.store.getSessionFile(), file);
    await running.conversation.run.stop();
    await sent;
  });

  it('open beside only when hooks let them', async () => {
    const opened = await open(
      { apple: ['hang'] },
      {
        hooks: {
          'no.ts': `import type { HookAPI } from "@mariozechner/pi-coding-agent/hooks";
export default function (pi: HookAPI) { pi.on("session_before_switch", () => ({ cancel: true })); }`,
        },
      },
    );
    const sent = opened.chat.submit('apple please');
    await until(() => (opened.chat.conversation.run.isIdle ? undefined : true), 'the run');
    await opened.conversations.newSession();
    assert.equal(opened.conversations.all.length, 1);
    await opened.chat.conversation.run.stop();
    await sent;
  });

  it('close by themselves beyond the limit: the longest not shown, never one that is unread or at work', async () => {
    const opened = await open({ apple: ['hang'], pear: [{ text: 'pears' }] });
    const { first, second, sent } = await twoRunning(opened);
    await opened.conversations.openBeside();
    const third = opened.chat.id;
    await sent[1];
    for (let index = 3; index <= OPEN_LIMIT; index++) await opened.conversations.openBeside();
    const ids = opened.conversations.all.map(({ id }) => id);
    assert.equal(ids.length, OPEN_LIMIT);
    assert.ok(ids.includes(first.id) && ids.includes(second.id) && !ids.includes(third), ids.join());
    await first.conversation.run.stop();
    await sent[0];
  });

  it('stay when they hold only a draft: new, resumed and many others open beside, and it is still there', async () => {
    const opened = await open({ apple: [{ text: 'apples' }] });
    const { conversations } = opened;
    await opened.chat.submit('apple please');
    await opened.chat.conversation.store.flush();
    const file = opened.chat.conversation.store.getSessionFile()!;
    await conversations.newSession();
    const drafted = opened.chat;
    drafted.composer.text = 'a long thought';
    await conversations.resume(file);
    assert.notEqual(opened.chat, drafted, 'resumed beside');
    conversations.show(drafted.id);
    await conversations.newSession();
    assert.notEqual(opened.chat, drafted, 'begun beside');
    for (let index = 0; index <= OPEN_LIMIT; index++) await conversations.openBeside();
    assert.equal(conversations.all.length, OPEN_LIMIT);
    assert.ok(conversations.show(drafted.id), 'it made no room');
    assert.equal(opened.chat.composer.text, 'a long thought');
    drafted.composer.text = '';
    await conversations.newSession();
    assert.equal(opened.chat, drafted, 'an empty one begins the new session itself');
  });

  it('ask before a draft is lost that no session leads back to, whichever way they are closed', async () => {
    const opened = await open({ apple: [{ text: 'apples' }] });
    const { conversations } = opened;
    const page = opened.page();
    const asked = (): string[] => opened.editorCalls.filter(line => line.startsWith('confirm'));
    await opened.chat.submit('apple please');
    await conversations.openBeside();
    const drafted = opened.chat;
    drafted.composer.text = `a long thought ${'x'.repeat(400)}`;
    opened.changes.answers.push(false, true, true);
    page.send({ type: 'closeConversation', id: drafted.id });
    await until(() => asked()[0], 'the question');
    assert.match(asked()[0]!, /“New session” has an unsent draft\. Discard it\? a long thought x{284}…$/);
    assert.deepEqual([conversations.all.length, drafted.composer.text.length], [2, 415], 'it stays, with its draft');
    page.send({ type: 'closeConversation', id: drafted.id });
    await until(() => (conversations.all.length === 1 ? true : undefined), 'its end');
    opened.chat.composer.text = 'belongs to a session';
    assert.equal(await conversations.mayEnd(opened.chat.id, 'close'), true);
    assert.equal(asked().length, 2, 'a draft of a session waits for it, and nobody is asked');
    await conversations.newSession();
    opened.chat.composer.text = 'the last one';
    assert.equal(await conversations.mayEnd(opened.chat.id, 'close'), true);
    assert.equal(asked().length, 3, 'the last conversation holds a draft, too');
    await conversations.close(opened.chat.id);
    assert.equal(opened.chat.composer.text, '');
    page.dispose();
  });

  it('leave the neighbour alone when one is closed twice', async () => {
    const opened = await open({ apple: [{ text: 'apples' }] });
    const { conversations } = opened;
    await opened.chat.submit('apple please');
    const neighbour = opened.chat;
    const { store } = neighbour.conversation;
    await conversations.openBeside();
    const { id } = opened.chat;
    await Promise.all([conversations.close(id), conversations.close(id)]);
    assert.deepEqual(conversations.all, [neighbour]);
    assert.equal(neighbour.conversation.store, store, 'it has its session still');
  });

  it('ask before a run is ended for the page to close one, or to delete its session; an idle one just goes', async () => {
    const opened = await open({ apple: ['hang'], pear: [{ text: 'pears' }] });
    const page = opened.page();
    const { first, second, sent } = await twoRunning(opened);
    await sent[1];
    const asked = (): string[] => opened.editorCalls.filter(line => line.startsWith('confirm'));
    opened.changes.answers.push(false, true, true);
    page.send({ type: 'closeConversation', id: first.id });
    await until(() => asked()[0], 'the question');
    assert.match(asked()[0]!, /“apple please” is still running. Stop and close it\?/);
    assert.equal(await opened.conversations.mayEnd(first.id, 'delete'), true);
    assert.match(asked()[1]!, /Stop and delete it\?/);
    assert.deepEqual(
      [first.conversation.run.phase.type, opened.conversations.all.length],
      ['running', 2],
      'it goes on',
    );
    page.send({ type: 'closeConversation', id: first.id });
    await until(() => (opened.conversations.all.length === 1 ? true : undefined), 'the end of the first');
    await sent[0];
    assert.equal(await opened.conversations.mayEnd(second.id, 'close'), true);
    assert.equal(asked().length, 3);
    page.dispose();
  });

  it('never take a text that was written for a session nobody has any more: it is back in the composer', async () => {
    const opened = await open({ pear: [{ text: 'pears' }] });
    const page = opened.page();
    const image = { type: 'image', mimeType: 'image/png', data: 'AAAA' } as const;
    const files = [{ name: 'log.txt', text: 'words' }];
    opened.chat.composer.text = 'mine';
    page.send({
      type: 'submit',
      text: 'pear please',
      delivery: 'steer',
      images: [image],
      files,
      conversation: 'gone.jsonl',
    });
    await until(() => opened.items('notice')[0], 'the notice');
    assert.match(opened.items('notice')[0]!.text, /was not sent/);
    assert.deepEqual(opened.chat.composer.draft, { text: 'pear please\n\nmine', images: [image], files });
    assert.deepEqual(opened.chat.conversation.run.agent.messages, []);
    page.dispose();
  });

  it('come to the front when the person goes to one by command, and stay in their editor tab', async () => {
    const opened = await open({ apple: [{ text: 'apples' }], pear: ['hang'] });
    await opened.chat.submit('apple please');
    const first = opened.chat;
    await first.conversation.store.flush();
    const second = (await opened.conversations.openBeside())!;
    const sent = opened.chat.submit('pear please');
    await until(() => (second.run.isIdle ? undefined : true), 'the run');
    opened.conversations.setEditorTab(first.id, 'behind');
    const went = (): string[] => opened.editorCalls.splice(0).filter(call => call.startsWith('revealChat'));
    assert.deepEqual(went(), []);
    await opened.chat.submit(`/resume ${first.conversation.store.getSessionId()}`);
    assert.deepEqual(went(), [`revealChat ${first.id}`]);
    assert.deepEqual([opened.chat, opened.conversations.shown.id], [first, second.id]);
    opened.conversations.activate(second.id);
    await opened.chat.submit('/new');
    assert.deepEqual(went(), [`revealChat ${opened.chat.id}`]);
    assert.equal(opened.conversations.shown, opened.chat, 'it opened beside the one that works');
    await opened.chat.submit('/new');
    assert.deepEqual(went(), [], 'nothing to go to');
    await second.run.stop();
    await sent;
  });

  it('show title and texts that a hook sets only while they are shown', async () => {
    const opened = await open({ apple: ['hang'] });
    const first = opened.chat;
    const sent = first.submit('apple please');
    await until(() => (first.conversation.run.isIdle ? undefined : true), 'the run');
    await opened.conversations.newSession();
    const origin = { hookPath: '/h.ts', event: 'x' };
    first.conversation.forHooks.ui.setTitle('first title');
    first.conversation.forHooks.ui.setStatus('k', 'text', origin);
    first.conversation.forHooks.ui.notify('psst', 'info', origin);
    assert.equal(opened.editorCalls.includes('setTitle first title'), false);
    assert.ok(opened.editorCalls.some(line => line.startsWith('notify psst (in “apple please”)')));
    opened.conversations.show(first.id);
    assert.ok(opened.editorCalls.includes('setTitle first title'));
    await first.conversation.run.stop();
    await sent;
  });
});

const noRetry = { enabled: false, maxRetries: 0, baseDelayMs: 1, maxAgentDelayMs: 1 };
