import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
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

const ENABLED: RigOptions = { settings: { todo: { enabled: true, reminders: true } } };

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

  it('are offered when the settings say so or a hook waits for reminders, not otherwise', async () => {
    const plain = await open([{ text: 'ok' }]);
    await plain.chat.submit('go');
    assert.equal(offered(plain), false);
    await plain.close();
    const wished = await open([{ text: 'ok' }], ENABLED);
    await wished.chat.submit('go');
    assert.equal(offered(wished), true);
    await wished.close();
    const heard = await open([{ text: 'ok' }], { hooks: { 'listen.ts': LISTENER } });
    await heard.chat.submit('go');
    assert.equal(offered(heard), true);
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
    const opened = await open([call, { text: 'ok' }], { ...ENABLED, extensions: { 'todo.ts': hook } });
    await opened.chat.submit('go');
    assert.deepEqual(
      opened.model.requests[0]?.tools?.filter(({ name }) => name === 'todo').map(({ description }) => description),
      ['mine'],
    );
    assert.equal(opened.model.requests.length, 2);
  });
});
