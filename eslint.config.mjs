import eslint from '@eslint/js';
import tseslint from 'typescript-eslint';

/** The layers of hooks and all below them. */
const HOOKS = ['base', 'agent', 'hook-typings', 'hook-contract', 'hook-load', 'gate', 'hook-run'];

/** The engine of a conversation, and what lies below both it and its view. */
const CONVERSATION = ['transcript', 'export', 'components', 'session'];

/** Which folders of src each folder may import; docs/architecture.md draws the same picture. */
const LAYERS = {
  base: [],
  protocol: [],
  agent: ['base'],
  'demo-model': ['base', 'agent'],
  'hook-typings': ['base'],
  'hook-contract': ['base', 'agent', 'hook-typings'],
  'hook-load': ['base', 'agent', 'hook-typings', 'hook-contract'],
  gate: ['base', 'agent', 'hook-typings', 'hook-contract', 'hook-load'],
  'hook-run': ['base', 'agent', 'hook-typings', 'hook-contract', 'hook-load', 'gate'],
  'hook-authoring': ['base', 'agent', 'hook-typings', 'hook-contract', 'hook-load'],
  'typescript-plugin': ['base', 'hook-contract'],
  'package-preview': [...HOOKS, 'hook-authoring', 'packages'],
  'hook-insight': [...HOOKS, 'hook-authoring'],
  packages: ['base', 'agent', 'hook-typings', 'hook-contract', 'hook-load', 'gate'],
  mcp: ['base', 'agent', 'hook-typings'],
  startup: [...HOOKS, 'mcp', 'packages'],
  transcript: ['base', 'protocol', 'agent', 'hook-contract'],
  export: ['base', 'protocol', 'agent', 'transcript'],
  components: ['base', 'protocol', 'hook-contract', 'transcript'],
  session: [...HOOKS, 'protocol', 'mcp', 'packages', 'startup', 'transcript'],
  guard: [...HOOKS, 'protocol', 'mcp', 'packages', 'startup', 'transcript', 'session'],
  chat: [...HOOKS, 'protocol', 'mcp', 'packages', 'startup', ...CONVERSATION],
  modes: [
    ...HOOKS,
    'demo-model',
    'protocol',
    'hook-authoring',
    'hook-insight',
    'mcp',
    'packages',
    'package-preview',
    'startup',
    ...CONVERSATION,
    'guard',
  ],
  vscode: [
    ...HOOKS,
    'demo-model',
    'protocol',
    'hook-authoring',
    'hook-insight',
    'mcp',
    'packages',
    'package-preview',
    'startup',
    ...CONVERSATION,
    'guard',
    'chat',
    'typescript-plugin',
  ],
};

/**
 * The rooms of a layer, from the lowest: each may import only the ones before it, so no two of them import each other. `.` are
 * the files that lie in the folder of the layer itself.
 */
const ROOMS = {
  base: ['.', 'async', 'files', 'json', 'text', 'ending'],
  protocol: ['base', 'panels', 'items', 'composer', 'pages', '.'],
  agent: [
    '.',
    'images',
    'tools',
    'models',
    'settings',
    'resources',
    'prompt',
    'session',
    'compaction',
    'changes',
    'run',
  ],
  'hook-typings': ['ui', 'registered', 'session', 'context', 'events', '.', 'root', 'modules'],
  'hook-contract': ['approvals', 'ui', '.', 'session', 'events', 'dialects'],
  'hook-load': ['compile', 'ownership', 'graph', 'shell', 'modules', 'files', '.'],
  gate: ['calls', 'commands', 'rules', '.', 'approval-store', 'held-changes'],
  'hook-run': ['dispatch', 'tool-call', 'api', 'black-box', 'host'],
  packages: ['.', 'install', 'approval'],
  'package-preview': ['read', '.'],
  mcp: ['config', 'login', 'connection', 'tools', 'serving', '.'],
  startup: ['agents', 'helper-thread', 'parent', 'trust', '.'],
  'hook-insight': ['.', 'recording', 'dry-run', 'replay', 'hook-tests'],
  session: [
    ...[
      'attachments',
      'ports',
      'state',
      'models',
      'requests',
      'compaction',
      'questions',
      'approvals',
      'commands',
      'run',
      'prompts',
    ],
    ...['moves', '.', 'child-session'],
  ],
  guard: ['protocol', 'agents', 'calls', 'config', 'client', 'host', 'fire'],
  chat: [
    ...['model', 'editor', 'call-records', 'changes', 'components', 'cards', 'composer', 'questions', 'commands', '.'],
    ...['window', 'page', 'tree'],
  ],
  modes: ['protocol', 'arguments', 'agents', 'terminal', 'start', 'packages', 'rpc', 'acp', 'guard', '.'],
  vscode: [
    '.',
    'language-models',
    'login',
    'pages',
    'watch',
    'hooks-view',
    'mcp-view',
    'package-preview',
    'questions',
    'write-diff',
    'chat',
    'editor-context',
    'hook-authoring',
    'hook-log',
    'pickers',
    'packages-view',
    'palette',
    'sessions',
    'sessions-view',
    'debug',
    'hook-tests',
    'guard',
    'window',
    'commands',
  ],
};

