import type {
  AssistantItem,
  ChatItem,
  GateItem,
  HookRef,
  ToolItem,
  ToolState,
} from '../../../src/protocol/items/chat-item';
import type { HostToWebview, RunStatus, SlashCommand } from '../../../src/protocol/messages';

/** What the tests and pictures of the page show: one of everything. */

export const GATE_HOOK: HookRef = {
  path: '/work/demo/.pi/hooks/permission-gate.ts',
  name: 'permission-gate.ts',
  line: 12,
};
export const PATHS_HOOK: HookRef = {
  path: '/work/demo/.pi/hooks/protected-paths.ts',
  name: 'protected-paths.ts',
  line: 7,
};

export const IDLE: RunStatus = {
  phase: { type: 'idle' },
  model: 'Demo (offline)',
  demo: true,
  thinkingLevel: 'low',
  thinkingLevels: ['off', 'low', 'high'],
  title: 'Clean up the build folder',
  context: { tokens: 12_345, window: 200_000, estimated: true },
  cost: 0.0123,
  hooks: { live: 3, broken: 0, failed: 0, stopped: 0, heldBack: 0, waiting: 0 },
  hookStatus: [],
};

export const RUNNING: RunStatus = { ...IDLE, phase: { type: 'running', message: 'Running bash…' } };

export const COMMANDS: readonly SlashCommand[] = [
  { name: 'new', description: 'Start a new session', source: 'built-in' },
  { name: 'name', description: 'Name this session', source: 'built-in' },
  { name: 'resume', description: 'Open an earlier session', source: 'built-in' },
  { name: 'model', description: 'Pick the model', source: 'built-in' },
  { name: 'compact', description: 'Summarize the conversation so far to free the context', source: 'built-in' },
  { name: 'deploy-check', description: 'Look whether main can go out', source: 'hook' },
];

export function user(id: string, text: string): ChatItem {
  return { kind: 'user', id, text, images: [], state: 'sent' };
}

export function assistant(id: string, text: string, change: Partial<AssistantItem> = {}): AssistantItem {
  return { kind: 'assistant', id, blocks: [{ type: 'text', text }], model: 'Demo (offline)', state: 'done', ...change };
}

/** What the host tells of a tool of this name. */
function factsOf(name: string): Pick<ToolItem, 'icon' | 'summaryKind' | 'changesPath'> {
  if (name === 'bash') return { icon: 'terminal', summaryKind: 'command' };
  if (name === 'edit' || name === 'write') return { icon: 'edit', summaryKind: 'path', changesPath: true };
  return { icon: 'tools', summaryKind: name === 'ls' || name === 'read' ? 'path' : 'text' };
}

export function tool(
  id: string,
  name: string,
  summary: string,
  state: ToolState,
  change: Partial<ToolItem> = {},
): ToolItem {
  const args = JSON.stringify({ command: summary }, null, 2);
  const card = { summary, args, state, output: '', images: [], verdicts: [] };
  return { kind: 'tool', id, toolCallId: id, name, ...factsOf(name), ...card, ...change };
}

export function gate(id: string, change: Partial<GateItem> = {}): GateItem {
  return {
    kind: 'gate',
    id,
    hook: GATE_HOOK,
    title: 'Dangerous command. Allow it?',
    message: 'rm -rf build',
    dialog: { type: 'confirm' },
    state: { type: 'open' },
    ...change,
  };
}

const ANSWER = `I looked at the project. Three things stand out:

1. **\`build/\`** is generated, so it can go.
2. The test in \`src/parse.ts:42\` never runs – see [the runner](src/runner.ts#L7).
3. Docs at https://example.org/guide.

| file | size | what |
|:-----|-----:|:----:|
| \`out.js\` | 12 kB | bundle |
| \`map\` | 40 kB | source map |

- [x] read the sources
- [ ] remove \`build/\`

\`\`\`ts
export function parse(text: string): number {
  // The sign comes first.
  const value = Number(text.trim());
  return Number.isNaN(value) ? 0 : value;
}
\`\`\`

> Quoted: hooks decide, you see why.
`;

