import assert from 'node:assert/strict';
import { Rig, until, type RigOptions } from '../../support/conversation-rig';
import type { Script } from '../../support/scripted-stream';

const PI = 'import type { ExtensionAPI } from "@earendil-works/pi-coding-agent";';
const EXT = 'import type { ExtensionAPI } from "@mariozechner/pi-coding-agent";';
const slow: Script = { calls: [{ id: 's1', name: 'bash', args: { command: 'sleep 20' } }] };

/** What commands of hooks may do to a session that is at work, and what comes of it (docs/dialects.md, P8). */
describe('commands of hooks in the session tree', function () {
  this.timeout(20_000);
  let rig: Rig;

  afterEach(() => rig.close());

  async function open(code: string, script: readonly Script[], options: RigOptions = {}, imports = PI): Promise<void> {
    const text = `${imports}
      const later = act => act().then(outcome => JSON.stringify(outcome), error => error.message);
      export default function (pi: ExtensionAPI) { ${code} }`;
    rig = await Rig.open(script, { ...options, extensions: { 'x.ts': text } });
    assert.deepEqual(rig.host.infos()[0]?.state, { type: 'live' });
  }

  const MOVE = `pi.registerCommand('move', { handler: async (args, ctx) => {
    const { ui } = ctx;
    const [id, options] = JSON.parse(args);
    ui.notify(await later(() => ctx.navigateTree(id, options)));
  } });`;
  const move = (id: string, options: object = {}): Promise<void> =>
    rig.chat.submit(`/move ${JSON.stringify([id, options])}`);
  const notices = (): readonly string[] =>
    rig.items('notice').flatMap(({ text, hook }) => (hook === undefined ? [] : [text]));
  const ids = (): readonly string[] =>
    rig.conversation.store
      .getEntries()
      .filter(entry => entry.type === 'message' && !JSON.stringify(entry).includes('"role":"system"'))
      .map(({ id }) => id);

  it('navigateTree of an extension rejects while a run goes on, which it leaves alone', async () => {
    await open(MOVE, [{ text: 'one' }, slow, { text: 'two' }]);
    await rig.chat.submit('first');
    const [first = ''] = ids();
    const run = rig.chat.submit('second');
    await until(() => rig.items('tool').find(tool => tool.state.type === 'running'), 'the tool');
    const leaf = rig.conversation.store.getLeafId();
    await move(first);
    assert.match(notices().at(-1) ?? '', /while an answer is under way/);
    assert.equal(rig.conversation.store.getLeafId(), leaf);
    assert.equal(rig.conversation.run.isIdle, false);
    await rig.conversation.run.stop();
    await run;
    await move(first);
    assert.equal(notices().at(-1), '{"cancelled":false}');
  });

  it('navigateTree of an extension rejects during another navigation', async () => {
    await open(
      `${MOVE}
      let go;
      pi.on('session_before_tree', () => new Promise(resolve => { go = () => resolve({ cancel: true }); }));
      pi.registerCommand('go', { handler: async () => { go(); } });`,
      [{ text: 'one' }, { text: 'two' }],
    );
    await rig.chat.submit('first');
    await rig.chat.submit('second');
    const [first = ''] = ids();
    const moving = rig.conversation.tree.navigate(first);
    await until(() => (rig.conversation.run.phase.type === 'compacting' ? true : undefined), 'the navigation');
    await move(first);
    assert.match(notices().at(-1) ?? '', /during a compaction or another navigation/);
    await rig.chat.submit('/go');
    assert.deepEqual(await moving, { cancelled: true });
  });

  it('navigateTree of a file of ext stops what goes on, as ever', async () => {
    await open(MOVE, [{ text: 'one' }, slow, { text: 'two' }], {}, EXT);
    await rig.chat.submit('first');
    const [first = ''] = ids();
    const run = rig.chat.submit('second');
    await until(() => rig.items('tool').find(tool => tool.state.type === 'running'), 'the tool');
    await move(first);
    await run;
    assert.equal(notices().at(-1), '{"cancelled":false}');
  });

  it('navigateTree rejects for an entry that is not there, and without a model to summarize with', async () => {
    await open(MOVE, [{ text: 'one' }]);
    await rig.chat.submit('first');
    await move('nowhere');
    assert.equal(notices().at(-1), 'Entry nowhere not found');
    rig.conversation.state.model = undefined;
    await move(ids()[0]!, { summarize: true });
    assert.match(notices().at(-1) ?? '', /No model is chosen/);
  });

  it('navigateTree labels, and handlers may set label, instructions and a summary with its usage', async () => {
    const usage = { input: 7, output: 5, cacheRead: 0, cacheWrite: 0, totalTokens: 12 };
    const cost = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 3 };
    await open(
      `${MOVE}
      let prepared;
      pi.registerCommand('prepared', { handler: async (args, ctx) => ctx.ui.notify(JSON.stringify(prepared)) });
      pi.on('session_before_tree', ({ preparation }) => {
        prepared = [preparation.customInstructions, preparation.replaceInstructions, preparation.label];
        if (preparation.label === 'mine') return { label: 'theirs', customInstructions: 'Be brief.', replaceInstructions: true };
        if (preparation.label === 'whole') return { summary: { summary: 'All of it', usage: ${JSON.stringify({ ...usage, cost })} } };
      });`,
      [{ text: 'one' }, { text: 'two' }, { text: 'SUMMARY' }],
      { settings: { branchSummary: { skipPrompt: false, reserveTokens: 100 } } },
    );
    await rig.chat.submit('first');
    await rig.chat.submit('second');
    const [, answer = ''] = ids();
    await move(answer, { summarize: true, customInstructions: 'Say all.', replaceInstructions: false, label: 'mine' });
    await rig.chat.submit('/prepared');
    assert.equal(notices().at(-1), '["Say all.",false,"mine"]');
    const { store } = rig.conversation;
    const summary = store.getEntries().find(({ type }) => type === 'branch_summary')!;
    assert.equal(store.getLabel(summary.id), 'theirs');
    const asked = JSON.stringify(rig.model.requests.at(-1));
    assert.ok(asked.includes('Be brief.') && !asked.includes('Say all.'));
    await move(ids()[0]!, { summarize: true, label: 'whole' });
    const stored = store.getEntries().findLast(({ type }) => type === 'branch_summary') as unknown as Record<
      string,
      unknown
    >;
    assert.deepEqual(
      [
        stored['summary'],
        (stored['usage'] as { totalTokens: number }).totalTokens,
        store.getLabel(String(stored['id'])),
      ],
      ['All of it', 12, 'whole'],
    );
  });

  it('reload of an extension waits for its turn, then tells end, start and asks for resources, in this order', async () => {
    await open(
      `const heard = (globalThis.heardAtReload ??= []);
      for (const name of ['session_shutdown', 'session_start', 'resources_discover'])
        pi.on(name, event => { heard.push(name + ' ' + event.reason); });
      pi.registerCommand('again', { handler: async (args, ctx) => {
        const { ui } = ctx;
        ui.notify(await later(() => ctx.reload().then(() => heard.join(', '))));
      } });`,
      [slow, { text: 'done' }],
    );
    const run = rig.chat.submit('go');
    await until(() => rig.items('tool').find(tool => tool.state.type === 'running'), 'the tool');
    await rig.chat.submit('/again');
    assert.match(notices().at(-1) ?? '', /cannot reload while the agent is at work/);
    await rig.conversation.run.stop();
    await run;
    await rig.chat.submit('/again');
    assert.equal(
      notices().at(-1),
      JSON.stringify(
        'session_start startup, resources_discover startup, session_shutdown reload, session_start reload, resources_discover reload',
      ),
    );
  });

  it('lists commands in their order, with what each comes from, and completes by what a promise gives', async () => {
    await open(
      `pi.registerCommand('names', { getArgumentCompletions: async prefix => [{ value: prefix + 'x', label: 'X' }],
        handler: async (args, ctx) => {
          ctx.ui.notify(JSON.stringify(pi.getCommands().map(({ name, source, sourceInfo }) => [name, source, sourceInfo])));
        } });`,
      [],
      {
        files: {
          '.pi/prompts/review.md': 'Review $1.',
          '.pi/skills/tidy/SKILL.md': '---\nname: tidy\ndescription: Tidies up\n---\nTidy.',
        },
      },
    );
    await rig.chat.submit('/names');
    const found = (path: string): object => ({
      path: `${rig.cwd}/.pi/${path}`,
      source: 'auto',
      scope: 'project',
      origin: 'top-level',
      baseDir: `${rig.cwd}/.pi`,
    });
    assert.deepEqual(JSON.parse(notices().at(-1)!), [
      ['names', 'extension', found('extensions/x.ts')],
      ['review', 'prompt', found('prompts/review.md')],
      ['skill:tidy', 'skill', found('skills/tidy/SKILL.md')],
    ]);
    assert.deepEqual(await rig.host.commands.completions('names', 'a'), [{ value: 'ax', label: 'X' }]);
  });
});