const NO_VSCODE = [{ name: 'vscode', message: 'Only src/vscode and src/extension.ts may import vscode.' }];

/** How many folders below that of its layer a file may lie. */
const DEPTHS = [0, 1, 2, 3, 4, 5];

/** The files of a folder at one depth below it. */
function filesAt(folder, depth) {
  return `${folder}/${'*/'.repeat(depth)}*.ts`;
}

/** The rule for imports of files that lie `depth` folders below that of their layer; `rooms` are patterns of their room. */
function importRule(files, layer, depth, rooms = []) {
  const allowed = LAYERS[layer];
  const forbidden = Object.keys(LAYERS).filter(other => other !== layer && !allowed.includes(other));
  const layers = {
    regex: `^${'\\.\\./'.repeat(depth + 1)}(${forbidden.join('|')})(/|$)`,
    message: `src/${layer} may import only: ${allowed.join(', ') || 'nothing in src'}.`,
  };
  return {
    files: [files],
    rules: {
      'no-restricted-imports': [
        'error',
        {
          paths: layer === 'vscode' ? [] : NO_VSCODE,
          patterns: [
            ...(forbidden.length > 0 ? [layers] : []),
            ...rooms,
            { regex: '/webview/', message: 'The host never imports the webview.' },
          ],
        },
      ],
    },
  };
}

const layerRules = Object.keys(LAYERS).flatMap(layer =>
  DEPTHS.map(depth => importRule(filesAt(`src/${layer}`, depth), layer, depth)),
);

const roomRules = Object.entries(ROOMS).flatMap(([layer, rooms]) =>
  rooms.flatMap((room, index) => {
    const later = rooms.slice(index + 1);
    const namesOf = list => list.filter(other => other !== '.').join('|');
    const named = namesOf(later);
    const message = `src/${layer}/${room} may import only these rooms of its layer: ${rooms.slice(0, index).join(', ') || 'none'}.`;
    return DEPTHS.flatMap(depth => {
      if ((room === '.') !== (depth === 0)) return [];
      const files = room === '.' ? filesAt(`src/${layer}`, 0) : filesAt(`src/${layer}/${room}`, depth - 1);
      const up = depth === 0 ? '\\./' : '\\.\\./'.repeat(depth);
      return [
        importRule(files, layer, depth, [
          ...(named === '' ? [] : [{ regex: `^${up}(${named})(/|$)`, message }]),
          ...(later.includes('.') ? [{ regex: `^${up}(?!(${namesOf(rooms)})$)[^./][^/]*$`, message }] : []),
        ]),
      ];
    });
  }),
);

const CODE_SHAPE = [
  { selector: 'TSEnumDeclaration', message: 'Use a union of string literals.' },
  { selector: 'ExportDefaultDeclaration', message: 'Named exports only.' },
  {
    selector: "CallExpression[callee.object.name='process'][callee.property.name='cwd']",
    message: 'The extension host has no meaningful cwd; take it as a parameter.',
  },
  {
    selector: "AssignmentExpression[left.object.name='process'][left.property.name='env']",
    message: 'Change single variables: Node itself does not look at another object.',
  },
  {
    selector: "NewExpression[callee.name='Promise'] > ArrowFunctionExpression[async=true]",
    message: 'No async promise executor.',
  },
];

/** Only `src/base/ending` ends processes, because only it proves that they are ours. */
const NO_ENDING = [
  "CallExpression[callee.property.name='kill']:not([arguments.1.value=0])",
  "MemberExpression[computed=true][property.value='kill']",
  "Property[key.name='killSignal']",
  "CallExpression[callee.name=/^(spawn|exec)/][arguments.0.value='kill']",
  'Literal[value=/^(kill |pkill|killall|taskkill|tskill|wmic)/]',
  'TemplateElement[value.raw=/^(kill |pkill|killall|taskkill|tskill|wmic)/]',
].map(selector => ({ selector, message: 'End processes with StartedTree of src/base/ending.' }));

/** Only one file starts git, because it drops what leads git to another repository than that of its folder. */
const NO_GIT = [
  "Property[key.name='command'][value.value='git']",
  'CallExpression[callee.name=/^(spawn|exec|execFile|fork)(Sync)?$/][arguments.0.value=/^git( |$)/]',
  'CallExpression[callee.property.name=/^(spawn|exec|execFile)(Sync)?$/][arguments.0.value=/^git( |$)/]',
].map(selector => ({ selector, message: 'Run git with src/agent/tools/shell/git-process.ts.' }));

