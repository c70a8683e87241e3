import { registerDemo, type DemoOptions } from '../demo/provider';
import type { PiAi } from './pi-ai-module';

export type { PiAi } from './pi-ai-module';

let loading: Promise<PiAi> | undefined;

/**
 * Loads pi-ai once (about 0.5 MB with its model list, so never during activation) and registers the demo model with it.
 * `demo` counts for the first call only. A failed load is not remembered.
 */
export function loadPiAi(demo?: DemoOptions): Promise<PiAi> {
  loading ??= import('@mariozechner/pi-ai/compat').then(
    piAi => {
      registerDemo(piAi, demo);
      return piAi;
    },
    (error: unknown) => {
      loading = undefined;
      throw error;
    },
  );
  return loading;
}
