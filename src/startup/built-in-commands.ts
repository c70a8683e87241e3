/**
 * Names of Hookline's own slash commands, in the order in which they are suggested: those of today's pi that make sense
 * in a panel. Hooks cannot use these names (docs/commands.md).
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

/**
 * Commands of today's pi that make no sense here. They are not suggested; a user who types one gets an explanation. Hooks
 * and prompt templates can use these names.
 */
export const ABSENT_COMMANDS = ['share', 'bug', 'mcp', 'llama'] as const;
