import { cpSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../support/paths.ts';

/** Copies the clients that other agents call for their hooks; `src/guard/client/install-client.ts` installs them from there. */
export function copyGuardClient(outdir: string): void {
  for (const name of ['client.sh', 'client.mjs', 'tools.sh', 'tools.mjs']) {
    cpSync(join(ROOT, 'src', 'guard', 'client', name), join(outdir, 'guard', 'client', name));
  }
}
