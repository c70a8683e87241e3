import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { DialectId } from '../../../src/hook-contract/dialect-id';
import { TEMPLATES, writeHook, type HookTemplate } from '../../../src/hook-authoring/templates';
import { Rig, until, type RigOptions } from '../../support/conversation-rig';
import type { Script } from '../../support/scripted-stream';

let calls = 0;

function call(name: string, args: Record<string, unknown>): Script {
  return { calls: [{ id: `call-${++calls}`, name, args }] };
}

/** The template that proposes this file name. */
function templateOf(fileName: string): HookTemplate {
  const template = TEMPLATES.find(each => each.fileName === fileName);
  assert.ok(template, fileName);
  return template;
}

/** One test per dialect of a template, in a conversation in which it is the only hook. */
function inEachDialect(
  fileName: string,
  script: (dialect: DialectId) => readonly Script[],
  drive: (rig: Rig, dialect: DialectId) => Promise<void>,
  options: RigOptions = {},
): void {
  const template = templateOf(fileName);
  for (const dialect of template.dialects) {
    it(`in ${dialect}`, async () => {
      const hooks = { [`${fileName}.ts`]: writeHook(template, dialect, fileName).text };
      const rig = await Rig.open(script(dialect), { settings: SMALL_CONTEXT, ...options, hooks });
      try {
        await drive(rig, dialect);
      } finally {
        await rig.close();
      }
    });
  }
}

/** The scripted model's window is small: compaction only when asked for, and then of all but the last words. */
const SMALL_CONTEXT: RigOptions['settings'] = {
  compaction: { enabled: false, reserveTokens: 100, keepRecentTokens: 5 },
};

const tools = (rig: Rig): readonly string[] =>
  rig.items('tool').map(({ state }) => (state.type === 'blocked' ? state.reason : state.type));

const sent = (rig: Rig): string => JSON.stringify(rig.model.requests.at(-1)?.messages);

/** Answers the next question of the work. */
async function answering(rig: Rig, work: Promise<unknown>, answer: boolean): Promise<void> {
  const page = rig.page();
  const gate = await until(() => rig.items('gate').find(({ state }) => state.type === 'open'), 'a question');
  page.send({ type: 'answer', id: gate.id, answer });
  await work;
  page.dispose();
}

describe('a permission gate from the template asks before a listed command', () => {
  const push = (): Script[] => [call('bash', { command: 'git push || true' }), { text: 'ok' }];
  inEachDialect(
    'ask-before',
    () => [...push(), ...push(), call('bash', { command: 'echo hi' }), { text: 'ok' }],
    async rig => {
      await answering(rig, rig.chat.submit('go'), false);
      await answering(rig, rig.chat.submit('go'), true);
      await rig.chat.submit('go');
      assert.deepEqual(tools(rig), ['The user said no: this command publishes commits.', 'done', 'done']);
      assert.match(rig.items('gate')[0]?.title ?? '', /publishes commits/);
    },
  );
});

describe('a permission gate from the template blocks when nobody can be asked', () =>
  inEachDialect(
    'ask-before',
    () => [call('bash', { command: 'rm -rf x' }), { text: 'ok' }],
    async rig => {
      await rig.chat.submit('go');
      assert.match(tools(rig)[0] ?? '', /nobody can be asked/);
    },
    { hasUI: false },
  ));

describe('blocked commands from the template block those of the list alone', () =>
  inEachDialect(
    'block-commands',
    () => [
      call('bash', { command: 'git push --force' }),
      call('bash', { command: 'sudo true' }),
      call('bash', { command: 'echo hi' }),
      { text: 'ok' },
    ],
    async rig => {
      await rig.chat.submit('go');
      const [push, root, echo] = tools(rig);
      assert.deepEqual(
        [push, root, echo],
        ['Force pushes are not allowed here.', 'Commands as root are not allowed here.', 'done'],
      );
    },
  ));

