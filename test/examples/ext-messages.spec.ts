import assert from 'node:assert/strict';
import { join } from 'node:path';
import { call, Stage } from '../conformance/support';
import type { RigOptions } from '../support/conversation-rig';
import type { Script } from '../support/scripted-stream';
import { exampleText } from './drive';

describe('prompts, messages and tools in ext', () => {
  let stage: Stage | undefined;
  afterEach(async () => {
    await stage?.end();
    stage = undefined;
  });

  async function open(name: string, script: readonly Script[], options: RigOptions = {}): Promise<Stage> {
    const extensions = { [name]: exampleText('ext', name), ...options.extensions };
    stage = await Stage.open(script, { ...options, extensions });
    const info = stage.rig.host.infos().find(({ path }) => path.endsWith(name));
    assert.equal(info?.dialect?.id, 'ext', info?.dialect?.because);
    return stage;
  }

  describe('input-actions.ts', () => {
    it('lets a prompt through, and sees it as it was typed', async () => {
      const on = await open('input-actions.ts', [{ text: 'ok' }]);
      await on.chat.submit('as typed');
      assert.deepEqual(on.request(0), ['user: as typed']);
      const seen = on.seen.find(({ name }) => name === 'input');
      assert.deepEqual([seen?.payload['text'], seen?.payload['source']], ['as typed', 'interactive']);
    });

    it('puts another text and a picture in its place', async () => {
      const on = await open('input-actions.ts', [{ text: 'ok' }]);
      await on.chat.submit('dot what is this?');
      assert.deepEqual(on.request(0), ['user: what is this?']);
      const [message] = on.rig.model.requests[0]!.messages;
      assert.deepEqual(
        (message?.content as { type: string }[]).map(({ type }) => type),
        ['text', 'image'],
      );
    });

    it('swallows it: no request is made, and there is no message', async () => {
      const on = await open('input-actions.ts', []);
      await on.chat.submit('shh as typed');
      assert.deepEqual([on.rig.model.requests.length, on.chat.conversation.run.agent.messages.length], [0, 0]);
    });

    it('comes after other handlers in the order of the file names, within a file as they registered', async () => {
      const hook = (name: string): string =>
        `import type { ExtensionAPI } from "@mariozechner/pi-coding-agent";
export default (pi: ExtensionAPI) => {
  pi.on("input", event => ({ action: "transform", text: event.text + " ${name}1" }));
  pi.on("input", event => ({ action: "transform", text: event.text + " ${name}2" }));
};\n`;
      const extensions = { 'b.ts': hook('b'), 'z.ts': hook('z'), 'a.ts': hook('a') };
      const on = await open('input-actions.ts', [{ text: 'ok' }], { extensions });
      await on.chat.submit('dot text');
      assert.deepEqual(on.request(0), ['user: text a1 a2 b1 b2 z1 z2']);
      assert.equal(on.rig.host.infos()[0]?.path, join(on.cwd, '.pi', 'extensions', 'a.ts'));
    });
  });

  describe('run-brief.ts', () => {
    it('adds a message and a line of the prompt once for each run, the line to the same prompt each time', async () => {
      const on = await open('run-brief.ts', [call('ls', {}), { text: 'one' }, { text: 'two' }]);
      await on.chat.submit('first');
      assert.deepEqual(on.request(0), ['user: first', 'user: Brief 1 for "first"']);
      await on.chat.submit('second');
      assert.deepEqual(
        on.rig.model.requests.map(({ systemPrompt }) => systemPrompt),
        [1, 1, 2].map(run => `base prompt\nThis is run ${run}.`),
      );
      assert.equal(on.outcomes('before_agent_start').length, 2);
      assert.deepEqual(on.rig.items('custom'), [], 'it is not displayed');
      const stored = on.chat.conversation.store.getEntries().filter(({ type }) => type === 'custom_message');
      assert.deepEqual(
        stored.map(entry => (entry as { details?: unknown }).details),
        [{ runs: 1 }, { runs: 2 }],
      );
    });
  });

  describe('context-edits.ts', () => {
    it('changes what each request contains, one handler after the other, and never the session', async () => {
      const script = [{ text: 'the weather is fine' }, call('ls', {}, 'a'), call('ls', {}, 'b'), { text: 'ok' }];
      const on = await open('context-edits.ts', script);
      await on.chat.submit('first');
      assert.deepEqual(on.request(0), ['user: first', 'user: Request 1']);
      await on.chat.submit('second');
      assert.deepEqual(on.request(1), ['user: first', 'user: second', 'user: Request 2']);
      assert.equal(on.request(-1).at(-1), 'user: Request 4');
      assert.equal(on.outcomes('context').length, 8);
      const kept = JSON.stringify(on.chat.conversation.run.agent.messages);
      assert.ok(kept.includes('weather') && !kept.includes('Request 1'));
    });
  });

  describe('forgiving-results.ts', () => {
    it('adds to every result, one handler after the other, and turns failures into successes', async () => {
      const script = [
        call('bash', { command: 'echo fine' }, 'a'),
        call('bash', { command: 'exit 3' }, 'b'),
        { text: 'ok' },
      ];
      const on = await open('forgiving-results.ts', script);
      await on.chat.submit('go');
      const results = on.chat.conversation.run.agent.messages.filter(({ role }) => role === 'toolResult');
      assert.deepEqual(
        results.map(result => 'isError' in result && result.isError),
        [false, false],
      );
      const [fine, failed] = on.request(-1).filter(line => line.startsWith('toolResult'));
      assert.match(fine ?? '', /fine[\s\S]*\nFine\.\nSigned by bash$/);
      assert.match(failed ?? '', /Command exited with code 3\nFailed, never mind\.\nSigned by bash$/);
      const errors = on.seen.filter(({ name }) => name === 'tool_result').map(({ payload }) => payload['isError']);
      assert.deepEqual(errors, [false, false, true, false]);
    });
  });

  describe('far-shell.ts', () => {
    it('runs what the user types elsewhere, and the model gets the output', async () => {
      const on = await open('far-shell.ts', [{ text: 'ok' }]);
      await on.chat.submit('!uname -a');
      const output = `far from ${on.cwd}: uname -a`;
      assert.ok(on.rig.items('bash')[0]?.output.startsWith(output));
      const [seen] = on.seen.filter(({ name }) => name === 'user_bash');
      const { command, excludeFromContext, cwd } = seen?.payload ?? {};
      assert.deepEqual([command, excludeFromContext, cwd], ['uname -a', false, on.cwd]);
      await on.chat.submit('what was that?');
      assert.ok(on.request(0)[0]?.includes('Ran `uname -a`') && on.request(0)[0]?.includes(output));
    });

    it('answers in place of the shell, and "!!" keeps that from the model', async () => {
      const on = await open('far-shell.ts', [{ text: 'ok' }]);
      await on.chat.submit('!!touch moon');
      const [item] = on.rig.items('bash');
      assert.deepEqual([item?.output, item?.exitCode, item?.hidden], ['made of cheese', 0, true]);
      const [seen] = on.seen.filter(({ name }) => name === 'user_bash');
      assert.equal(seen?.payload['excludeFromContext'], true);
      await on.chat.submit('go');
      assert.deepEqual(on.request(0), ['user: go']);
    });
  });

  describe('read-only-mode.ts', () => {
    it('blocks with its reason, which is what the model gets', async () => {
      const other = `import type { ExtensionAPI } from '@mariozechner/pi-coding-agent';
export default (pi: ExtensionAPI) => { pi.on('before_agent_start', () => { pi.setActiveTools(['bash']); }); };\n`;
      const script = [call('bash', { command: 'touch made' }), { text: 'ok' }];
      const on = await open('read-only-mode.ts', script, { extensions: { 'stubborn.ts': other } });
      await on.chat.submit('/readonly');
      await on.chat.submit('go');
      const reason = '"bash" is off: the user switched to read-only.';
      assert.deepEqual(on.tool(), { state: 'blocked', reason, output: reason });
    });
  });

  describe('run-trace.ts', () => {
    it('hears of each step of a run in its order, and knows the arguments of each tool', async () => {
      const measure = `import type { ExtensionAPI } from '@mariozechner/pi-coding-agent';
import { Type } from '@sinclair/typebox';
export default function (pi: ExtensionAPI) {
  pi.registerTool({ name: 'measure', label: 'Measure', description: 'Measures.', parameters: Type.Object({ unit: Type.String() }),
    execute: async () => ({ content: [{ type: 'text', text: '7' }], details: {} }) });
}\n`;
      const script = [
        call('bash', { command: 'echo one; sleep 0.3; echo two' }), // Output is reported only between two parts of it.
        call('write', { path: 'a.txt', content: 'b' }),
        call('measure', { unit: 'miles' }),
        { text: 'ok' },
      ];
      const on = await open('run-trace.ts', script, { extensions: { 'measure.ts': measure } });
      await on.chat.submit('go');
      const said = on.notices.map(text => text.replace(/ info$/, ''));
      const turn = (at: number, tool: string, args: string, ...calls: readonly string[]): readonly string[] => [
        `turn ${at} now`,
        ...(at === 0 ? ['user begins', 'user is complete'] : []),
        'assistant begins',
        'assistant is complete',
        `${tool} is asked for ${args}`,
        ...calls,
        'result: fine',
        `${tool} is done`,
        'toolResult begins',
        'toolResult is complete',
        `turn ${at} ends with 1 results`,
      ];
      assert.deepEqual(
        said.filter((text, at) => text !== said[at - 1]),
        [
          'run',
          ...turn(0, 'bash', 'command', 'call: echo one; sleep 0.3; echo two', 'bash printed'),
          ...turn(1, 'write', 'path,content', 'call: a.txt gets b'),
          ...turn(2, 'measure', 'unit', 'call: in miles'),
          'turn 3 now',
          'assistant begins',
          'assistant says more',
          'assistant is complete',
          'turn 3 ends with 0 results',
          'run ends with 8 messages',
        ],
      );
    });
  });
});
