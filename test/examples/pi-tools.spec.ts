import assert from 'node:assert/strict';
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { rememberEnvironment } from '../support/environment';
import { ScriptedLlm } from '../support/scripted-llm';
import { scripted } from '../support/scripted-mcp';
import { CliPlace } from '../modes/support/cli';
import { bash, call, Driven, exampleText } from './drive';

/** Tools, gates of tools, and programs that tools start. */
describe("examples of today's pi: tools", () => {
  let driven: Driven | undefined;
  let programs: string | undefined;
  const restoreEnvironment = rememberEnvironment();

  afterEach(async () => {
    await driven?.close();
    driven = undefined;
    restoreEnvironment();
    if (programs !== undefined) rmSync(programs, { recursive: true, force: true });
    programs = undefined;
  });

  /** Puts a program in front of all others on the PATH; it prints its arguments, one a line, and ends so. */
  function program(name: string, exitCode = 0): void {
    programs ??= mkdtempSync(join(tmpdir(), 'hookline-programs-'));
    writeFileSync(join(programs, name), `#!/bin/sh\nprintf '%s\\n' "$@"\nexit ${exitCode}\n`);
    chmodSync(join(programs, name), 0o755);
    process.env['PATH'] = [programs, process.env['PATH']].join(delimiter);
  }

  describe('word-count.ts', () => {
    it('counts words of files, and tells the model of a file that is not there', async () => {
      driven = await Driven.open(
        'pi',
        'word-count.ts',
        [
          call('word_count', { paths: ['a.txt', 'b.txt'] }),
          call('word_count', { paths: ['gone.txt'] }),
          call('word_count', { paths: [] }),
          { text: 'ok' },
        ],
        { files: { 'a.txt': 'one two\nthree', 'b.txt': '' } },
      );
      await driven.chat.submit('go');
      const [counted, missing, wrong] = driven.rig.items('tool');
      assert.equal(counted?.output, 'a.txt: 3\nb.txt: 0');
      assert.match(missing?.output ?? '', /ENOENT/);
      assert.equal(wrong?.state.type, 'failed', 'arguments are checked against the schema');
    });
  });

  describe('read-with-notes.ts', () => {
    it('reads as the built-in tool does, and lists what was read', async () => {
      const script = [call('read', { path: 'a.txt' }), call('read', { path: 'gone.txt' }), { text: 'ok' }];
      driven = await Driven.open('pi', 'read-with-notes.ts', script, { files: { 'a.txt': 'hello' } });
      await driven.chat.submit('/files-read');
      await driven.chat.submit('go');
      await driven.chat.submit('/files-read');
      assert.match(driven.rig.items('tool')[0]?.output ?? '', /hello/);
      assert.equal(driven.rig.items('tool')[1]?.state.type, 'failed');
      assert.deepEqual(driven.notices, ['No file was read', 'a.txt']);
    });
  });

  describe('mcp-gate.ts', () => {
    it('asks before a tool of an MCP server runs, unless it is on the list', async () => {
      const servers = {
        docs: scripted({
          tools: [
            { name: 'search', inputSchema: { type: 'object' } },
            { name: 'drop', inputSchema: { type: 'object' } },
          ],
        }),
      };
      driven = await Driven.open(
        'pi',
        'mcp-gate.ts',
        [
          call('mcp__docs__search', {}),
          call('mcp__docs__drop', {}),
          call('mcp__docs__drop', {}),
          bash('true'),
          { text: 'ok' },
        ],
        { mcp: true, home: { '.pi/agent/mcp.json': JSON.stringify({ mcpServers: servers }) } },
      );
      await driven.answering(driven.chat.submit('go'), false, true);
      assert.deepEqual(driven.tools, ['done', '"drop" of the MCP server "docs" was not approved.', 'done', 'done']);
      assert.deepEqual(driven.questions, [
        'Let the MCP server "docs" run "drop"?',
        'Let the MCP server "docs" run "drop"?',
      ]);
    });
  });

  describe('question-form.ts', () => {
    const form = call('ask_user', {
      questions: [
        { text: 'Which database?', options: ['SQLite', 'Postgres'] },
        { text: 'Which port?', options: ['8080'] },
      ],
    });

    it('asks one question after the other, with room for an own answer', async () => {
      driven = await Driven.open('pi', 'question-form.ts', [form, { text: 'ok' }]);
      await driven.answering(driven.chat.submit('go'), 'SQLite', 'Something else…', '9000');
      assert.equal(driven.rig.items('tool')[0]?.output, 'Which database? SQLite\nWhich port? 9000');
    });

    it('stops at a cancelled question, and says so where nobody can answer', async () => {
      driven = await Driven.open('pi', 'question-form.ts', [form, { text: 'ok' }]);
      await driven.answering(driven.chat.submit('go'), undefined);
      assert.match(driven.rig.items('tool')[0]?.output ?? '', /canceled the questions/);
      await driven.close();
      driven = await Driven.open('pi', 'question-form.ts', [form, { text: 'ok' }], { hasUI: false });
      await driven.chat.submit('go');
      assert.match(driven.rig.items('tool')[0]?.output ?? '', /Nobody is there to answer/);
    });
  });

  describe('subagent.ts', () => {
    const task = '--help; $(touch made)';

    it('gives the task to pi as one argument, and returns what it prints', async () => {
      program('pi');
      driven = await Driven.open('pi', 'subagent.ts', [call('delegate', { task }), { text: 'ok' }]);
      await driven.chat.submit('go');
      assert.equal(driven.rig.items('tool')[0]?.output, `--no-session\n-p\nTask: ${task}`);
    });

    it('tells when the other agent failed', async () => {
      program('pi', 3);
      driven = await Driven.open('pi', 'subagent.ts', [call('delegate', { task }), { text: 'ok' }]);
      await driven.chat.submit('go');
      assert.match(driven.rig.items('tool')[0]?.output ?? '', /The other agent failed: exit code 3/);
    });
  });

  describe('ssh.ts', () => {
    const HOST = 'me@build.example';
    let there: string;
    beforeEach(() => (there = mkdtempSync(join(tmpdir(), 'hookline-there-'))));
    afterEach(() => rmSync(there, { recursive: true }));

    /** An `ssh` whose other computer is the folder `there`. */
    function sshThere(): void {
      program('ssh');
      const checks = `[ "$1 $2 $3 $4" = '-o BatchMode=yes ${HOST} --' ] || exit 9`;
      writeFileSync(join(programs ?? '', 'ssh'), `#!/bin/sh\n${checks}\ncd '${there}' && exec sh -c "$5"\n`);
      process.env['SSH_HOST'] = HOST;
    }

    it('writes, reads, edits and runs on the other computer, and says where', async () => {
      sshThere();
      process.env['SSH_DIR'] = 'pro ject';
      const path = "src/it's.txt";
      driven = await Driven.open('pi', 'ssh.ts', [
        call('write', { path, content: 'one\n' }),
        call('edit', { path, edits: [{ oldText: 'one', newText: 'two' }] }),
        call('read', { path }),
        call('read', { path: 'gone.txt' }),
        bash('cat src/*; exit 2'),
        { text: 'ok' },
      ]);
      await driven.chat.submit('go');
      const [written, edited, shown, gone, ran] = driven.rig.items('tool');
      assert.deepEqual([written?.state.type, edited?.state.type, gone?.state.type], ['done', 'done', 'failed']);
      assert.match(shown?.output ?? '', /^two/);
      assert.match(ran?.output ?? '', /^two\n[\s\S]*exited with code 2/);
      assert.equal(readFileSync(join(there, 'pro ject', path), 'utf8'), 'two\n');
      assert.ok(!existsSync(join(driven.rig.cwd, 'src')));
      const tools = driven.rig.model.requests[0]?.tools ?? [];
      const described = tools.filter(({ description }) => description.endsWith(`on ${HOST}.`));
      assert.deepEqual(described.map(({ name }) => name).toSorted(), ['bash', 'edit', 'read', 'write']);
      assert.ok(!tools.some(({ name }) => ['ls', 'grep', 'find'].includes(name)));
    });

    it('leaves the tools alone without a host, and with one that ssh would take for an option', async () => {
      process.env['SSH_HOST'] = '-oProxyCommand=touch made';
      driven = await Driven.open('pi', 'ssh.ts', [bash('echo here'), { text: 'ok' }]);
      await driven.chat.submit('go');
      assert.match(driven.rig.items('tool')[0]?.output ?? '', /^here/);
    });
  });

  describe('local-provider.ts', () => {
    it('offers the model of a local server, which answers', async function () {
      this.timeout(60_000);
      const llm = await ScriptedLlm.start();
      llm.otherwise(() => ({ text: ['hello from here'] }));
      const place = await CliPlace.make();
      try {
        const path = place.file('local-provider.ts', exampleText('pi', 'local-provider.ts'));
        const env = { LOCAL_MODELS_URL: llm.model('openai-completions').baseUrl, LOCAL_MODELS_KEY: llm.apiKey };
        const { stdout, stderr, code } = await place.run(['-e', path, '--model', 'local/default', '-p', 'hi'], { env });
        assert.deepEqual([stdout.trim(), code], ['hello from here', 0], stderr);
      } finally {
        await place.remove();
        await llm.stop();
      }
    });
  });
});
