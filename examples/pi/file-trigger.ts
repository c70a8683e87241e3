import { readFileSync, watch, type FSWatcher } from 'node:fs';
import { join } from 'node:path';
import type { ExtensionAPI } from '@earendil-works/pi-coding-agent';

/** Written by the test runner, for example with `npm test 2> test-errors.txt`. */
const FILE = 'test-errors.txt';

/** Starts the agent when `test-errors.txt` holds something new. An empty file means that all tests passed. */
export default function fileTrigger(pi: ExtensionAPI) {
  let watcher: FSWatcher | undefined;
  let last = '';

  pi.on('session_start', (_event, ctx) => {
    watcher ??= watch(ctx.cwd, (_change, name) => {
      if (name !== FILE) return;
      const errors = read(join(ctx.cwd, FILE));
      if (errors === last) return; // One save is often reported twice.
      last = errors;
      if (errors === '') return;
      const message = { customType: 'test-errors', content: `The tests fail:\n${errors}`, display: true };
      pi.sendMessage(message, { triggerTurn: true, deliverAs: 'followUp' });
    });
  });
  pi.on('session_shutdown', () => {
    watcher?.close();
    watcher = undefined;
  });
}

function read(file: string): string {
  try {
    return readFileSync(file, 'utf8').trim();
  } catch {
    return ''; // The file was removed.
  }
}