const DIFF = `--- a/src/parse.ts
+++ b/src/parse.ts
@@ -1,4 +1,5 @@
 export function parse(text: string): number {
-  return Number(text);
+  const value = Number(text.trim());
+  return Number.isNaN(value) ? 0 : value;
 }
`;

const TEST_OUTPUT =
  '\x1b[1mmocha\x1b[0m  12 files\n\x1b[32m  ✔ parses numbers\x1b[0m\n\x1b[31m  ✘ parses signs\x1b[0m \x1b[2m(4 ms)\x1b[0m\n' +
  '\x1b[7m inverse \x1b[0m \x1b[38;5;208morange\x1b[0m \x1b[44;97m on blue \x1b[0m\n';

/** A conversation with one of each kind of item and state. */
export const TOUR: readonly ChatItem[] = [
  { kind: 'notice', id: 'n1', level: 'info', text: 'Session resumed: 14 entries.' },
  user('u1', 'Look at the project and clean up.'),
  assistant('a1', ANSWER, {
    blocks: [
      { type: 'thinking', text: 'The user wants a clean folder. First look, then act.' },
      { type: 'text', text: ANSWER },
    ],
  }),
  tool(
    'tool:1',
    'read',
    'src/parse.ts',
    { type: 'done', durationMs: 4 },
    { path: '/work/demo/src/parse.ts', output: 'export function parse' },
  ),
  tool(
    'tool:2',
    'edit',
    'src/parse.ts',
    { type: 'done', durationMs: 18 },
    {
      path: '/work/demo/src/parse.ts',
      diff: DIFF,
      verdicts: [{ hook: PATHS_HOOK, event: 'tool_call', durationMs: 0.4, outcome: 'nothing' }],
    },
  ),
  tool(
    'tool:3',
    'bash',
    'npm test',
    { type: 'failed', durationMs: 2310 },
    { output: TEST_OUTPUT, fullOutputPath: '/tmp/out.txt' },
  ),
  tool(
    'tool:4',
    'bash',
    'rm -rf build',
    { type: 'blocked', by: GATE_HOOK, reason: 'Blocked by user' },
    {
      verdicts: [
        { hook: PATHS_HOOK, event: 'tool_call', durationMs: 0.3, outcome: 'nothing' },
        { hook: GATE_HOOK, event: 'tool_call', durationMs: 5310, outcome: 'blocked', detail: 'Blocked by user' },
      ],
    },
  ),
  tool('tool:5', 'grep', 'TODO', { type: 'skipped', reason: 'the run was stopped' }),
  {
    kind: 'bash',
    id: 'b1',
    command: 'git status --short',
    output: ' M src/parse.ts\n',
    exitCode: 0,
    state: 'done',
    hidden: true,
  },
  { kind: 'custom', id: 'c1', customType: 'deploy-check', text: 'Main is **green**.' },
  {
    kind: 'notice',
    id: 'n2',
    level: 'error',
    text: 'permission-gate.ts could not be loaded: Unexpected token "=". The last good version stays at work.',
    detail: 'SyntaxError: Unexpected token "="\n    at permission-gate.ts:4:7',
    hook: GATE_HOOK,
    file: { path: GATE_HOOK.path, line: 4, column: 7 },
  },
  {
    kind: 'notice',
    id: 'n3',
    level: 'warning',
    text: 'No key for the model "claude".',
    actions: [{ label: 'Set API key', command: 'setApiKey' }],
  },
  user('u2', 'Then remove the build folder.'),
  assistant('a2', '', { state: 'error', error: '529 overloaded: the provider could not be reached', blocks: [] }),
  assistant('a3', 'Removing it now.'),
  tool('tool:6', 'bash', 'rm -rf build', { type: 'asking', hook: GATE_HOOK }),
  gate('g1', { toolItem: 'tool:6' }),
];

export function snapshot(
  items: readonly ChatItem[],
  change: Partial<Extract<HostToWebview, { type: 'snapshot' }>> = {},
): HostToWebview {
  return {
    type: 'snapshot',
    revision: 0,
    conversation: 'demo',
    items,
    earlier: 0,
    status: IDLE,
    commands: COMMANDS,
    draft: '',
    ...change,
  };
}
