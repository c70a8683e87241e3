import assert from 'node:assert/strict';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { Rig, until, type RigOptions } from '../../support/conversation-rig';
import type { Script } from '../../support/scripted-stream';

type Line = readonly unknown[];

const IMPORTS = {
  pi: 'import type { ExtensionAPI } from "@earendil-works/pi-coding-agent";',
  ext: 'import type { ExtensionAPI } from "@mariozechner/pi-coding-agent";',
};

/** Notes what it hears of sessions, with the session that its `ctx` has at that moment. */
const hears = (...others: readonly string[]): string => `
  const session = ctx => ctx.sessionManager.getSessionId();
  for (const name of ['session_start', 'session_before_switch', 'session_before_fork', 'session_shutdown', ...${JSON.stringify(others)}])
    pi.on(name, (event, ctx) => note(name, event.reason, event.position, event.previousSessionFile,
      event.targetSessionFile, session(ctx)));`;

/** What hooks are told when a conversation goes on with another session, and what they can do in it (docs/dialects.md, P1, P6, P7). */
describe('sessions that take the place of others', function () {
  this.timeout(20_000);
  let rig: Rig;

  afterEach(async () => {
    await rig.close();
  });

  async function open(
    code: string,
    script: readonly Script[] = [{ text: 'one' }, { text: 'two' }, { text: 'three' }],
    options: RigOptions & { readonly dialect?: keyof typeof IMPORTS } = {},
  ): Promise<void> {
    const { dialect = 'pi', ...rest } = options;
    const text = `${IMPORTS[dialect]}
import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
const note = (...line) => appendFileSync(join(__dirname, '..', '..', 'notes'), JSON.stringify(line) + '\\n');
export default function (pi: ExtensionAPI) { ${code} }`;
    rig = await Rig.open(script, { ...rest, extensions: { 'x.ts': text } });
    assert.equal(rig.host.infos()[0]?.dialect?.id, dialect);
  }

  /** What the hook noted since the last call, files and ids of sessions as `first`, `second` and so on. */
  function noted(): readonly Line[] {
    const file = join(rig.cwd, 'notes');
    const text = existsSync(file) ? readFileSync(file, 'utf8') : '';
    writeFileSync(file, '');
    return text
      .split('\n')
      .filter(line => line !== '')
      .map(line => (JSON.parse(line) as unknown[]).map(named));
  }

  const sessions: string[] = [];
  function named(value: unknown): unknown {
    if (typeof value !== 'string') return value ?? '-';
    const id = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f-]{22}/.exec(basename(value))?.[0];
    if (id === undefined) return value;
    if (!sessions.includes(id)) sessions.push(id);
    return ['first', 'second', 'third', 'fourth'][sessions.indexOf(id)];
  }

  beforeEach(() => {
    sessions.length = 0;
  });

  const heard = (): readonly string[] => noted().map(line => line.join(' '));
  const userEntry = (): string =>
    rig.conversation.store.getEntries().find(entry => JSON.stringify(entry).includes('"role":"user"'))!.id;

  it('tells the end of the old one and the start of the new one, each with the other, then calls withSession', async () => {
    await open(`${hears()}
      pi.registerCommand('fresh', { handler: async (args, ctx) => {
        const { cancelled } = await ctx.newSession({
          parentSession: ctx.sessionManager.getSessionFile(),
          setup: async manager => { manager.appendMessage({ role: 'user', content: 'told before', timestamp: 1 }); },
          withSession: async own => {
            note('inside', session(own), own.sessionManager.getEntries().length, own.sessionManager.getHeader().parentSession);
            await own.sendUserMessage('and now?');
            note('answered', own.sessionManager.getEntries().length > 1, own.isIdle());
            await own.sendMessage({ customType: 'kept', content: 'said', display: true });
          },
        });
        note('back', cancelled);
      } });`);
    await rig.chat.submit('/fresh');
    assert.deepEqual(heard(), [
      'session_start startup - - - first',
      'session_before_switch new - - - first',
      'session_shutdown new - - second first',
      'session_start new - first - second',
      'inside second 1 first',
      'answered true true',
      'back false',
    ]);
    assert.deepEqual(
      rig.items('user').map(({ text }) => text),
      ['told before', 'and now?'],
    );
    assert.ok(JSON.stringify(rig.conversation.store.getEntries()).includes('"customType":"kept"'));
  });

  it('forks before a message, which goes back to the composer, and at an entry, which does not', async () => {
    await open(`${hears()}
      pi.registerCommand('take', { handler: async (args, ctx) => {
        const [id, position] = args.split(' ');
        await ctx.fork(id, { position, withSession: async own => {
          note('inside', session(own), own.sessionManager.getEntries().some(entry => entry.message?.role === 'user'));
        } });
      } });`);
    await rig.chat.submit('the question');
    noted();
    await rig.chat.submit(`/take ${userEntry()} at`);
    assert.deepEqual(heard(), [
      'session_before_fork - at - - first',
      'session_shutdown fork - - second first',
      'session_start fork - first - second',
      'inside second true',
    ]);
    assert.equal(rig.chat.composer.text, '');
    await rig.chat.submit(`/take ${userEntry()} before`);
    assert.deepEqual(heard(), [
      'session_before_fork - before - - second',
      'session_shutdown fork - - third second',
      'session_start fork - second - third',
      'inside third false',
    ]);
    assert.equal(rig.chat.composer.text, 'the question');
    await rig.chat.submit('/take nowhere at');
    assert.deepEqual(heard(), ['session_before_fork - at - - third']);
    assert.match(rig.items('notice').at(-1)?.text ?? '', /Invalid entry ID for forking/);
  });

  it('switches to a file and goes on there; a cancelled switch ends nothing', async () => {
    await open(`${hears()}
      let stay = false;
      pi.on('session_before_switch', () => (stay ? { cancel: true } : undefined));
      pi.registerCommand('stay', { handler: async () => { stay = true; } });
      pi.registerCommand('go', { handler: async (file, ctx) => {
        const outcome = await ctx.switchSession(file, { withSession: async own => note('inside', session(own), own.cwd === ctx_cwd) });
        note('back', outcome.cancelled);
      } });
      let ctx_cwd;
      pi.on('session_start', (_event, ctx) => { ctx_cwd = ctx.cwd; });`);
    await rig.chat.submit('the question');
    const file = rig.conversation.store.getSessionFile()!;
    await rig.conversation.sessions.newSession();
    noted();
    await rig.chat.submit(`/go ${file}`);
    assert.deepEqual(heard(), [
      'session_before_switch resume - - first second',
      'session_shutdown resume - - first second',
      'session_start resume - second - first',
      'inside first true',
      'back false',
    ]);
    await rig.chat.submit('/stay');
    await rig.chat.submit('/new');
    assert.deepEqual(heard(), ['session_before_switch new - - - first']);
  });

  it('lets what belongs to the old session throw and say why, and what is read off it before go on', async () => {
    await open(`
      let kept;
      pi.on('session_start', (event, ctx) => { kept ??= ctx; });
      const fate = act => { try { act(); return 'works'; } catch (error) { return error.message.includes('stale') ? 'stale' : error.message; } };
      pi.registerCommand('fresh', { handler: async (args, ctx) => {
        const { ui } = ctx;
        await ctx.newSession({ withSession: async own => note('own', fate(() => own.ui), fate(() => own.isIdle())) });
        note('ctx', ...['ui', 'mode', 'cwd', 'sessionManager', 'model', 'hasUI'].map(name => fate(() => ctx[name])),
          fate(() => ctx.isIdle()), fate(() => ctx.exec('true', [])));
        note('fork', fate(() => ctx.fork('x')));
        note('kept', fate(() => kept.cwd));
        note('ui', fate(() => ui.notify('still')));
        note('pi', fate(() => pi.getSessionName()));
      } });`);
    await rig.chat.submit('/fresh');
    assert.deepEqual(heard(), [
      'own works works',
      'ctx stale stale stale stale stale stale stale stale',
      'fork stale',
      'kept stale',
      'ui works',
      'pi works',
    ]);
  });

  it('leaves files of ext their own end and their ctx', async () => {
    await open(
      `${hears('session_switch', 'session_fork')}
      pi.registerCommand('fresh', { handler: async (args, ctx) => {
        await ctx.newSession();
        note('after', session(ctx));
      } });`,
      [],
      { dialect: 'ext' },
    );
    await rig.chat.submit('/fresh');
    assert.deepEqual(heard(), [
      'session_start startup - - - first',
      'session_before_switch new - - - first',
      'session_switch new - first - second',
      'session_start new - first - second',
      'after second',
    ]);
  });

  it('tells no end when a session opens beside another or is closed, and each end when the window closes', async () => {
    await open(hears());
    await rig.chat.submit('the question');
    await rig.conversations.openBeside();
    await rig.conversations.close(rig.conversations.active.id);
    await rig.conversations.openBeside();
    assert.deepEqual(heard(), [
      'session_start startup - - - first',
      'session_before_switch new - - - first',
      'session_start new - first - second',
      'session_before_switch new - - - first',
      'session_start new - first - third',
    ]);
    await rig.conversations.dispose();
    assert.deepEqual([...heard()].sort(), ['session_shutdown quit - - - first', 'session_shutdown quit - - - third']);
  });

  it('lets the ctx of a closed conversation throw rather than mean another one', async () => {
    await open(`
      let kept;
      pi.on('session_start', (event, ctx) => { kept = ctx; });
      pi.registerCommand('use', { handler: async (args, ctx) => {
        try { note('use', kept.cwd === ctx.cwd); } catch (error) { note('use', error.message.includes('stale')); }
      } });`);
    await rig.chat.submit('the question');
    await rig.conversations.openBeside();
    const { id } = rig.conversations.active;
    await rig.conversations.close(id);
    assert.equal(rig.conversations.find(id), undefined);
    await rig.chat.submit('/use');
    assert.deepEqual(heard(), ['use true']);
  });

  it('starts a file again that closed at the end of a session what its factory set up', async () => {
    await open(`
      let isClosed = false;
      const stop = pi.events.on('ping', data => note('heard', data));
      pi.on('session_shutdown', event => { isClosed = true; stop(); note('end', event.reason); });
      pi.on('session_start', event => {
        if (isClosed) throw new Error('cannot start twice');
        note('start', event.reason);
      });
      pi.registerCommand('ping', { handler: async args => pi.events.emit('ping', args) });
      pi.registerCommand('fresh', { handler: async (args, ctx) => {
        await ctx.newSession({ withSession: async own => own.ui.setStatus('mine', 'on') });
      } });`);
    await rig.chat.submit('the question');
    const file = rig.conversation.store.getSessionFile()!;
    await rig.conversation.sessions.fork(userEntry());
    await rig.chat.submit('/ping fork');
    await rig.conversation.sessions.switchTo(file);
    await rig.chat.submit('/ping resume');
    await rig.chat.submit('/fresh');
    await rig.chat.submit('/ping new');
    assert.deepEqual(heard(), [
      'start startup',
      ...['fork', 'resume', 'new'].flatMap(why => [`end ${why}`, `start ${why}`, `heard ${why}`]),
    ]);
    assert.deepEqual(rig.items('notice'), []);
    assert.deepEqual(rig.chat.ui.statusTexts, ['on']);
  });

  it('tells the other conversations of such a file that it was loaded again', async () => {
    await open(hears());
    await rig.chat.submit('the question');
    await rig.conversations.openBeside();
    noted();
    await rig.conversations.active.conversation.sessions.newSession();
    assert.deepEqual(heard(), [
      'session_before_switch new - - - second',
      'session_shutdown new - - third second',
      'session_shutdown reload - - - first',
      'session_start reload - - - first',
      'session_start new - second - third',
    ]);
  });

  it('ends what a handler subscribed on the bus with its session, and keeps what the factory subscribed', async () => {
    await open(`
      pi.events.on('ping', data => note('factory', data));
      pi.on('session_start', () => { pi.events.on('ping', data => note('handler', data)); });
      pi.registerCommand('ping', { handler: async args => { pi.events.emit('ping', args); } });`);
    await rig.chat.submit('/ping one');
    await rig.conversation.sessions.newSession();
    await rig.chat.submit('/ping two');
    assert.deepEqual(heard(), ['factory one', 'handler one', 'factory two', 'handler two']);
  });

  it('lets an extension that had everything loaded anew do nothing more through the old load', async () => {
    await open(`
      const fate = act => { try { act(); return 'works'; } catch (error) { return error.message.includes('stale') ? 'stale' : error.message; } };
      pi.registerCommand('again', { handler: async (args, ctx) => {
        await ctx.reload();
        note('old', fate(() => ctx.ui), fate(() => pi.appendEntry('x')), fate(() => pi.events.emit('x')));
      } });
      pi.on('session_start', (event, ctx) => note(event.reason, fate(() => ctx.ui), fate(() => pi.getSessionName())));`);
    await rig.chat.submit('/again');
    assert.deepEqual(heard(), ['startup works works', 'reload works works', 'old stale stale stale']);
  });

  it('lets a gate that waits for the person while its file is saved come to its verdict', async () => {
    await open(
      `
      pi.on('tool_call', async (event, ctx) => {
        const said = await ctx.ui.confirm('Run it?', 'really');
        ctx.ui.notify('asked in ' + ctx.mode);
        pi.appendEntry('asked', said);
        return said ? undefined : { block: true, reason: 'the person says no' };
      });`,
      [{ calls: [{ id: 'c1', name: 'bash', args: { command: 'echo ran' } }] }, { text: 'done' }],
    );
    let question = '';
    rig.dialogs.addView({
      show: shown => {
        question = shown.id;
        return { dispose: () => undefined };
      },
    });
    const run = rig.chat.submit('go');
    await until(() => (question === '' ? undefined : true), 'the question');
    await rig.host.reload({ freshAll: true });
    rig.dialogs.answer(question, true);
    await run;
    assert.deepEqual(
      rig.items('notice').map(({ text }) => text),
      ['asked in tui'],
    );
    assert.ok(rig.conversation.store.getEntries().some(entry => entry.type === 'custom'));
  });
});
