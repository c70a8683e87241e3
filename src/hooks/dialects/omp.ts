import type { Dialect } from './dialect';

/** `hooks-omp.md`: oh-my-pi's hooks, and pi's own from 0.31 until extensions came. */
export const omp: Dialect = {
  id: 'omp',
  none: undefined,
  blockedText: 'Tool execution was blocked by a hook',
  failedPrefix: 'Hook failed, blocking execution: ',
  timed: () => false,
  injects: 'first',
  customRole: 'custom',
  sharesToolInput: false,
  editInput: 'pair',
  notStarted: method => `${method} handler not initialized`,
  newSessionWord: 'new',
  startsOnSwitch: false,
  tellsPromptEntries: false,
  contextForm: 'messages',
  turnByDefault: () => false,
  changesFailures: false,
  failureDetails: 'none',
  callOrder: 'oneByOne',
  compactsNothing: true,
  answersResultText: false,
  loneParameter: 'args',
  namesKeysBare: true,
  thirdParameter: 'done',
};
