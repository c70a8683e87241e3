import assert from 'node:assert/strict';
import type { JsonValue, NestedToolCallRecord } from '@mariozechner/pi-ai';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { SessionStore } from '../../src/agent/session/store';
import { exportedSession } from '../../src/export/exported-session';
import { sessionToHtml } from '../../src/export/to-html';
import { sessionToMarkdown } from '../../src/export/to-markdown';
import { exportTo, writeExport } from '../../src/export/write-export';
import { hasHiddenCharacters } from '../../src/base/text/visible-text';
import { HIDING_COMMAND } from '../support/hidden-text';
import { assistant, user, useStores, useTempDir } from '../agent/session/support';
import { PIXEL, richSession } from './rich-session';

const html = (store: SessionStore, scope: 'path' | 'tree' = 'path'): string =>
  [...sessionToHtml(exportedSession(store, scope))].join('');
const markdown = (store: SessionStore, scope: 'path' | 'tree' = 'path'): string =>
  [...sessionToMarkdown(exportedSession(store, scope))].join('');

/** A session in which the model presented something, with the details of the answer. */
function planned(name: string, args: Record<string, string>, details: JsonValue | undefined): SessionStore {
  const store = SessionStore.inMemory('/w');
  store.appendMessage({ ...assistant(''), content: [{ type: 'toolCall', id: 'p', name, arguments: args }] });
  const content = [{ type: 'text' as const, text: 'What the model reads' }];
  const result = { role: 'toolResult', toolCallId: 'p', isError: false, timestamp: 1 } as const;
  store.appendMessage({ ...result, toolName: name, content, details });
  return store;
}

