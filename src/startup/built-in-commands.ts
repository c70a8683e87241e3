/**
 * Names of Hookline's own slash commands, those of pi 1.5.2 that make sense in a panel, in the order of their completion.
 * Hooks cannot take them (docs/commands.md).
 */
export const BUILT_IN_COMMANDS = [
  'new',
  'resume',
  'compact',
  'model',
  'thinking',
  'scoped-models',
  'name',
  'tree',
  'fork',
  'clone',
  'export',
  'import',
  'session',
  'copy',
  'reload',
  'settings',
  'login',
  'logout',
  'trust',
  'hotkeys',
  'changelog',
  'quit',
] as const;

export type BuiltInCommandName = (typeof BUILT_IN_COMMANDS)[number];

/** Commands of pi 1.5.2 that make no sense here: they are answered, not completed, and hooks and templates may take them. */
export const ABSENT_COMMANDS = ['share', 'bug', 'mcp', 'llama'] as const;
