/** Names of Hookline's own slash commands, in the order of their completion. Hooks cannot take them. */
export const BUILT_IN_COMMANDS = [
  'new',
  'resume',
  'compact',
  'model',
  'name',
  'tree',
  'export',
  'session',
  'reload',
  'copy',
  'thinking',
] as const;
