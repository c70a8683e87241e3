import type { Dialect } from './dialect';
import { v1 } from './v1';

/** `hooks-v2.md`: v1 with raw entries, wrapped messages in `context`, and `pi.command`. */
export const v2: Dialect = { ...v1, id: 'v2', contextForm: 'wrapped', answersResultText: false };
