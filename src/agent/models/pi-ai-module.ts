import type * as PiAiModule from '@mariozechner/pi-ai/compat';

/**
 * The parts of pi-ai that exist at run time, its global registry of APIs among them. Its types may be imported anywhere,
 * its code only through `loadPiAi`.
 */
export type PiAi = typeof PiAiModule;
