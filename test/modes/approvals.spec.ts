import assert from 'node:assert/strict';
import { existsSync, linkSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { CliPlace } from './support/cli';
import { ScriptedLlm } from '../support/scripted-llm';
import { RpcHost, type Message } from './support/rpc';

describe('approvals on the command line', () => {
  let place: CliPlace;
  beforeEach(async () => {
    place = await CliPlace.make();
  });
  afterEach(() => place.remove());

  const made = (name: string): boolean => existsSync(join(place.cwd, name));

  it('are none by default: hooks alone decide, as in pi', async () => {
    const { code } = await place.run(['-p', 'run `touch made`']);
    assert.deepEqual([code, made('made')], [0, true]);
  });

  for (const mode of ['text', 'json']) {
    it(`are refused in ${mode} mode, where nobody can be asked, and it is said`, async () => {
      const { stderr } = await place.run(['--mode', mode, '--approve-tools', 'ask', '-p', 'run `touch made`']);
      assert.equal(made('made'), false);
      assert.match(stderr, /Warning: bash needs approval.*--approve-tools auto/);
    });
  }

  describe('over RPC', () => {
    let llm: ScriptedLlm;
    beforeEach(async () => {
      llm = await ScriptedLlm.start();
      place.useLlm(llm);
    });
    afterEach(() => llm.stop());

    const run = (...commands: readonly string[]): void => {
      for (const command of commands) llm.reply({ toolCalls: [{ name: 'bash', arguments: { command } }] });
      llm.reply({ text: 'done' });
    };
    /** The label of the first option of a question that has a meaning. */
    const labelOf = (question: Message, meaning: string): string => {
      const options = question['options'] as readonly { readonly label: string; readonly meaning: string }[];
      return options.find(option => option.meaning === meaning)?.label ?? assert.fail(`no option: ${meaning}`);
    };
    const asked = async (host: RpcHost, begin: () => unknown): Promise<Message> => {
      const question = host.ui('confirm', host.messages.length);
      void begin();
      return question;
    };
    const resultIn = (request: number): string => JSON.stringify(llm.requests[request]?.body ?? '');

    it('are a confirm of the client, with the call, the gate and all options', async () => {
      const host = RpcHost.start(place, ['--approve-tools', 'ask']);
      for (const confirmed of [false, true]) {
        run('touch made');
        const from = host.messages.length;
        const question = await asked(host, () => host.post('prompt', { message: 'go' }));
        assert.deepEqual([question['title'], question['message']], ['Run this command?', 'touch made']);
        const begun = await host.event('tool_execution_start', from);
        assert.equal(question['toolCallId'], begun['toolCallId']);
        assert.equal((question['hook'] as { readonly name: string }).name, 'Built-in gate');
        const meanings = (question['options'] as readonly { readonly meaning: string }[]).map(({ meaning }) => meaning);
        assert.deepEqual([...new Set(meanings)], ['allowOnce', 'allowInSession', 'allowAlways', 'refuse']);
        assert.equal(made('made'), false);
        host.answer(question, { confirmed });
        await host.event('agent_settled', from);
        assert.equal(made('made'), confirmed);
      }
      await host.close();
    });

    it('are denied with the reason of the client, which the model reads', async () => {
      const host = RpcHost.start(place, ['--approve-tools', 'ask']);
      run('touch made');
      const question = await asked(host, () => host.post('prompt', { message: 'go' }));
      host.answer(question, { confirmed: false, reason: 'use the other folder' });
      await host.event('agent_settled');
      assert.equal(made('made'), false);
      assert.match(resultIn(1), /use the other folder/);
      await host.close();
    });

    it('keep the rule that the client chose, for this folder and the next process', async () => {
      const host = RpcHost.start(place, ['--approve-tools', 'ask']);
      run('touch made');
      const question = await asked(host, () => host.post('prompt', { message: 'go' }));
      host.answer(question, { value: labelOf(question, 'allowAlways') });
      await host.event('agent_settled');
      assert.equal(made('made'), true);
      await host.close();
      run('touch made');
      const next = RpcHost.start(place, ['--approve-tools', 'ask']);
      await next.prompt('again');
      assert.equal(next.types().includes('extension_ui_request'), false);
      await next.close();
    });

    it('are denied by an option that was not offered', async () => {
      const host = RpcHost.start(place, ['--approve-tools', 'ask']);
      run('touch made');
      const question = await asked(host, () => host.post('prompt', { message: 'go' }));
      host.answer(question, { value: 'Allow always here: everything' });
      await host.event('agent_settled');
      assert.equal(made('made'), false);
      assert.match(resultIn(1), /did not allow/);
      await host.close();
    });

    for (const [what, more] of [
      ['alone', {}],
      ['with a yes', { confirmed: true }],
    ] as const) {
      it(`offer no rule for a call that no rule may allow, and take none, ${what}`, async () => {
        const shared = place.file('work/shared', 'as before');
        linkSync(shared, join(place.cwd, 'second'));
        const host = RpcHost.start(place, ['--approve-tools', 'ask']);
        for (const path of ['other', 'second']) {
          llm.reply({ toolCalls: [{ name: 'write', arguments: { path, content: 'new' } }] });
        }
        llm.reply({ text: 'done' });
        const first = await asked(host, () => host.post('prompt', { message: 'go' }));
        const always = labelOf(first, 'allowAlways');
        const second = await asked(host, () => host.answer(first, { confirmed: true }));
        const options = second['options'] as readonly { readonly meaning: string }[];
        assert.deepEqual(
          options.map(({ meaning }) => meaning),
          ['allowOnce', 'refuse'],
        );
        host.answer(second, { value: always, ...more });
        await host.event('agent_settled');
        assert.equal(made('other'), true);
        assert.equal(readFileSync(shared, 'utf8'), 'as before');
        assert.match(resultIn(2), /did not allow/);
        await host.close();
      });
    }

    it('withdraw a question when its run is aborted', async () => {
      const host = RpcHost.start(place, ['--approve-tools', 'ask']);
      run('touch made');
      const question = await asked(host, () => host.post('prompt', { message: 'go' }));
      await host.data('abort');
      assert.equal((await host.event('extension_ui_cancel'))['id'], question['id']);
      host.answer(question, { confirmed: true });
      await host.data('get_state');
      assert.equal(made('made'), false);
      await host.close();
    });

    it('show the plan with its question, and take a denial as what should change', async () => {
      const host = RpcHost.start(place, ['--approve-tools', 'plan']);
      for (const plan of ['1. touch made', '1. touch other']) {
        llm.reply({ toolCalls: [{ name: 'present_plan', arguments: { plan } }] });
      }
      llm.reply({ text: 'done' });
      void host.post('prompt', { message: 'go' });
      const first = await host.ui('select');
      assert.equal(first['title'], 'Approve this plan?\n\n1. touch made');
      const options = first['options'] as readonly string[];
      assert.equal(options[(first['meanings'] as string[]).indexOf('refuse')], 'Keep planning');
      const from = host.messages.length;
      host.answer(first, { confirmed: false, reason: 'another file' });
      const second = await host.ui('select', from);
      assert.match(resultIn(1), /sent the plan back: another file/);
      host.answer(second, { value: options[1] });
      await host.event('agent_settled');
      assert.equal((await host.event('approval_mode_changed'))['mode'], 'edits');
      assert.equal((await host.data<{ approvalMode: string }>('get_state')).approvalMode, 'edits');
      await host.close();
    });

    it('have a mode that changes during a run; rules, state of hooks and the open question stay', async () => {
      place.file(
        'agent/extensions/counting.ts',
        `let count = 0;
         export default pi => {
           pi.on('tool_call', () => { count += 1; });
           pi.registerCommand('count', { handler: async (args, ctx) => ctx.ui.notify(String(count)) });
         };\n`,
      );
      const host = RpcHost.start(place, ['--approve-tools', 'ask']);
      run('touch a', 'touch a', 'mkdir b', 'mkdir c');
      const first = await asked(host, () => host.post('prompt', { message: 'go' }));
      const second = await asked(host, () => host.answer(first, { value: labelOf(first, 'allowInSession') }));
      assert.equal(second['message'], 'mkdir b', 'the rule of the session allowed the call before');
      await host.data('set_approval_mode', { mode: 'auto' });
      assert.equal((await host.event('approval_mode_changed'))['mode'], 'auto');
      const state = await host.data<{ approvalMode: string; isStreaming: boolean }>('get_state');
      assert.deepEqual([state.approvalMode, state.isStreaming], ['auto', true]);
      assert.equal(made('b'), false, 'the question that was open still decides');
      host.answer(second, { confirmed: false });
      await host.event('agent_settled');
      assert.equal(host.types().includes('extension_ui_cancel'), false);
      assert.deepEqual([made('b'), made('c')], [false, true], 'the next call is decided in the new mode');

      await host.data('set_approval_mode', { mode: 'ask' });
      run('touch a', 'mkdir d');
      const third = await asked(host, () => host.post('prompt', { message: 'again' }));
      assert.equal(third['message'], 'mkdir d', 'the rule of the session still applies');
      const from = host.messages.length;
      host.answer(third, { confirmed: false });
      await host.event('agent_settled', from);
      await host.data('prompt', { message: '/count' });
      assert.equal((await host.ui('notify', from))['message'], '6');
      await host.close();
    });

    it('have no other modes: an unknown one is refused by name, and changes nothing', async () => {
      const host = RpcHost.start(place, ['--approve-tools', 'edits']);
      for (const mode of ['yolo', 7, undefined]) {
        assert.match(await host.error('set_approval_mode', { mode }), /^set_approval_mode: "mode" must be /);
      }
      assert.equal((await host.data<{ approvalMode: string }>('get_state')).approvalMode, 'edits');
      assert.equal(host.types().includes('approval_mode_changed'), false);
      await host.close();
    });

    it('tell clients of an older version of no change, and withdraw nothing there', async () => {
      const host = RpcHost.startOlder(place, ['--approve-tools', 'ask']);
      run('touch made');
      await asked(host, () => host.post('prompt', { message: 'go' }));
      await host.data('set_approval_mode', { mode: 'auto' });
      await host.data('abort');
      const types = host.types();
      assert.equal(types.includes('approval_mode_changed') || types.includes('extension_ui_cancel'), false);
      await host.close();
    });
  });

  it('let nothing but reading happen in plan mode', async () => {
    await place.run(['--approve-tools', 'plan', '-p', 'run `touch made`']);
    assert.equal(made('made'), false);
  });

  it('keep file tools from places that code is run from, and say how to allow it', async () => {
    const prompt = 'write .vscode/tasks.json: {}';
    const refused = await place.run(['-p', prompt]);
    assert.equal(made('.vscode'), false);
    assert.match(refused.stderr, /--allow-path .*tasks\.json/);
    await place.run(['--allow-path', '.vscode/**', '-p', prompt]);
    assert.equal(made('.vscode/tasks.json'), true);
  });

  for (const file of ['hookline/approved-hooks/a.json', '.hookline-past-use/calls.jsonl']) {
    it(`keep file tools from what is stored about approvals: ${file}`, async () => {
      const env = { XDG_STATE_HOME: join(place.root, 'state') };
      const { stderr } = await place.run(['-p', `write ../state/${file}: {}`], { env });
      assert.equal(made(`../state/${file}`), false);
      assert.match(stderr, /--allow-path/);
    });
  }
});