describe('exporting a session', () => {
  const dir = useTempDir();
  const stores = useStores();

  describe('to Markdown', () => {
    it('holds what was said as it was said, with names, labels, thinking and tools', () => {
      const text = markdown(richSession());
      assert.match(text, /^# A named session\n/);
      assert.match(text, /## User — label: start\n\n> Fix the \*bug\*\n/);
      assert.match(text, /## Assistant \(anthropic\/claude-test\)/);
      assert.match(text, /<summary>Thinking<\/summary>\n\n> Let me look\./);
      assert.match(text, /<summary>Tool read: src\/a\.ts<\/summary>\n\n```json\n\{\n {2}"path": "src\/a\.ts"\n\}\n```/);
      assert.match(text, /<summary>Tool bash: npm test \(failed\)<\/summary>/);
      assert.match(text, /```diff\n-old\n\+new\n```/);
      assert.match(text, /!\[image-1\]\[image-1\]/);
      assert.ok(text.trimEnd().endsWith(`[image-1]: data:image/png;base64,${PIXEL}`));
      assert.match(text, /4 messages · 3 tool calls · 30 tokens/);
      assert.doesNotMatch(text, /another way/);
    });

    it('holds the calls that a tool made, as pages do', () => {
      const store = SessionStore.inMemory('/w');
      const toolCall = { type: 'toolCall', id: 'p', name: 'orchestrate', arguments: {} } as const;
      store.appendMessage({ ...assistant(''), content: [toolCall] });
      const calls: NestedToolCallRecord[] = [
        { id: 'p/1', name: 'bash', arguments: { command: 'echo <b>' }, status: 'ok' },
        { id: 'p/1/1', name: 'read', arguments: { path: 'a.ts' }, status: 'error', error: 'no such file' },
      ];
      store.appendMessage({
        role: 'toolResult',
        toolCallId: 'p',
        toolName: 'orchestrate',
        content: [{ type: 'text', text: 'all done' }],
        nestedCalls: { calls, complete: true },
        isError: false,
        timestamp: 1,
      });
      assert.match(
        markdown(store),
        /Calls that the tool made:\n\n```\nbash echo <b>\n {2}read a\.ts \(no such file\)\n```/,
      );
      const page = html(store);
      assert.match(
        page,
        /Calls that the tool made[^]*<pre>bash echo &lt;b&gt;\n {2}read a\.ts \(no such file\)<\/pre>/,
      );
    });

    it('holds a plan as the user approved it, once, and what became of it, as pages do', () => {
      const plan = '# Move <b>it</b>\n\n1. Look';
      const sentBack = planned('present_plan', { plan }, { accepted: false, feedback: 'smaller <steps>' });
      const text = markdown(sentBack);
      assert.match(
        text,
        /<summary>Tool present_plan: Move &lt;b&gt;it&lt;\/b&gt;<\/summary>\n\n> # Move <b>it<\/b>\n>\n> 1\. Look\n\n```\nYou sent this plan back: smaller <steps>\n```/,
      );
      assert.doesNotMatch(text, /What the model reads|```json/);
      const page = html(sentBack);
      assert.match(page, /<h1>Move &lt;b&gt;it&lt;\/b&gt;<\/h1>\s*<ol>\s*<li>Look<\/li>/);
      assert.match(page, /<pre>You sent this plan back: smaller &lt;steps&gt;<\/pre>/);
      assert.doesNotMatch(page, /What the model reads|<b>it/);

      const edited = planned('present_plan', { plan }, { accepted: true, mode: 'ask', plan: '# Mine' });
      const said = 'You edited and approved this plan. You are asked before each step.';
      assert.ok(markdown(edited).includes(`> # Mine\n\n\`\`\`\n${said}\n\`\`\``));
      assert.match(html(edited), new RegExp(`<h1>Mine</h1>\\s*<pre>${said}</pre>`));
      for (const whole of [markdown(edited), html(edited)]) assert.doesNotMatch(whole, /1\. Look|<li>Look/);
    });

    it('holds arguments and result of a tool that only looks like the plan tool, as pages do', () => {
      const details = { accepted: true, mode: 'ask', plan: '# Mine' };
      for (const [name, args] of [
        ['vote', { plan: '# Theirs' }],
        ['present_plan', { steps: '# Theirs' }],
      ] as const) {
        const store = planned(name, args, name === 'vote' ? details : undefined);
        for (const whole of [markdown(store), html(store)]) {
          assert.match(whole, /(plan|steps)("|&quot;): ("|&quot;)# Theirs/);
          assert.match(whole, /What the model reads/);
          assert.doesNotMatch(whole, /approved this plan|Mine/);
        }
      }
    });

    it('holds the last todo list of the branch once, and one line for each call, as pages do', () => {
      const store = SessionStore.inMemory('/w');
      const write = (id: string, ...states: readonly string[]): void => {
        const todos = states.map((status, index) => ({ content: `step <${index}>`, status }));
        const call = { type: 'toolCall', id, name: 'todo', arguments: { todos } } as const;
        store.appendMessage({ ...assistant(''), content: [call] });
        const content = [{ type: 'text' as const, text: 'The whole list again' }];
        const result = { role: 'toolResult', toolName: 'todo', isError: false, timestamp: 1 } as const;
        store.appendMessage({ ...result, toolCallId: id, content, details: { todos } });
      };
      store.appendMessage(user('go'));
      write('a', 'in_progress', 'pending', 'pending', 'pending');
      write('b', 'completed', 'abandoned', 'in_progress', 'pending');
      store.appendMessage(user('thanks'));
      const text = markdown(store);
      assert.match(text, /\*Tool todo: 0\/4 · step &lt;0&gt;\*\n\n/);
      assert.match(text, /\*Tool todo: 2\/4 · step &lt;2&gt;\*\n\n/);
      const list =
        '- [x] step &lt;0&gt;\n- [x] ~~step &lt;1&gt;~~ (Given up)\n- [ ] step &lt;2&gt; (Doing)\n- [ ] step &lt;3&gt;\n';
      assert.ok(text.includes(`> thanks\n\n## Todo list\n\n${list}`), text);
      const page = html(store);
      assert.match(page, /<p class="mark">todo <code>2\/4 · step &lt;2&gt;<\/code><\/p>/);
      assert.match(page, /<li class="in_progress">step &lt;2&gt; <span class="mark">Doing<\/span><\/li>/);
      for (const whole of [text, page]) {
        assert.doesNotMatch(whole, /The whole list again|"status"/);
        assert.equal(whole.split('step &lt;1&gt;').length, 2, 'each item that is not worked on is there once');
      }
    });

    it('holds every branch when asked to', () => {
      const text = markdown(richSession(), 'tree');
      assert.match(text, /# Branch 1: Try another way \(from entry \w+\)\n\n## User\n\n> Try another way/);
      assert.match(text, /Done another way\./);
    });

    it('holds what a newer pi wrote, and says in one line what nobody knows', () => {
      const store = SessionStore.inMemory('/w');
      const added = [{ name: 'read', description: '', parameters: {} }];
      const sections = { preamble: 'You are pi.', docs: null };
      store.appendMessage({ role: 'system', content: '', sections, toolsAdded: added, timestamp: 1 });
      const secret = store.appendMessage(user('swordfish'));
      store.appendRaw({ type: 'message', message: { role: 'oracle', wisdom: 42 } });
      store.appendRaw({ type: 'thing_of_tomorrow' });
      store.appendContextEdit(secret, { content: 'a fish' });
      store.appendRaw({ type: 'usage', kind: 'cache_warm', provider: 'p', model: 'm', usage: { totalTokens: 1200 } });
      store.appendCustomEntry('plan', { step: 1 });
      for (const text of [markdown(store), html(store)]) {
        assert.match(text, /System prompt[^]*You are pi\.[^]*Section [^]*docs[^]*is removed\.[^]*Tools added: read/);
        assert.equal(text.match(/This version does not support these entries/g)?.length, 1);
        assert.match(text, /This version does not support these entries: oracle, thing_of_tomorrow\./);
        assert.match(text, new RegExp(`Replaced for the model: ${secret}[^]*a fish`));
        assert.match(text, /Used for cache_warm: 1,200 tokens/);
        assert.match(text, /State of a hook: plan[^]*step/);
      }
    });

    it('tells a blocked call from a failed one, where its result does', () => {
      const store = SessionStore.inMemory('/w');
      store.appendMessage(user('go'));
      store.appendMessage({
        ...assistant(''),
        content: [{ type: 'toolCall', id: 'c', name: 'bash', arguments: { command: 'rm -rf build' } }],
      });
      store.appendMessage({
        role: 'toolResult',
        toolCallId: 'c',
        toolName: 'bash',
        content: [{ type: 'text', text: 'Tool execution was blocked by an extension' }],
        details: undefined,
        isError: true,
        timestamp: 1,
      });
      assert.match(markdown(store), /<summary>Tool bash: rm -rf build \(blocked\)<\/summary>/);
      assert.match(html(store), /<span class="state">blocked<\/span>/);
    });

    it('lets no message change how the next one reads', () => {
      const store = SessionStore.inMemory('/w');
      store.appendMessage(user('```\nopen fence <!-- and comment'));
      store.appendMessage({ ...assistant('````js\nstill open\n<!-- comment') });
      store.appendMessage(user('# not a title'));
      const text = markdown(store);
      assert.match(text, /> ```\n> open fence <!-- and comment\n\n## Assistant/);
      assert.match(text, /````js\nstill open\n<!-- comment\n````\n-->\n\n## User\n\n> # not a title/);
    });
  });

  describe('to HTML', () => {
    it('holds the same, folded where it is long', () => {
      const text = html(richSession());
      assert.match(text, /<title>A named session<\/title>/);
      assert.match(text, /<span class="label">start<\/span>/);
      assert.match(text, /<details class="thinking"><summary>Thinking<\/summary><p>Let me look\.<\/p>/);
      assert.match(text, /<details class="tool"><summary>read <code>src\/a\.ts<\/code><\/summary>/);
      assert.match(text, /<details class="tool failed"><summary>bash <code>npm test<\/code>/);
      assert.match(text, /<span class="removed">-old<\/span><span class="added">\+new<\/span>/);
      assert.ok(text.includes(`<img alt="Image" src="data:image/png;base64,${PIXEL}">`));
      assert.match(text, /red and plain/);
      assert.doesNotMatch(text, /another way/);
      assert.ok(!text.includes('\u001b'));
    });

    it('allows nothing but its own style and inline images', () => {
      const [, policy = ''] = /Content-Security-Policy" content="([^"]+)"/.exec(html(richSession())) ?? [];
      assert.match(
        policy,
        /^default-src &#39;none&#39;; style-src &#39;sha256-[\w+/=]+&#39;; img-src data:; base-uri &#39;none&#39;; form-action &#39;none&#39;$/,
      );
    });

    it('links each branch with the message where it parts', () => {
      const text = html(richSession(), 'tree');
      const [, from] = /<a href="#(e-\w+)">Fork point<\/a>/.exec(text) ?? [];
      assert.ok(from);
      assert.ok(text.includes(`id="${from}"`));
      assert.match(text, /Branches here: <a href="#branch-1">Branch 1<\/a>/);
      assert.match(text, /<details class="branch" id="branch-1"><summary>Branch 1: Try another way<\/summary>/);
    });

    it('escapes whatever stands in the session, wherever it stands', () => {
      const evil = `"><script>alert(1)</script><img src=x onerror=alert(2)>'`;
      const store = SessionStore.inMemory(evil);
      const first = store.appendMessage(user(evil));
      store.appendMessage({
        ...assistant(`${evil} [x](javascript:alert(3)) ![y](https://elsewhere.test/i.png)`),
        model: evil,
        content: [
          { type: 'text', text: `${evil} [x](javascript:alert(3)) ![y](https://elsewhere.test/i.png)` },
          { type: 'thinking', thinking: evil },
          { type: 'toolCall', id: evil, name: evil, arguments: { [evil]: evil } },
        ],
        stopReason: 'error',
        errorMessage: evil,
      });
      store.appendMessage({
        role: 'toolResult',
        toolCallId: evil,
        toolName: evil,
        content: [
          { type: 'text', text: evil },
          { type: 'image', mimeType: `image/png" onerror="alert(4)`, data: 'AAAA' },
          { type: 'image', mimeType: 'image/svg+xml', data: 'PHN2Zz4=' },
          { type: 'image', mimeType: 'image/png', data: `AAAA" onerror="alert(5)` },
        ],
        details: { diff: `+${evil}` },
        isError: false,
        timestamp: 1,
      });
      store.appendCustomMessageEntry(evil, evil, true);
      store.appendLabelChange(first, evil);
      store.appendSessionInfo(evil);
      const text = html(store, 'tree');
      assert.doesNotMatch(text, /<script|<img|href="javascript/i);
      const tags = [...text.matchAll(/<([a-z0-9]+)[\s>]/g)].map(([, tag]) => tag ?? '');
      const allowed =
        'html head meta title style body header h1 h2 dl dt dd main article span time p details summary pre code a footer';
      assert.deepEqual(
        [...new Set(tags)].filter(tag => !allowed.split(' ').includes(tag)),
        [],
      );
    });

    it('marks characters that hide in a session, wherever they stand', () => {
      const store = SessionStore.inMemory('/work');
      store.appendMessage(user(HIDING_COMMAND));
      store.appendMessage({
        ...assistant(HIDING_COMMAND),
        content: [
          { type: 'text', text: HIDING_COMMAND },
          { type: 'thinking', thinking: HIDING_COMMAND },
          { type: 'toolCall', id: 't', name: 'bash', arguments: { command: HIDING_COMMAND } },
        ],
      });
      store.appendSessionInfo(HIDING_COMMAND);
      const texts = [html(store, 'tree'), markdown(store)];
      for (const text of texts) {
        assert.equal(hasHiddenCharacters(text), false);
        for (const code of ['U+202E', 'U+200B', 'U+3164', 'U+000D']) assert.ok(text.includes(`⟦${code}⟧`), code);
      }
    });

    it('shows the lines after a title of a terminal that has no end', () => {
      const store = SessionStore.inMemory('/w');
      const text = 'before\u001b]0;window\nafter\u001bPq#0\nlast';
      store.appendMessage({
        role: 'toolResult',
        toolCallId: 'c',
        toolName: 'own',
        content: [{ type: 'text', text }],
        isError: false,
        timestamp: 1,
      });
      for (const exported of [html(store), markdown(store)]) {
        assert.match(exported, /before\n *after\n *last/);
        assert.doesNotMatch(exported, /window|q#0/);
      }
    });

    it('makes links of terminal links to the web, and shows no escape code', () => {
      const link = (url: string, text: string, end = '\u0007'): string =>
        `\u001b]8;;${url}${end}${text}\u001b]8;;${end}`;
      const output = [
        link('https://one.test/?a=1&b=2', '\u001b[31mone\u001b[0m <b>', '\u001b\\'),
        link('mailto:me@one.test', 'two'),
        link('javascript:alert(1)', 'three'),
        'four\u001b_G1;picture\u001b\\ \u001b(Bfive\u001b \u001b]8;;http://open.test\u0007six',
      ].join('\n');
      const store = SessionStore.inMemory('/w');
      store.appendMessage({
        role: 'toolResult',
        toolCallId: 'c',
        toolName: 'own',
        content: [{ type: 'text', text: output }],
        isError: false,
        timestamp: 1,
      });
      store.appendCustomMessageEntry('own', link('https://one.test', 'seven'), true);
      const text = html(store);
      const start = (href: string): string => `<a href="${href}" rel="noopener noreferrer">`;
      assert.ok(
        text.includes(
          [
            `<pre>${start('https://one.test/?a=1&amp;b=2')}one &lt;b&gt;</a>`,
            `${start('mailto:me@one.test')}two</a>`,
            'three',
            `four five ${start('http://open.test')}six</a></pre>`,
          ].join('\n'),
        ),
        text,
      );
      assert.match(text, /<p>seven<\/p>/);
      assert.match(markdown(store), /\none <b>\ntwo\nthree\nfour five six\n/);
    });

    it('takes what other programs wrote, whatever is missing', async () => {
      const file = dir.join('odd.jsonl');
      const lines = [
        { type: 'session', version: 3, id: 's', timestamp: 'never', cwd: '/w' },
        {
          type: 'message',
          id: 'a',
          parentId: null,
          timestamp: '',
          message: { role: 'user', content: [{ type: 'new' }] },
        },
        {
          type: 'message',
          id: 'b',
          parentId: 'a',
          timestamp: '',
          message: { role: 'assistant', content: [{ type: 'x' }] },
        },
        { type: 'message', id: 'c', parentId: 'b', timestamp: '', message: { role: 'robot', content: 5 } },
        {
          type: 'message',
          id: 'd',
          parentId: 'c',
          timestamp: '',
          message: { role: 'toolResult', toolCallId: '?', toolName: 't', content: [] },
        },
        { type: 'telemetry', id: 'e', parentId: 'd', timestamp: '', x: 1 },
      ];
      writeFileSync(file, lines.map(line => `${JSON.stringify(line)}\n`).join(''));
      const store = await stores.open(file, { readOnly: true });
      assert.match(html(store, 'tree'), /<article class="tool"/);
      assert.match(markdown(store, 'tree'), /Tool t/);
    });
  });

  describe('to a file', () => {
    it('appears when it is whole, and leaves nothing behind when it fails', async () => {
      const target = dir.join('out.html');
      writeFileSync(target, 'before');
      const aborted = AbortSignal.abort(new Error('not wanted'));
      const long = SessionStore.inMemory('/w');
      for (let n = 0; n < 4000; n++) long.appendMessage(assistant(`**answer** ${n}\n\n- with\n- a list`));
      await assert.rejects(writeExport(long, target, { format: 'html', scope: 'path', signal: aborted }), /not wanted/);
      assert.equal(readFileSync(target, 'utf8'), 'before');
      await writeExport(long, target, { format: 'html', scope: 'path' });
      assert.match(readFileSync(target, 'utf8'), /3999[\s\S]*<\/html>\n$/);
      assert.deepEqual(readdirSync(dir.path), ['out.html']);
    });

    it('has the format of its ending, and a name from the session when none is given', async () => {
      const store = richSession();
      assert.equal(await exportTo(store, dir.path, 'a b.md'), dir.join('a b.md'));
      assert.match(readFileSync(dir.join('a b.md'), 'utf8'), /^# A named session/);
      const named = await exportTo(store, dir.path, undefined);
      assert.equal(named, dir.join(`pi-session-${store.getSessionId()}.html`));
      assert.match(readFileSync(named, 'utf8'), /^<!DOCTYPE html>/);
      await assert.rejects(exportTo(store, dir.path, 'a.pdf'), /\.html, \.md or \.jsonl, not "a\.pdf"/);
      await assert.rejects(exportTo(SessionStore.inMemory('/w'), dir.path, 'b.html'), /Nothing to export yet/);
      assert.ok(!existsSync(dir.join('b.html')));
    });

    it('names the file that was asked for when its folder does not exist', async () => {
      const target = dir.join('missing/a.md');
      await assert.rejects(exportTo(richSession(), dir.path, 'missing/a.md'), ({ message }: Error) => {
        assert.ok(message.includes(`'${target}'`), message);
        assert.doesNotMatch(message, /\.tmp/);
        return true;
      });
    });

    it('holds every branch as HTML, as pi does, and the current path as Markdown', async () => {
      const page = await exportTo(richSession(), dir.path, 'whole.html');
      assert.match(readFileSync(page, 'utf8'), /Done another way\./);
      const text = await exportTo(richSession(), dir.path, 'path.md');
      assert.doesNotMatch(readFileSync(text, 'utf8'), /Done another way\./);
    });

    it('holds the current path as JSONL, a session that keeps id, folder and what nobody knows', async () => {
      const store = stores.track(SessionStore.create({ dir: dir.path, cwd: '/w' }));
      const first = store.appendMessage(user('asked'));
      store.appendMessage(assistant('on a branch that was left'));
      store.branch(first);
      store.appendRaw({ type: 'hologram', beams: [1, 2] });
      store.appendMessage(assistant('answered'));
      await store.flush();
      const file = await exportTo(store, dir.path, 'copy.jsonl');
      const copy = await stores.open(file, { readOnly: true });
      assert.deepEqual(copy.problems, []);
      assert.deepEqual([copy.getSessionId(), copy.getCwd()], [store.getSessionId(), '/w']);
      assert.deepEqual(copy.getEntries(), store.getBranch());
      assert.ok(copy.getEntries().some(({ type }) => type === 'hologram'));
    });

    it('never takes the place of the session itself', async () => {
      const store = stores.track(SessionStore.create({ dir: dir.path, cwd: '/w' }));
      store.appendMessage(user('asked'));
      await store.flush();
      const file = store.getSessionFile() ?? '';
      const before = readFileSync(file, 'utf8');
      await assert.rejects(exportTo(store, dir.path, file), /is the session itself/);
      assert.equal(readFileSync(file, 'utf8'), before);
    });

    it('lets the event loop run while it writes', async () => {
      const store = SessionStore.inMemory('/w');
      for (let n = 0; n < 5000; n++) store.appendMessage(assistant(`# ${n}\n\n${'word '.repeat(50)}`));
      let turns = 0;
      const counting = setInterval(() => (turns += 1), 0);
      await writeExport(store, dir.join('long.html'), { format: 'html', scope: 'path' });
      clearInterval(counting);
      assert.ok(turns > 3, `${turns} turns`);
    });
  });
});
