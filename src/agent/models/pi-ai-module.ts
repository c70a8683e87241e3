import type * as PiAiModule from '@mariozechner/pi-ai';

/** The parts of pi-ai that exist at run time. Its types may be imported anywhere, its code only through `loadPiAi`. */
export type PiAi = typeof PiAiModule;
