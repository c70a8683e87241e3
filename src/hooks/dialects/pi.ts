import type { Dialect } from './dialect';
import { ext } from './ext';

/** Extensions of pi 1.5.2; only the changes since `ext` are listed. */
export const pi: Dialect = {
  ...ext,
  id: 'pi',
  blockedText: 'Tool execution was blocked',
  failureDetails: 'empty',
  callOrder: 'sideBySide',
  compactsNothing: false,
  busyUntil: 'settled',
  endsWithSession: true,
  waitsForIdle: true,
  tellsTruncated: true,
  strictFlags: true,
  decidesTurns: true,
  tellsPromptEntries: true,
  tellsNestedCalls: true,
  namesKeysBare: false,
  sharesApi: false,
};
