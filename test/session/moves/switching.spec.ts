import assert from 'node:assert/strict';
import { Rig, until, type RigOptions } from '../../support/conversation-rig';
import type { Script } from '../../support/scripted-stream';
import { isSaid } from '../../support/said';

const HANG = '() => new Promise(() => undefined)';
const sleeps: Script = { calls: [{ id: 's1', name: 'bash', args: { command: 'sleep 20' } }] };

function extension(body: string): NonNullable<RigOptions['extensions']> {
  return {
    'x.ts': `import type { ExtensionAPI } from "@mariozechner/pi-coding-agent";
export default function (pi: ExtensionAPI) { ${body} }`,
  };
}

describe('switching sessions', function () {
  this.timeout(20_000);
  let rig: Rig | undefined;

  async function open(script: readonly Script[], options: RigOptions = {}): Promise<Rig> {
    rig = await Rig.open(script, options);
    return rig;
  }

  afterEach(async () => {
    await rig?.close();
    rig = undefined;
  });

  /** Two sessions with one answer each; the second is open. Resolves with the file of the first. */
  async function twoSessions({ chat }: Rig): Promise<string> {
    await chat.submit('in first session');
    const first = chat.conversation.store.getSessionFile()!;
    await chat.conversation.store.flush();
    await chat.conversation.sessions.newSession();
    await chat.submit('in second session');
    return first;
  }

  function asked(opened: Rig): string {
    return JSON.stringify(opened.model.requests.at(-1)?.messages.map(message => message.content));
  }

  function typesIn({ store }: Rig['conversation']): readonly string[] {
    return store.getEntries().map(entry => (entry as { message?: { role: string } }).message?.role ?? entry.type);
  }

  it('holds back what a session_switch handler sends until the context is that of the session', async () => {
    const opened = await open([{ text: 'one' }, { text: 'two' }, { text: 'three' }], {
      extensions: extension(`pi.on("session_switch", async e => {
          if (e.reason !== "resume") return;
          pi.sendUserMessage("where were we");
          await new Promise(resolve => setTimeout(resolve, 50));
        });`),
    });
    await opened.chat.conversation.sessions.switchTo(await twoSessions(opened));
    await until(() => (opened.model.requests.length === 3 ? true : undefined), 'the request');
    await opened.chat.conversation.run.waitForIdle();
    assert.ok(asked(opened).includes('in first session') && !asked(opened).includes('in second session'));
  });

  it('holds back what a person types meanwhile', async () => {
    const opened = await open([{ text: 'one' }, { text: 'two' }, { text: 'three' }], {
      extensions: extension(`let go = () => undefined; const held = new Promise(resolve => (go = resolve));
          pi.registerCommand("go", { handler: async () => { go(); } });
          pi.on("session_switch", async e => { if (e.reason === "resume") { await held; } });`),
    });
    const first = await twoSessions(opened);
    const second = opened.chat.conversation.store;
    const switching = opened.chat.conversation.sessions.switchTo(first);
    await until(() => (opened.chat.conversation.store === second ? undefined : true), 'the switch');
    const typed = opened.chat.submit('typed meanwhile');
    await opened.conversation.ports.hooks.commands.runAndShow('go', '', opened.chat.conversation.forHooks);
    await switching;
    await typed;
    assert.ok(asked(opened).includes('in first session') && !asked(opened).includes('in second session'));
    assert.deepEqual(
      opened.items('user').map(item => item.text),
      ['in first session', 'typed meanwhile'],
    );
  });

  it('to the one that is open changes nothing: it stays writable and hooks hear nothing', async () => {
    const opened = await open([{ text: 'one' }], {
      extensions: extension(`pi.on("session_before_switch", () => ({ cancel: true }));`),
    });
    await opened.chat.submit('hi');
    await opened.chat.conversation.store.flush();
    const { store } = opened.conversation;
    assert.deepEqual(await opened.chat.conversation.sessions.switchTo(store.getSessionFile()!), { cancelled: false });
    assert.equal(opened.chat.conversation.store, store);
    assert.deepEqual(store.access, { kind: 'write' });
  });

  it('lets what handlers of the end of a run write land in the session of that run', async () => {
    const opened = await open([sleeps, { text: 'x' }], {
      extensions: extension(`pi.on("agent_end", async () => {
        await new Promise(resolve => setTimeout(resolve, 100));
        pi.appendEntry("end", 1);
      });`),
    });
    const run = opened.chat.submit('go');
    await until(() => opened.items('tool').find(tool => tool.state.type === 'running'), 'the tool');
    const old = opened.chat.conversation.store;
    await opened.chat.conversation.sessions.newSession();
    await run;
    assert.ok(old.getEntries().some(entry => entry.type === 'custom'));
    assert.ok(!typesIn(opened.conversation).includes('custom'));
  });

  it('lets the outcome of a command land in the session it was typed in', async () => {
    const opened = await open([{ text: 'one' }]);
    await opened.chat.submit('first');
    const old = opened.chat.conversation.store;
    const bash = opened.chat.submit('!sleep 20');
    await until(() => opened.items('bash').find(item => item.state === 'running'), 'the command');
    await opened.chat.conversation.sessions.newSession();
    await bash;
    assert.ok(JSON.stringify(old.getEntries()).includes('bashExecution'));
    assert.ok(!typesIn(opened.conversation).includes('bashExecution'));
  });

  it('that a hook makes brings what was typed into a session without an answer, and only that', async () => {
    const opened = await open([{ text: 'one' }], {
      hooks: {
        'fresh.ts': `export default pi => { pi.registerCommand("fresh", { handler: async (args, ctx) => { await ctx.newSession(); } }); };`,
      },
    });
    const { chat } = opened;
    chat.composer.text = 'not sent yet';
    const page = opened.page();
    await chat.conversation.ports.hooks.commands.runAndShow('fresh', '', chat.conversation.forHooks);
    assert.equal(chat.composer.text, 'not sent yet');
    assert.ok(page.got.some(message => JSON.stringify(message).includes('not sent yet')));
    await chat.submit('first');
    const file = chat.conversation.store.getSessionFile() ?? '';
    chat.composer.text = 'belongs to this session';
    await chat.conversation.ports.hooks.commands.runAndShow('fresh', '', chat.conversation.forHooks);
    assert.equal(chat.composer.text, '');
    await chat.conversation.sessions.switchTo(file);
    assert.equal(chat.composer.text, 'belongs to this session');
    page.dispose();
  });

  it('waits for a gate however long it takes, and tells whose it is', async () => {
    const opened = await open([{ text: 'one' }], {
      extensions: extension(`let answer = () => undefined;
        const asked = () => new Promise(resolve => { answer = resolve; });
        pi.on("session_before_switch", asked);
        pi.on("session_before_fork", asked);
        pi.registerCommand("answer", { handler: async given => answer({ cancel: given === "no" }) });`),
    });
    const { chat } = opened;
    await chat.submit('first');
    const file = chat.conversation.store.getSessionFile();
    const told = (event: string): true | undefined =>
      opened.items('notice').some(({ text }) => text.includes('"x.ts"') && text.includes(event)) || undefined;
    const fork = chat.conversation.sessions.fork(chat.conversation.store.getEntries().find(isSaid)?.id ?? '');
    await until(() => told('session_before_branch'), 'word of the hook that keeps the fork waiting');
    await chat.conversation.ports.hooks.commands.runAndShow('answer', 'no', chat.conversation.forHooks);
    assert.deepEqual(await fork, { cancelled: true });
    const moving = chat.conversation.sessions.newSession();
    await until(() => told('session_before_switch'), 'word of the hook that keeps the switch waiting');
    assert.equal(chat.conversation.store.getSessionFile(), file);
    await chat.conversation.ports.hooks.commands.runAndShow('answer', 'yes', chat.conversation.forHooks);
    assert.deepEqual(await moving, { cancelled: false });
    assert.notEqual(chat.conversation.store.getSessionFile(), file);
  });

  it('goes on without a handler that never answers, names its hook, and still tells those behind it', async () => {
    const opened = await open([{ text: 'one' }], {
      extensions: {
        ...extension(`pi.on("session_switch", ${HANG});`),
        'y.ts': `export default pi => { pi.on("session_start", e => { if (e.reason === "new") pi.appendEntry("told", 1); }); };`,
      },
    });
    await opened.chat.submit('first');
    await opened.chat.conversation.sessions.newSession();
    assert.deepEqual(opened.items('user'), []);
    assert.ok(opened.items('notice').some(({ text }) => text.includes('"x.ts"') && text.includes('session_switch')));
    assert.ok(typesIn(opened.conversation).includes('custom'));
  });
});

describe('a start', function () {
  this.timeout(20_000);
  let rig: Rig | undefined;

  afterEach(async () => {
    await rig?.close();
    rig = undefined;
  });

  it('is not held up for ever by session_start, session_directory or resources_discover', async () => {
    rig = await Rig.open([{ text: 'hello' }], {
      extensions: extension(
        ['session_start', 'session_directory', 'resources_discover']
          .map(name => `pi.on("${name}", ${HANG});`)
          .join(' '),
      ),
    });
    await rig.chat.submit('hi');
    const told = rig.items('notice').map(({ text }) => text);
    assert.ok(
      told.some(text => text.includes('"x.ts"') && text.includes('session_start')),
      told.join('\n'),
    );
  });
});
