import { join } from 'node:path';
import { startGuardHost } from '../../guard/host/start-host';
import type { GuardCommandLine } from './guard-command-line';

/**
 * `hookline guard start`: starts the host in the background unless one runs. Resolves with 0. Rejects with why it did not start.
 */
export async function startHost({
  place,
  process,
  caller,
  code,
}: Pick<GuardCommandLine, 'place' | 'process' | 'caller' | 'code'>): Promise<number> {
  await startGuardHost(place, { node: process.execPath, cli: join(code.distDir, 'cli.js') }, caller.env);
  return 0;
}
