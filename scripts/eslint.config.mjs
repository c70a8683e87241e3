// Lint of the scripts alone: they are plain modules without types. The code has its own at the project's root.
import eslint from '@eslint/js';

const TIMERS = ['clearInterval', 'clearTimeout', 'setInterval', 'setTimeout'];
const NODE_GLOBALS = [...TIMERS, 'Buffer', 'URL', 'URLSearchParams', 'console', 'fetch', 'process'];
const COMMONJS_GLOBALS = ['exports', 'module', 'require'];

const readonly = names => Object.fromEntries(names.map(name => [name, 'readonly']));

export default [
  eslint.configs.recommended,
  {
    files: ['**/*.mjs'],
    languageOptions: { ecmaVersion: 2024, sourceType: 'module', globals: readonly(NODE_GLOBALS) },
    rules: {
      eqeqeq: ['error', 'always', { null: 'ignore' }],
      'no-unused-vars': ['error', { argsIgnorePattern: '^_', caughtErrors: 'all' }],
      'max-lines-per-function': ['warn', { max: 60, skipBlankLines: true, skipComments: true }],
    },
  },
  {
    files: ['**/*.cjs', '**/*.js'],
    languageOptions: { sourceType: 'commonjs', globals: readonly([...NODE_GLOBALS, ...COMMONJS_GLOBALS]) },
    rules: { 'no-unused-vars': ['error', { argsIgnorePattern: '^_' }] },
  },
];
