import type { GuardCommandLine } from './guard-mode';
import { showStatus } from './show-status';

export async function checkGuards(line: GuardCommandLine): Promise<number> {
  return showStatus(line);
}
