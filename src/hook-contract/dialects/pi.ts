import type { Dialect } from '../dialect';
import { ext } from './ext';

/** Extensions of today's pi; only the changes since `ext` are listed (docs/dialects.md#todays-pi). */
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
  exposesTruncated: true,
  strictFlags: true,
  contextChanges: 'inPlace',
  promptPlace: 'tags',
  decidesTurns: true,
  exposesPromptEntries: true,
  exposesNestedCalls: true,
  namesKeysBare: false,
  sharesApi: false,
};
