// `node dist/uninstall.js`: VS Code runs this file when it removes Hookline ("vscode:uninstall" in package.json).
import { rmSync } from 'node:fs';
import { bytecodeFolder } from './own-folders';

process.once('exit', removeBytecode); // The loader of this program has listened before, and stores.

/** Removes the bytecode of our code. A command line that stays installed stores it again. */
function removeBytecode(): void {
  try {
    rmSync(bytecodeFolder(), { recursive: true, force: true });
  } catch {
    // A process that still runs stores at the same time; it can do so at any time later, too.
  }
}
