import { readFileSync, watch } from 'node:fs';
import { dirname, join } from 'node:path';
import type { HookAPI } from '@mariozechner/pi-coding-agent/hooks';

/** Written by the test runner, for example with `npm test 2> test-errors.txt`. */
const FILE = 'test-errors.txt';

/**
 * Wakes the agent when the tests fail: as soon as `test-errors.txt` holds something new, it is sent as a message and a
 * run begins. An empty file means that all is well.
 */
export default function fileTrigger(pi: HookAPI) {
  let last = '';

  pi.on('session', (event, ctx) => {
    if (event.reason !== 'start') return;
    const file = join(ctx.cwd, FILE);
    watch(dirname(file), (_change, name) => {
      if (name !== FILE) return;
      const errors = read(file);
      if (errors === last) return; // One save is often told twice.
      last = errors;
      if (errors === '') return;
      // `true` starts a run if the agent is idle. While it works, the message waits for the next gap.
      pi.sendMessage({ customType: 'test-errors', content: `The tests fail:\n${errors}`, display: true }, true);
    });
  });
}

function read(file: string): string {
  try {
    return readFileSync(file, 'utf8').trim();
  } catch {
    return ''; // Gone again.
  }
}
