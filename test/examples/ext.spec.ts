import assert from 'node:assert/strict';
import { bash, call, Driven } from './drive';

describe('examples of ext', () => {
  let driven: Driven;
  afterEach(async () => {
    await driven.close();
  });
  const completions = (command: string, prefix: string): Promise<readonly string[]> =>
    driven.rig.host.commands.completions(command, prefix).then(found => found.map(({ label }) => label));

  describe('count-lines-tool.ts', () => {
    it('counts the lines of files for the model, and tells of one that is not there', async () => {
      driven = await Driven.open(
        'ext',
        'count-lines-tool.ts',
        [
          call('count_lines', { paths: ['a.txt', 'b.txt', 'c.txt'] }),
          call('count_lines', { paths: ['missing.txt'] }),
          call('count_lines', { paths: { file: 'a.txt' } }),
          { text: 'ok' },
        ],
        { files: { 'a.txt': '1\n2\n', 'b.txt': '1\n2', 'c.txt': '' } },
      );
      await driven.chat.submit('go');
      assert.ok(driven.rig.model.requests[0]?.tools?.some(({ name }) => name === 'count_lines'));
      const [counted, missing, wrong] = driven.rig.items('tool');
      assert.equal(counted?.output, '2\ta.txt\n2\tb.txt\n0\tc.txt');
      assert.equal(missing?.state.type, 'failed');
      assert.match(missing.output, /ENOENT.*missing\.txt/);
      assert.equal(wrong?.state.type, 'failed', 'arguments are checked against the schema');
    });
  });

  describe('input-shorthands.ts', () => {
    it('makes a question of "?", repeats with "again", and swallows thanks', async () => {
      driven = await Driven.open('ext', 'input-shorthands.ts', [{ text: '1' }, { text: '2' }, { text: '3' }]);
      await driven.chat.submit('?why');
      assert.match(driven.lastRequest, /"why\\n\\nOnly answer\. Do not change any file\."/);
      await driven.chat.submit('fix the tests');
      await driven.chat.submit('again');
      assert.equal(driven.lastRequest.split('fix the tests').length, 3, 'asked twice');
      await driven.chat.submit('thanks!');
      assert.equal(driven.rig.model.requests.length, 3);
      assert.ok(driven.notices.includes('You are welcome'));
    });
  });

  describe('todo-list.ts', () => {
    it('keeps a list with the session, with completions and a count', async () => {
      driven = await Driven.open('ext', 'todo-list.ts', [{ text: 'one' }]);
      await driven.chat.submit('first');
      await driven.chat.submit('/todo add write the tests');
      await driven.chat.submit('/todo add run them');
      assert.deepEqual(driven.status, ['2 of 2 to do']);
      assert.deepEqual(await completions('todo', 'd'), ['done']);
      assert.deepEqual(await completions('todo', 'done '), ['1: write the tests', '2: run them']);
      await driven.chat.submit('/todo done 1');
      assert.deepEqual(await completions('todo', 'done '), ['2: run them']);
      await driven.chat.submit('/todo list');
      assert.ok(driven.notices.includes('✔ 1: write the tests\n· 2: run them'), driven.notices.join('\n'));
      const { root } = driven.rig;
      await driven.rig.close(true);

      driven = await Driven.open('ext', 'todo-list.ts', [], { root, resume: true });
      assert.deepEqual(driven.status, ['1 of 2 to do']);
    });

    it('goes back with a fork', async () => {
      driven = await Driven.open('ext', 'todo-list.ts', [{ text: 'one' }, { text: 'two' }]);
      await driven.chat.submit('first');
      await driven.chat.submit('/todo add early');
      await driven.chat.submit('second');
      await driven.chat.submit('/todo add late');
      await driven.chat.edits.branchFrom(driven.rig.items('user')[1]?.id ?? '');
      assert.deepEqual(driven.status, ['1 of 1 to do']);
    });
  });

  describe('read-only-mode.ts', () => {
    it('offers only reading tools, says why, blocks others all the same, and gives them back', async () => {
      driven = await Driven.open('ext', 'read-only-mode.ts', [
        bash('touch made'),
        { text: 'ok' },
        bash('true'),
        { text: 'ok' },
      ]);
      await driven.chat.submit('/readonly');
      assert.deepEqual(driven.status, ['read-only']);
      await driven.chat.submit('go');
      const [request] = driven.rig.model.requests;
      assert.deepEqual(request?.tools?.map(({ name }) => name).sort(), ['find', 'grep', 'ls', 'read']);
      assert.match(request.systemPrompt ?? '', /You can only read/);
      assert.notEqual(driven.tools[0], 'done');

      const { shortcut } = driven.rig.host.commands.shortcuts().get('ctrl+alt+r') ?? assert.fail('a shortcut');
      assert.equal(shortcut.description, 'Look, but do not touch');
      assert.ok(await driven.rig.host.commands.runShortcut('ctrl+alt+r', driven.chat.conversation.forHooks));
      assert.deepEqual(driven.status, []);
      await driven.chat.submit('go');
      assert.equal(driven.tools[1], 'done');
      assert.doesNotMatch(driven.rig.model.requests.at(-1)?.systemPrompt ?? '', /You can only read/);
    });

    it('blocks a tool that another hook still offers', async () => {
      const stubborn = `import type { ExtensionAPI } from '@mariozechner/pi-coding-agent';
export default function (pi: ExtensionAPI) {
  pi.on('before_agent_start', () => { pi.setActiveTools([...pi.getActiveTools(), 'bash']); });
}`;
      driven = await Driven.open('ext', 'read-only-mode.ts', [bash('touch made'), { text: 'ok' }], {
        extensions: { 'stubborn.ts': stubborn },
      });
      await driven.chat.submit('/readonly');
      await driven.chat.submit('go');
      assert.deepEqual(driven.tools, ['"bash" is off: the user switched to read-only.']);
    });
  });

  describe('syntax-check.ts', () => {
    it('adds the complaint of the parser to the result, and says nothing about good files', async () => {
      driven = await Driven.open('ext', 'syntax-check.ts', [
        call('write', { path: 'bad.mjs', content: 'const = 1;\n' }),
        call('write', { path: 'good.mjs', content: 'export const a = 1;\n' }),
        call('write', { path: 'bad.txt', content: 'const = 1;\n' }),
        { text: 'ok' },
      ]);
      await driven.chat.submit('go');
      const outputs = driven.rig.items('tool').map(({ output }) => output);
      assert.match(outputs[0] ?? '', /Successfully wrote[\s\S]*does not parse:[\s\S]*bad\.mjs:1[\s\S]*SyntaxError/);
      assert.doesNotMatch(outputs.slice(1).join(), /does not parse/);
      assert.match(driven.lastRequest, /does not parse/);
    });
  });

  describe('context-meter.ts', () => {
    it('shows how full the context is, counts turns, and warns once', async () => {
      driven = await Driven.open('ext', 'context-meter.ts', [
        { calls: [{ id: 'c', name: 'bash', args: { command: 'true' } }], totalTokens: 100 },
        { text: 'ok', totalTokens: 300 },
        { text: 'ok', totalTokens: 750 },
        { text: 'ok', totalTokens: 800 },
      ]);
      await driven.chat.submit('go');
      await driven.chat.conversation.run.waitForIdle();
      assert.match(driven.status[0] ?? '', /context 30%.* · 2 turns/);
      await driven.chat.submit('more');
      await driven.chat.submit('more');
      await driven.chat.conversation.run.waitForIdle();
      assert.match(driven.status[0] ?? '', /context 80%.* · 1 turns/);
      const warnings = driven.notices.filter(text => text.includes('/compact makes room'));
      assert.deepEqual(warnings, ['The context is 75% full; /compact makes room']);
    });
  });
});
