import assert from 'node:assert/strict';
import { join } from 'node:path';
import { SessionStore } from '../../src/agent/session/store';
import type { RigOptions } from '../support/conversation-rig';
import { scriptedModel, type Script } from '../support/scripted-stream';
import { seedIt, seedModule } from '../support/seeds';
import { call, COMPACT_SOON, Stage } from './support';
import { isSaid } from '../support/said';

const LONG = 'x'.repeat(400);

describe('hooks of the extension and oh-my-pi documents', () => {
  let stage: Stage | undefined;
  afterEach(async () => {
    await stage?.end();
    stage = undefined;
  });

  async function extension(script: readonly Script[], text: string, options: RigOptions = {}): Promise<Stage> {
    stage = await Stage.open(script, { extensions: { 'hook.ts': text }, ...options });
    assert.equal(stage.rig.host.infos()[0]?.dialect?.id, 'ext');
    return stage;
  }

  async function omp(script: readonly Script[], id: string, options: RigOptions = {}): Promise<Stage> {
    stage = await Stage.open(script, { hooks: { 'hook.ts': seedModule(id) }, ...options });
    assert.equal(stage.rig.host.infos()[0]?.dialect?.id, 'omp');
    return stage;
  }

  const messageEntries = (on: Stage): readonly { readonly id: string }[] => on.chat.store.getEntries().filter(isSaid);

  seedIt('omp-redact: keeps keys that read gave from the model and from the session', async () => {
    const script = [
      call('read', { path: 'config' }, 'a'),
      call('bash', { command: 'cat config' }, 'b'),
      call('read', { path: 'missing' }, 'c'),
      { text: 'ok' },
    ];
    const on = await omp(script, 'omp-redact', { files: { config: 'API_KEY=hunter2 and more\n' } });
    await on.chat.inbox.submit('go');
    const results = on.request(-1).filter(line => line.startsWith('toolResult'));
    assert.match(results[0] ?? '', /API_KEY=\[REDACTED\] and more/);
    assert.match(results[1] ?? '', /API_KEY=hunter2/, 'only read is redacted');
    assert.match(results[2] ?? '', /not found|no such file/i);
    const stored = JSON.stringify((await on.entries()).filter(entry => JSON.stringify(entry).includes('"a"')));
    assert.doesNotMatch(stored, /hunter2/);
  });

  seedIt('omp-context-filter: keeps debug messages from the model, not from the session', async () => {
    const on = await omp([{ text: 'one' }], 'omp-context-filter');
    for (const customType of ['debug-only', 'other']) {
      await on.chat.inbox.sendCustom({ customType, content: customType, display: true }, { triggerTurn: false });
    }
    await on.chat.inbox.submit('go');
    assert.deepEqual(on.request(0), ['user: other', 'user: go']);
    assert.equal(on.chat.run.agent.messages.length, 5);
    assert.equal(on.rig.items('custom').length, 2);
  });

  seedIt('omp-handoff: opens a new session that names the old one and begins with the set-up message', async () => {
    const on = await omp([{ text: 'one' }, { text: 'two' }], 'omp-handoff');
    await on.chat.inbox.submit('first');
    const old = on.chat.store.getSessionFile();
    await on.chat.inbox.submit('/handoff');
    assert.notEqual(on.chat.store.getSessionFile(), old);
    assert.equal((on.chat.store.getHeader() as { parentSession?: string }).parentSession, old);
    assert.deepEqual(
      on.rig.items('user').map(item => item.text),
      ['Continue from prior session summary.'],
    );
    await on.chat.inbox.submit('next');
    assert.deepEqual(on.request(-1), ['user: Continue from prior session summary.', 'user: next']);
  });

  describe('input', () => {
    seedIt('ext-input-continue: passes the text through', async () => {
      const on = await extension([{ text: 'ok' }], seedModule('ext-input-continue'));
      await on.chat.inbox.submit('as typed');
      assert.deepEqual(on.request(0), ['user: as typed']);
      const seen = on.seen.find(candidate => candidate.name === 'input');
      assert.deepEqual([seen?.payload['text'], seen?.payload['source']], ['as typed', 'interactive']);
    });

    seedIt('ext-input-transform: rewrites text and images', async () => {
      const before = 'const newImages = [{ type: "image" as const, data: "aGk=", mimeType: "image/png" }];';
      const on = await extension([{ text: 'ok' }], seedModule('ext-input-transform', { before }));
      await on.chat.inbox.submit('as typed');
      assert.deepEqual(on.request(0), ['user: rewritten']);
      const [message] = on.rig.model.requests[0]!.messages;
      assert.deepEqual(
        (message?.content as { type: string }[]).map(part => part.type),
        ['text', 'image'],
      );
    });

    seedIt('ext-input-handled: swallows the text: no request, no message', async () => {
      const on = await extension([], seedModule('ext-input-handled'));
      await on.chat.inbox.submit('as typed');
      assert.equal(on.rig.model.requests.length, 0);
      assert.equal(on.chat.run.agent.messages.length, 0);
    });
  });

  seedIt('ext-before-agent-start: message and system prompt, the prompt anew for each run', async () => {
    const on = await extension(
      [call('ls', {}), { text: 'one' }, { text: 'two' }],
      seedModule('ext-before-agent-start'),
    );
    await on.chat.inbox.submit('first');
    assert.deepEqual(on.request(0), ['user: first', 'user: Text the LLM sees']);
    await on.chat.inbox.submit('second');
    assert.deepEqual(
      on.rig.model.requests.map(request => request.systemPrompt),
      Array<string>(3).fill('base prompt\nNew instructions'),
    );
    assert.deepEqual(on.outcomes('before_agent_start').length, 2, 'once per prompt, not per turn');
    const stored = on.chat.store.getEntries().find(entry => entry.type === 'custom_message') as { details?: unknown };
    assert.deepEqual(stored.details, { any: 'data' });
  });

  seedIt('ext-context-filter: fires for every call of the model and changes no session', async () => {
    const before = 'const isIrrelevant = (m: any) => JSON.stringify(m.content).includes("noise");';
    const script = [{ text: 'noise' }, call('ls', {}, 'a'), call('ls', {}, 'b'), { text: 'ok' }];
    const on = await extension(script, seedModule('ext-context-filter', { before }));
    await on.chat.inbox.submit('first');
    await on.chat.inbox.submit('second');
    assert.deepEqual(on.request(1), ['user: first', 'user: second']);
    assert.equal(on.outcomes('context').length, 4);
    assert.ok(JSON.stringify(on.chat.run.agent.messages).includes('noise'));
  });

  seedIt('ext-context-inject: adds a message that is never stored', async () => {
    const before = 'const syntheticMessage = { role: "user" as const, content: "synthetic", timestamp: 1 };';
    const on = await extension([{ text: 'ok' }], seedModule('ext-context-inject', { before }));
    await on.chat.inbox.submit('first');
    assert.deepEqual(on.request(0), ['user: first', 'user: synthetic']);
    assert.equal(on.chat.run.agent.messages.length, 3);
  });

  seedIt('ext-tool-result: adds its line to every result and turns failures into successes', async () => {
    const script = [
      call('bash', { command: 'echo fine' }, 'a'),
      call('bash', { command: 'exit 3' }, 'b'),
      { text: 'ok' },
    ];
    const on = await extension(script, seedModule('ext-tool-result'));
    await on.chat.inbox.submit('go');
    const results = on.chat.run.agent.messages.filter(message => message.role === 'toolResult');
    assert.deepEqual(
      results.map(result => result.isError),
      [false, false],
    );
    const [fine, failed] = on.request(-1).filter(line => line.startsWith('toolResult'));
    assert.match(fine ?? '', /fine[\s\S]*\n\nAudit: logged$/);
    assert.match(failed ?? '', /Command exited with code 3\n\nAudit: logged$/);
    const errors = on.seen.filter(seen => seen.name === 'tool_result').map(seen => seen.payload['isError']);
    assert.deepEqual(errors, [false, true]);
  });

  seedIt('ext-session-start: restores state at start, after a switch and after a fork', async () => {
    const text = seedModule('ext-session-start', {
      before: 'let myState: any;',
      after:
        'pi.registerCommand("state", { handler: async (_args, ctx) => { ctx.ui.notify(String(myState), "info"); } });\npi.registerCommand("set", { handler: async args => { pi.appendEntry("my-state", args); } });',
    });
    const on = await extension([{ text: 'one' }, { text: 'two' }], text);
    await on.chat.inbox.submit('/set here');
    await on.chat.inbox.submit('first');
    await on.chat.inbox.submit('second');
    const file = on.chat.store.getSessionFile()!;
    await on.chat.sessions.newSession();
    await on.chat.sessions.switchTo(file);
    await on.chat.inbox.submit('/state');
    await on.chat.inbox.submit('/set later');
    await on.chat.sessions.fork(messageEntries(on)[2]!.id);
    await on.chat.inbox.submit('/state');
    assert.deepEqual(on.notices, ['here info', 'here info']);
    assert.deepEqual(
      on.seen.filter(seen => seen.name === 'session_start').map(seen => seen.payload['reason']),
      ['new', 'resume', 'fork'],
    );
  });

  seedIt('ext-before-switch: keeps the session on /new and /resume', async () => {
    const on = await extension([{ text: 'one' }], seedModule('ext-before-switch'));
    await on.chat.inbox.submit('first');
    await on.chat.store.flush();
    const file = on.chat.store.getSessionFile()!;
    const other = SessionStore.create({ dir: on.chat.store.getSessionDir(), cwd: on.rig.cwd });
    other.appendMessage({ role: 'user', content: 'elsewhere', timestamp: 1 });
    await other.flush();
    const target = other.getSessionFile()!;
    await other.dispose();
    await on.chat.inbox.submit('/new');
    assert.deepEqual(await on.chat.sessions.switchTo(target), { cancelled: true });
    assert.equal(on.chat.store.getSessionFile(), file);
    const seen = on.seen.filter(candidate => candidate.name === 'session_before_switch');
    assert.deepEqual(
      seen.map(({ payload }) => [payload['reason'], payload['targetSessionFile']]),
      [
        ['new', undefined],
        ['resume', target],
      ],
    );
    assert.deepEqual(on.outcomes('session_switch'), []);
  });

  seedIt('ext-before-fork: nothing is forked', async () => {
    const on = await extension([{ text: 'one' }], seedModule('ext-before-fork'));
    await on.chat.inbox.submit('first');
    const file = on.chat.store.getSessionFile();
    assert.deepEqual(await on.chat.sessions.fork(messageEntries(on)[0]!.id), { cancelled: true });
    assert.deepEqual([on.chat.store.getSessionFile(), on.chat.composer.text], [file, '']);
  });

  seedIt('ext-fork-skip: forks without restoring messages', async () => {
    const on = await extension([{ text: 'one' }], seedModule('ext-fork-skip'));
    await on.chat.inbox.submit('first');
    const file = on.chat.store.getSessionFile();
    await on.chat.sessions.fork(messageEntries(on)[0]!.id);
    assert.notEqual(on.chat.store.getSessionFile(), file);
    assert.equal(on.chat.run.agent.messages.length, 3);
    assert.equal(messageEntries(on).length, 0);
    assert.equal(on.chat.composer.text, 'first');
  });

  seedIt('ext-before-compact: its summary is taken, with the plan’s cut', async () => {
    const on = await extension([{ text: LONG }, { text: LONG }, { text: 'ok' }], seedModule('ext-before-compact'), {
      settings: COMPACT_SOON,
    });
    await on.chat.inbox.submit('first');
    await on.chat.inbox.submit('second');
    const result = await on.chat.run.compact('mind the tests');
    const seen = on.seen.find(candidate => candidate.name === 'session_before_compact');
    assert.equal(seen?.payload['customInstructions'], 'mind the tests');
    assert.ok(seen.payload['signal'] instanceof AbortSignal);
    assert.equal(result.summary, 'My custom summary');
    await on.chat.inbox.submit('third');
    assert.match(on.request(-1)[0] ?? '', /My custom summary/);
    assert.deepEqual(on.request(-1).slice(1), [`assistant: ${LONG}`, 'user: third']);
  });

  seedIt('ext-cancel-compact: nothing is compacted, and who asked is told', async () => {
    const on = await extension([{ text: LONG }, { text: LONG }], seedModule('ext-cancel-compact'), {
      settings: COMPACT_SOON,
    });
    await on.chat.inbox.submit('first');
    await on.chat.inbox.submit('second');
    await assert.rejects(on.chat.run.compact(), /Compaction cancelled/);
    assert.equal(on.chat.run.agent.messages.length, 5);
  });

  seedIt('ext-before-tree: its summary and label are taken when a summary is wanted', async () => {
    const on = await extension([{ text: 'one' }, { text: 'two' }, { text: 'ok' }], seedModule('ext-before-tree'));
    await on.chat.inbox.submit('first');
    await on.chat.inbox.submit('second');
    const target = messageEntries(on)[1]!.id;
    assert.deepEqual(await on.chat.tree.navigate(target, { summarize: true }), { cancelled: false });
    const summary = on.chat.store.getBranch().find(entry => entry.type === 'branch_summary');
    assert.equal((summary as { summary?: string } | undefined)?.summary, 'Custom branch summary');
    assert.equal(on.chat.store.getLabel(summary!.id), 'my-label');
    await on.chat.inbox.submit('third');
    assert.match(on.request(-1)[2] ?? '', /^user: [\s\S]*Custom branch summary/);
    assert.equal(on.rig.model.requests.length, 3, 'no request was made for a summary');
  });

  seedIt('ext-cancel-tree: the leaf stays', async () => {
    const on = await extension([{ text: 'one' }, { text: 'two' }], seedModule('ext-cancel-tree'));
    await on.chat.inbox.submit('first');
    await on.chat.inbox.submit('second');
    const leaf = on.chat.store.getLeafId();
    assert.deepEqual(await on.chat.tree.navigate(messageEntries(on)[1]!.id), { cancelled: true });
    assert.equal(on.chat.store.getLeafId(), leaf);
  });

  seedIt('ext-shutdown: is told once when the window closes', async () => {
    const on = await extension([], seedModule('ext-shutdown'));
    await on.end();
    stage = undefined;
    assert.deepEqual(on.outcomes('session_shutdown'), ['session_shutdown: nothing']);
  });

  seedIt('ext-model-select: tells set, cycle and restore with the model before', async () => {
    const other = { ...scriptedModel, id: 'other', name: 'Other' };
    const on = await extension([{ text: 'one' }], seedModule('ext-model-select'), { models: [scriptedModel, other] });
    await on.chat.inbox.submit('first');
    await on.chat.store.flush();
    const file = on.chat.store.getSessionFile()!;
    await on.chat.models.set(other, 'set');
    await on.chat.models.set(scriptedModel, 'cycle');
    await on.chat.sessions.newSession();
    await on.chat.models.set(other);
    await on.chat.sessions.switchTo(file);
    const seen = on.seen.filter(candidate => candidate.name === 'model_select');
    const id = (model: unknown): string => (model as { id: string }).id;
    assert.deepEqual(
      seen.map(({ payload }) => [id(payload['previousModel']), id(payload['model']), payload['source']]),
      [
        ['scripted', 'other', 'set'],
        ['other', 'scripted', 'cycle'],
        ['scripted', 'other', 'set'],
        ['other', 'scripted', 'restore'],
      ],
    );
  });

  seedIt('ext-resources: its skill is in the system prompt, its template a command', async () => {
    const on = await extension(
      [{ text: 'ok' }, { text: 'ok' }],
      seedModule('ext-resources', { before: 'import { join } from "node:path";' }),
      {
        realPrompt: true,
        files: {
          '.pi/extensions/skills/SKILL.md': '---\nname: kit\ndescription: Knows the kit.\n---\nUse the kit.',
          '.pi/extensions/prompts/my-template.md': 'Greet $1 warmly.',
          '.pi/extensions/themes/dark.json': '{}',
        },
      },
    );
    await on.chat.inbox.submit('/my-template Ada');
    assert.deepEqual(on.request(0), ['user: Greet Ada warmly.']);
    assert.match(on.rig.model.requests[0]?.systemPrompt ?? '', /Knows the kit\./);
    await on.chat.forHooks.reload();
    await on.chat.inbox.submit('again');
    assert.match(on.rig.model.requests[1]?.systemPrompt ?? '', /Knows the kit\./);
    assert.deepEqual(
      on.seen.filter(seen => seen.name === 'resources_discover').map(({ payload }) => payload['reason']),
      ['reload'],
    );
  });

  seedIt('ext-user-bash-operations: runs the user’s command where the hook says', async () => {
    const before = 'const remote = "far"; const sshExec = async (where: string, cmd: string) => `${where}: ${cmd}\\n`;';
    const on = await extension([{ text: 'ok' }], seedModule('ext-user-bash-operations', { before }));
    await on.chat.inbox.submit('!uname -a');
    assert.match(on.rig.items('bash')[0]?.output ?? '', /^far: uname -a/);
    const [seen] = on.seen.filter(candidate => candidate.name === 'user_bash');
    assert.deepEqual(
      [seen?.payload['command'], seen?.payload['excludeFromContext'], seen?.payload['cwd']],
      ['uname -a', false, on.cwd],
    );
    await on.chat.inbox.submit('what was that?');
    assert.match(on.request(0)[0] ?? '', /Ran `uname -a`[\s\S]*far: uname -a/);
  });

  seedIt('ext-user-bash-result: answers itself; !! keeps it from the model', async () => {
    const on = await extension([{ text: 'ok' }], seedModule('ext-user-bash-result'));
    await on.chat.inbox.submit('!!touch made');
    const [item] = on.rig.items('bash');
    assert.deepEqual([item?.output, item?.exitCode, item?.hidden], ['custom output', 0, true]);
    const [seen] = on.seen.filter(candidate => candidate.name === 'user_bash');
    assert.equal(seen?.payload['excludeFromContext'], true);
    await on.chat.inbox.submit('go');
    assert.deepEqual(on.request(0), ['user: go']);
  });

  seedIt('extensions run in the order of their names; within a file as registered', async () => {
    const hook = (name: string): string =>
      `import type { ExtensionAPI } from "@mariozechner/pi-coding-agent";
export default (pi: ExtensionAPI) => {
  pi.on("input", event => ({ action: "transform", text: event.text + " ${name}1" }));
  pi.on("input", event => ({ action: "transform", text: event.text + " ${name}2" }));
};\n`;
    const on = await extension([{ text: 'ok' }], hook('project-b'), {
      extensions: { 'b.ts': hook('b'), 'a.ts': hook('a') },
    });
    await on.chat.inbox.submit('text');
    assert.deepEqual(on.request(0), ['user: text a1 a2 b1 b2']);
    assert.equal(on.rig.host.infos()[0]?.path, join(on.cwd, '.pi', 'extensions', 'a.ts'));
  });
});
