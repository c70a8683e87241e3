import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../../scripts/support/paths.ts';
import { TEMPLATES, writeHook } from '../../src/hook-authoring/templates';
import { adapterText } from '../../src/hook-load/shell/adapter-file';
import { Rig, type RigOptions } from '../support/conversation-rig';
import { DIALECTS } from '../support/example-hooks';
import { scripted } from '../support/scripted-mcp';
import { bash, call, exampleAs, exampleText } from './drive';

/** A gate that asks, and a call about which it asks. */
interface AskingGate {
  readonly text: string;
  readonly about: ReturnType<typeof call>;
  readonly options?: RigOptions;
}

const CURL = bash('curl --version || true');

const readme = (): string => /```ts\n([\s\S]*?)```/.exec(readFileSync(join(ROOT, 'README.md'), 'utf8'))?.[1] ?? '';
const sample = (): string =>
  readFileSync(join(ROOT, 'examples', 'workspace', '.pi', 'hooks', 'permission-gate.ts'), 'utf8');

const shellHook = JSON.stringify({
  hooks: {
    PreToolUse: [
      { hooks: [{ type: 'command', command: `echo '{"hookSpecificOutput":{"permissionDecision":"ask"}}'` }] },
    ],
  },
});
const webServer = scripted({ tools: [{ name: 'open', inputSchema: { type: 'object' } }] });

const template = TEMPLATES.find(({ fileName }) => fileName === 'ask-before');
assert.ok(template);

const GATES: Readonly<Record<string, AskingGate>> = {
  ...Object.fromEntries(
    DIALECTS.map(dialect => [
      `network-gate.ts as ${dialect}`,
      { text: exampleAs(dialect, 'v1', 'network-gate.ts'), about: CURL },
    ]),
  ),
  ...Object.fromEntries(
    template.dialects.map(dialect => [
      `the template of a permission gate in ${dialect}`,
      { text: writeHook(template, dialect, 'ask-before').text, about: bash('rm -rf "a folder" # \n') },
    ]),
  ),
  'permission-gate.ts': { text: exampleText('pi', 'permission-gate.ts'), about: bash('\n echo "a"   \'b\'\n') },
  'irreversible-commands.ts': { text: exampleText('v1', 'irreversible-commands.ts'), about: bash('true shred') },
  'long-command-guard.ts': { text: exampleText('omp', 'long-command-guard.ts'), about: bash('true tail -f') },
  'the gate of the sample workspace': { text: sample(), about: bash('rm -rf nothing') },
  'the gate of the README': { text: readme(), about: bash(`rm -f ${'a'.repeat(200)}`) },
  'mcp-gate.ts': {
    text: exampleText('pi', 'mcp-gate.ts'),
    about: call('mcp__web__open', { url: 'https://example.test/?a="b"', tabs: 2 }),
    options: { mcp: true, home: { '.pi/agent/mcp.json': JSON.stringify({ mcpServers: { web: webServer } }) } },
  },
  'the adapter of shell hooks': {
    text: adapterText({
      onFailure: 'block',
      sources: [{ specifier: '../../.claude/settings.json', name: '.claude/settings.json' }],
    }),
    about: bash('echo "a\n\tb"'),
    options: { files: { '.claude/settings.json': shellHook } },
  },
};

describe('a call is asked about once under', () => {
  let rig: Rig | undefined;
  afterEach(async () => {
    await rig?.close();
    rig = undefined;
  });

  for (const [name, { text, about, options }] of Object.entries(GATES)) {
    it(name, async () => {
      const opened = await Rig.open([about, { text: 'ok' }], {
        approvals: { mode: 'ask' },
        extensions: { 'gate.ts': text },
        ...options,
      });
      rig = opened;
      const asked: string[] = [];
      opened.dialogs.addView({
        show: ({ hook, dialog }, reply) => {
          asked.push(hook.name);
          queueMicrotask(() => reply(dialog.type === 'select' ? dialog.options[0] : true));
          return { dispose: () => undefined };
        },
      });
      await opened.chat.submit('go');
      assert.deepEqual([asked, opened.items('tool')[0]?.state.type], [['gate.ts'], 'done']);
    });
  }
});
