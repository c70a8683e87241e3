import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Todo } from '../../../src/agent/tools/todo';
import { Rig, type RigOptions } from '../../support/conversation-rig';
import type { Script } from '../../support/scripted-stream';

const LISTENER = `import { appendFileSync } from "node:fs";
import { join } from "node:path";
import type { HookAPI } from "@oh-my-pi/pi-coding-agent/hooks";
export default function (pi: HookAPI) {
  pi.on("todo_reminder", event => {
    const left = event.todos.map((todo: { content: string; status: string }) => todo.content + ":" + todo.status).join();
    appendFileSync(join(__dirname, "log"), left + " " + event.attempt + "/" + event.maxAttempts + "\\n");
  });
}`;

const ENABLED: RigOptions = { settings: { todo: { enabled: true } } };
const DISABLED: RigOptions = { settings: { todo: { enabled: false } } };
const SHOWN: RigOptions = { showsTodos: true };
const ANSWERS: readonly Script[] = [{ text: 'a' }, { text: 'b' }];

function write(...states: readonly string[]): Script {
  const todos = states.map((status, index) => ({ content: `t${index + 1}`, status }));
  return { calls: [{ id: `c${states.join()}`, name: 'todo', args: { todos } }] };
}

describe('todos in a conversation', () => {
  let rig: Rig | undefined;

  async function open(script: readonly Script[], options: RigOptions = {}): Promise<Rig> {
    rig = await Rig.open(script, options);
    return rig;
  }

  afterEach(async () => {
    await rig?.close();
    rig = undefined;
  });

  const offered = ({ model }: Rig): boolean | undefined =>
    model.requests.at(-1)?.tools?.some(({ name }) => name === 'todo');
  const reminders = ({ chat }: Rig): number =>
    chat.conversation.run.agent.messages.filter(
      message => message.role === 'custom' && message.customType === 'todo-reminder',
    ).length;

  for (const [where, options, isOffered] of [
    ['nobody asks for them', {}, false],
    ['the settings say so', ENABLED, true],
    ['the view shows them', SHOWN, true],
    ['a hook waits for reminders', { hooks: { 'listen.ts': LISTENER } }, true],
    [
      'the settings say no, whatever view and hooks do',
      { ...SHOWN, ...DISABLED, hooks: { 'listen.ts': LISTENER } },
      false,
    ],
    [
      'the view shows them and defaultTools leaves them on',
      { ...SHOWN, settings: { todo: {}, defaultTools: ['-ls'] } },
      true,
    ],
    [
      'the view shows them and defaultTools leaves them out',
      { ...SHOWN, settings: { todo: {}, defaultTools: ['ls'] } },
      false,
    ],
    [
      'the view shows them and defaultTools turns them off',
      { ...SHOWN, settings: { todo: {}, defaultTools: ['-todo'] } },
      false,
    ],
  ] satisfies readonly (readonly [string, RigOptions, boolean])[]) {
    it(`are ${isOffered ? '' : 'not '}offered where ${where}`, async () => {
      const opened = await open([{ text: 'ok' }], options);
      await opened.chat.submit('go');
      assert.equal(offered(opened), isOffered);
    });
  }

  it('of a view are not reminded of, unless the settings say so', async () => {
    const script = [write('pending'), { text: 'What do you want?' }];
    const usual = await open(script, SHOWN);
    await usual.chat.submit('go');
    assert.equal(reminders(usual), 0);
    await usual.close();
    const still = { text: 'no' };
    const wished = await open([...script, still, still, still], { ...SHOWN, settings: { todo: { reminders: true } } });
    await wished.chat.submit('go');
    assert.equal(reminders(wished), 3);
  });

  it('that are unfinished when the agent would stop make it go on, hooks told', async () => {
    const opened = await open(
      [write('in_progress', 'pending'), { text: 'tired' }, write('completed', 'completed'), { text: 'done' }],
      { hooks: { 'listen.ts': LISTENER } },
    );
    await opened.chat.submit('go');
    assert.equal(readFileSync(join(opened.cwd, '.pi/hooks/log'), 'utf8'), 't1:in_progress,t2:pending 1/3\n');
    const reminder = JSON.stringify(opened.model.requests[2]?.messages.at(-1));
    assert.match(reminder, /todo list is not finished/);
    assert.match(reminder, /\[>\] t1\\n\[ \] t2/);
    assert.equal(opened.items('custom').length, 0);
    assert.equal(opened.chat.conversation.run.isIdle, true);
  });

  it('are reminded of three times, and again after the list changed', async () => {
    const still = { text: 'no' };
    const opened = await open(
      [write('pending'), still, still, still, still, still, write('in_progress'), still, still, still, still],
      ENABLED,
    );
    await opened.chat.submit('go');
    assert.equal(reminders(opened), 3);
    await opened.chat.submit('well?');
    assert.equal(reminders(opened), 3);
    await opened.chat.submit('and now?');
    assert.equal(reminders(opened), 6);
  });

  it('are reminded of three times in each session, although the lists are the same', async () => {
    const session: readonly Script[] = [write('pending'), ...Array.from({ length: 4 }, () => ({ text: 'no' }))];
    const opened = await open([...session, ...session], ENABLED);
    await opened.chat.submit('go');
    await opened.chat.submit('/new');
    await opened.chat.submit('go');
    assert.equal(reminders(opened), 3);
  });

  it('are not reminded of when reminders are off, when the run failed, or when it was stopped', async () => {
    const settings: RigOptions['settings'] = { todo: { enabled: true, reminders: false } };
    const off = await open([write('pending'), { text: 'stop' }], { settings, hooks: { 'listen.ts': LISTENER } });
    await off.chat.submit('go');
    assert.equal(off.model.requests.length, 2);
    await off.close();
    const failed = await open([write('pending'), { stopReason: 'error', errorMessage: 'no such model' }], ENABLED);
    await failed.chat.submit('go');
    assert.equal(failed.model.requests.length, 2);
    await failed.close();
    const hook = `export default function (pi) { pi.on("todo_reminder", (event, ctx) => { ctx.abort(); }); }`;
    const stopped = await open([write('pending'), { text: 'stop' }], { hooks: { 'stop.ts': hook } });
    await stopped.chat.submit('go');
    assert.equal(stopped.model.requests.length, 2);
    assert.equal(stopped.chat.conversation.run.isIdle, true);
  });

  it('come back with the session, and follow it when another begins', async () => {
    const first = await open([write('pending'), { text: 'a' }, { text: 'b' }, { text: 'c' }, { text: 'd' }], ENABLED);
    await first.chat.submit('go');
    await first.close(true);
    const second = await open([{ text: 'e' }, { text: 'f' }, { text: 'g' }, { text: 'h' }, { text: 'i' }], {
      ...ENABLED,
      root: first.root,
      resume: true,
    });
    await second.chat.submit('on');
    assert.equal(second.model.requests.length, 4);
    await second.chat.submit('/new');
    await second.chat.submit('fresh');
    assert.equal(second.model.requests.length, 5);
  });

  it('leave a hook its own todo tool', async () => {
    const hook = `import { Type } from "@sinclair/typebox";
export default function (pi) {
  pi.registerTool({ name: "todo", label: "Todo", description: "mine", parameters: Type.Object({ action: Type.String() }),
    execute: async () => ({ content: [{ type: "text", text: "mine" }], details: { todos: [{ id: 1, text: "x", done: false }] } }) });
}`;
    const call: Script = { calls: [{ id: 'c', name: 'todo', args: { action: 'add' } }] };
    const opened = await open([call, { text: 'ok' }], { ...SHOWN, ...ENABLED, extensions: { 'todo.ts': hook } });
    const told = listsOf(opened);
    await opened.chat.submit('go');
    assert.deepEqual([told, opened.conversation.todos.current], [[], []]);
    assert.deepEqual(opened.host.problems(), []);
    assert.deepEqual(
      opened.model.requests[0]?.tools?.filter(({ name }) => name === 'todo').map(({ description }) => description),
      ['mine'],
    );
    assert.equal(opened.model.requests.length, 2);
  });

  const states = (todos: readonly Todo[]): string => todos.map(({ status }) => status).join();
  /** The lists that are told from now on. */
  function listsOf({ conversation }: Rig): string[] {
    const told: string[] = [];
    conversation.onDidHappen(event => {
      if (event.type === 'todos_changed') told.push(states(event.todos));
    });
    return told;
  }

  it('are told to programs when they change, and are over when all is finished and the user goes on', async () => {
    const opened = await open(
      [write('in_progress', 'pending'), write('in_progress', 'pending'), write('completed', 'abandoned'), ...ANSWERS],
      SHOWN,
    );
    const told = listsOf(opened);
    await opened.chat.submit('go');
    assert.deepEqual(told, ['in_progress,pending', 'completed,abandoned']);
    assert.equal(opened.conversation.todos.current.length, 2);
    await opened.chat.submit('and now');
    assert.deepEqual(told, ['in_progress,pending', 'completed,abandoned', '']);
    assert.deepEqual(opened.conversation.todos.current, []);
  });

  it('are what the current branch says, and what the settings let the agent have', async () => {
    const opened = await open([write('pending'), { text: 'a' }, write('in_progress'), { text: 'b' }], SHOWN);
    await opened.chat.submit('one');
    await opened.chat.submit('two');
    const told = listsOf(opened);
    const { store, tree, state } = opened.conversation;
    const [, second] = state.readTranscript().messages.filter(({ role }) => role === 'user');
    const end = store.getLeafId() ?? '';
    await tree.navigate((second && state.entryIdOf(second)) ?? '');
    assert.deepEqual(told, ['pending']);
    await tree.navigate(end);
    await opened.chat.submit('/new');
    assert.deepEqual(told, ['pending', 'in_progress', '']);
  });

  it('of a call that a hook answers differently are those of the answer', async () => {
    const hook = `export default function (pi) {
  pi.on("tool_result", event => event.toolName === "todo"
    ? { details: { todos: [{ content: "of the hook", status: "completed" }] } } : undefined);
}`;
    const opened = await open([write('pending'), { text: 'ok' }], { ...SHOWN, extensions: { 'change.ts': hook } });
    await opened.chat.submit('go');
    assert.deepEqual(opened.conversation.todos.current, [{ content: 'of the hook', status: 'completed' }]);
  });
});
