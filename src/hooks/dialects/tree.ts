import type { Dialect } from './dialect';

/** Session trees, in the form of the description (`session`) and of its code (`session_*`; docs/dialects.md#tree). */
export const tree: Dialect = {
  id: 'tree',
  none: null,
  blockedText: 'Tool execution was blocked by a hook',
  failedPrefix: 'Hook failed, blocking execution: ',
  timed: timeout => timeout !== 'long',
  injects: 'first',
  customRole: 'hookMessage',
  sharesToolInput: true,
  editInput: 'pair',
  notStarted: () => undefined,
  newSessionWord: 'new',
  startsOnSwitch: false,
  endsWithSession: false,
  waitsForIdle: false,
  exposesTruncated: false,
  strictFlags: false,
  exposesPromptEntries: false,
  exposesNestedCalls: false,
  contextForm: 'messages',
  // The default is true in the description and false in its code. It is true only for files that follow the description:
  // they listen to `session` (docs/dialects.md, D8).
  turnByDefault: (features, display) => display && features.events.has('session'),
  changesFailures: false,
  failureDetails: 'none',
  callOrder: 'oneByOne',
  compactsNothing: true,
  decidesTurns: false,
  busyUntil: 'end',
  answersResultText: true,
  commandSignal: 'command',
  onlyParameter: 'ctx',
  namesKeysBare: true,
  sharesApi: true,
  thirdParameter: 'done',
};
