import type { Dialect } from '../dialect';
import { v1 } from './v1';

/** v1 with raw entries, wrapped messages in `context`, and `pi.command` (docs/dialects.md#v2). */
export const v2: Dialect = { ...v1, id: 'v2', contextForm: 'wrapped', answersResultText: false };