/** What no code of ours does, but for the file that is meant to. */
const RESTRICTED = [...CODE_SHAPE, ...NO_ENDING, ...NO_GIT];

/** Only `src/modes/terminal` writes to a terminal, because it marks what hides in a text. */
const PRINTING = {
  selector: 'CallExpression[callee.property.name="write"][callee.object.property.name=/^std(out|err)$/]',
  message: 'Print with src/modes/terminal/print.ts.',
};

export default tseslint.config(
  { ignores: ['dist/', 'out/', 'artifacts/', 'node_modules/', '.cache/', 'examples/', 'test/fixtures/'] },
  eslint.configs.recommended,
  tseslint.configs.strictTypeChecked,
  {
    languageOptions: { parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname } },
    rules: {
      curly: ['error', 'multi-line'],
      eqeqeq: ['error', 'always', { null: 'ignore' }],
      'no-console': 'error',
      '@typescript-eslint/consistent-type-imports': 'error',
      '@typescript-eslint/no-confusing-void-expression': ['error', { ignoreArrowShorthand: true }],
      '@typescript-eslint/switch-exhaustiveness-check': 'error',
      '@typescript-eslint/no-unused-vars': [
        'error',
        { argsIgnorePattern: '^_', caughtErrors: 'all', caughtErrorsIgnorePattern: '^_' },
      ],
      '@typescript-eslint/restrict-template-expressions': ['error', { allowNumber: true }],
      'max-lines': ['warn', { max: 400, skipBlankLines: true, skipComments: true }],
      'max-lines-per-function': ['warn', { max: 60, skipBlankLines: true, skipComments: true }],
      'max-params': ['warn', 4],
      'max-depth': ['warn', 3],
      complexity: ['warn', 12],
      'no-restricted-syntax': ['error', ...RESTRICTED],
    },
  },
  {
    files: ['scripts/**', 'src/agent/tools/shell/git-process.ts'],
    rules: { 'no-restricted-syntax': ['error', ...CODE_SHAPE, ...NO_ENDING] },
  },
  {
    files: ['src/base/ending/**', 'test/**'],
    rules: { 'no-restricted-syntax': ['error', ...CODE_SHAPE] },
  },
  ...layerRules,
  ...roomRules,
  {
    files: ['src/*/**/*.ts'],
    ignores: Object.keys(LAYERS).map(layer => `src/${layer}/**`),
    rules: {
      'no-restricted-syntax': ['error', { selector: 'Program', message: 'A new folder in src needs a row in LAYERS.' }],
    },
  },
  {
    files: Object.keys(ROOMS).map(layer => `src/${layer}/*/**/*.ts`),
    ignores: Object.entries(ROOMS).flatMap(([layer, rooms]) => rooms.map(room => `src/${layer}/${room}/**`)),
    rules: {
      'no-restricted-syntax': [
        'error',
        { selector: 'Program', message: 'A new room of this layer needs a place in ROOMS.' },
      ],
    },
  },
  {
    files: ['src/modes/**/*.ts'],
    ignores: ['src/modes/terminal/*.ts'],
    rules: {
      'no-restricted-syntax': ['error', ...RESTRICTED, PRINTING],
    },
  },
  {
    files: ['webview/**/*.ts'],
    rules: {
      'no-restricted-imports': [
        'error',
        {
          paths: ['vscode'],
          patterns: [
            {
              regex: '^(\\.\\./)+src/(?!protocol(/|$)|base/text/(visible-text|single-line|terminal-strings)$)',
              message: 'The webview may import only src/protocol and three texts of src/base/text.',
            },
            { regex: '^node:', message: 'No Node in the webview.' },
          ],
        },
      ],
    },
  },
  {
    files: ['test/**/*.ts'],
    rules: {
      'max-lines-per-function': 'off',
      'max-lines': 'off',
      '@typescript-eslint/no-non-null-assertion': 'off',
      '@typescript-eslint/no-unused-expressions': 'off',
    },
  },
  {
    files: ['scripts/**'],
    rules: { 'no-console': 'off' },
  },
  {
    // The compiler checks both, as it reads the types in the comments.
    files: ['scripts/**/*.mjs', 'src/guard/client/*.mjs'],
    rules: { 'no-undef': 'off', '@typescript-eslint/no-unsafe-assignment': 'off' },
  },
  {
    // A program of its own, whose working folder says what it is called for.
    files: ['src/guard/client/*.mjs'],
    rules: { 'no-restricted-syntax': 'off' },
  },
  {
    files: ['eslint.config.mjs', '**/*.cjs', '**/*.js'],
    extends: [tseslint.configs.disableTypeChecked],
    rules: { 'no-undef': 'off', '@typescript-eslint/no-require-imports': 'off', 'no-restricted-syntax': 'off' },
  },
);