describe('protected paths from the template block writes to them alone', () =>
  inEachDialect(
    'keep-out',
    () => [
      call('write', { path: 'a/../.env', content: 'x' }),
      call('write', { path: '.git/config', content: 'x' }),
      call('write', { path: '.envelope', content: 'x' }),
      call('read', { path: '.envelope' }),
      { text: 'ok' },
    ],
    async rig => {
      await rig.chat.submit('go');
      const [env = '', git = '', ...others] = tools(rig);
      assert.match(env, /protected by the rule "\.env"/);
      assert.match(git, /protected by the rule "\.git"/);
      assert.deepEqual(others, ['done', 'done']);
    },
  ));

describe('a redactor from the template keeps secrets from the model', () => {
  const secret = 'sk-abcdefgh12345678';
  inEachDialect(
    'redact',
    () => [call('read', { path: 'keys.txt' }), { text: 'ok' }],
    async rig => {
      await rig.chat.submit('go');
      assert.ok(!sent(rig).includes(secret));
      assert.match(sent(rig), /key \[secret\] end/);
    },
    { files: { 'keys.txt': `key ${secret} end\n` } },
  );
});

describe('a slash command from the template gets its arguments', () =>
  inEachDialect(
    'greet',
    () => [],
    async (rig, dialect) => {
      await rig.chat.submit('/greet moon');
      await rig.chat.submit('/greet');
      assert.deepEqual(
        rig.items('notice').map(({ text }) => text),
        ['Hello, moon!', 'Hello, world!'],
      );
      const offered = await rig.host.commands.completions('greet', 'mo');
      assert.deepEqual(
        offered.map(({ value }) => value),
        dialect === 'ext' || dialect === 'pi' ? ['moon'] : [],
      );
    },
  ));

describe('injected context from the template reaches the model once the file is there', () =>
  inEachDialect(
    'notes',
    () => [{ text: 'one' }, { text: 'two' }],
    async rig => {
      await rig.chat.submit('go');
      assert.doesNotMatch(sent(rig), /Notes of the user/);
      mkdirSync(join(rig.cwd, '.pi'), { recursive: true });
      writeFileSync(join(rig.cwd, '.pi', 'notes.md'), 'prefer tabs\n');
      await rig.chat.submit('go');
      assert.match(sent(rig), /Notes of the user:\\nprefer tabs/);
    },
  ));

describe('a compaction from the template sums up what the user asked, and keeps what was summed up before', () =>
  inEachDialect(
    'compact',
    () => [{ text: 'first answer' }, { text: 'second answer' }, { text: 'third answer' }, { text: 'last' }],
    async rig => {
      await rig.chat.submit('plant a tree');
      await rig.chat.submit('water it');
      await rig.conversation.run.compact();
      await rig.chat.submit('pick the apples');
      await rig.conversation.run.compact();
      await rig.chat.submit('what was that?');
      assert.equal(rig.model.requests.length, 4, 'no model was asked for a summary');
      assert.match(sent(rig), /The user asked:\\n- plant a tree/);
      assert.doesNotMatch(sent(rig), /first answer/);
    },
  ));

describe('a tool from the template can be called by the model, and fails as tools do', () =>
  inEachDialect(
    'count-words',
    () => [call('count_words', { path: 'a.txt' }), call('count_words', { path: 'none.txt' }), { text: 'ok' }],
    async rig => {
      await rig.chat.submit('go');
      assert.match(sent(rig), /3 words/);
      assert.match(sent(rig), /ENOENT/);
    },
    { files: { 'a.txt': 'one two  three\n' } },
  ));

describe('a status line from the template counts what the agent does', () =>
  inEachDialect(
    'tool-counter',
    () => [call('ls', {}), call('ls', {}), { text: 'ok' }, { text: 'nothing' }],
    async rig => {
      const seen = new Set<string>();
      rig.chat.status.onDidChange(() => {
        for (const text of rig.chat.status.current.hookStatus) seen.add(text);
      });
      await rig.chat.submit('go');
      assert.ok(seen.has('2 tool calls, now ls'), [...seen].join());
      assert.deepEqual(rig.chat.status.current.hookStatus, ['2 tool calls']);
      await rig.chat.submit('again');
      assert.deepEqual(rig.chat.status.current.hookStatus, []);
    },
  ));
