import type { Dialect } from './dialect';

/** `hooks-v1.md`: the first hooks, with one `session` event and `pi.send`. */
export const v1: Dialect = {
  id: 'v1',
  none: null,
  blockedText: 'Tool execution was blocked by a hook',
  failedPrefix: 'Hook failed, blocking execution: ',
  timed: () => true,
  injects: 'first',
  customRole: 'custom',
  sharesToolInput: true,
  editInput: 'pair',
  notStarted: () => undefined,
  newSessionWord: 'clear',
  startsOnSwitch: false,
  tellsPromptEntries: false,
  contextForm: 'messages',
  turnByDefault: () => false,
  changesFailures: false,
  failureDetails: 'none',
  callOrder: 'oneByOne',
  compactsNothing: true,
  answersResultText: true,
  loneParameter: 'ctx',
  namesKeysBare: true,
  thirdParameter: 'done',
};
