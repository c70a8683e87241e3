import type { Dialect } from './dialect';

/** `hook-reference-ext.md`: pi's extensions. */
export const ext: Dialect = {
  id: 'ext',
  none: undefined,
  blockedText: 'Tool execution was blocked by an extension',
  failedPrefix: 'Extension failed, blocking execution: ',
  timed: () => false,
  injects: 'all',
  customRole: 'custom',
  sharesToolInput: true,
  editInput: 'list',
  notStarted: () => 'Extension runtime not initialized. Action methods cannot be called during extension loading.',
  newSessionWord: 'new',
  startsOnSwitch: true,
  tellsPromptEntries: false,
  contextForm: 'messages',
  turnByDefault: () => false,
  changesFailures: true,
  failureDetails: 'none',
  callOrder: 'oneByOne',
  compactsNothing: true,
  answersResultText: false,
  loneParameter: 'args',
  namesKeysBare: true,
  thirdParameter: 'keybindings',
};
