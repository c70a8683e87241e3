// The process that runs one file of hook tests. `run-test-file.ts` starts it, sends it a task and gets its events.
import { open, url, waitForDebugger } from 'node:inspector';
import { pathToFileURL } from 'node:url';
import type { TestEvent, TestTask } from '../test-event';
import { Execution } from './execution';
import { testFailure } from './failure';
import { Suites } from './suites';

// Kept before a test can replace them.
const outputs = [process.stdout, process.stderr].map(stream => ({ stream, write: stream.write.bind(stream) }));

// What is left of a window that crashed must not go on.
process.once('disconnect', () => process.exit());
process.once('message', (task: TestTask) => void run(task));

async function run({ file, only, limitMs, debug }: TestTask): Promise<void> {
  if (debug) {
    open(0, '127.0.0.1');
    await reportFully({ type: 'waiting', port: Number(new URL(url() ?? '').port) });
    waitForDebugger();
  }
  const suites = new Suites(file, limitMs);
  Object.assign(globalThis, suites.functions());
  const execution = new Execution(file, report);
  process.on('uncaughtException', error => {
    execution.thrown(error);
  });
  try {
    await import(pathToFileURL(file).href);
    await execution.run(suites, only);
  } catch (error) {
    report({ type: 'broken', id: file, failure: testFailure(error, file) });
  }
  await allPrinted();
  await reportFully({ type: 'done' });
  process.exit();
}

function report(event: TestEvent): void {
  process.send?.(event);
}

/** Resolves when all that was printed is with the other process, which the end of this one would throw away. */
async function allPrinted(): Promise<void> {
  const waits = outputs.map(
    ({ stream, write }) =>
      new Promise<void>(resolve => {
        if (stream.writable) write('', 'utf8', () => resolve());
        else resolve();
      }),
  );
  await Promise.all(waits);
}

/** Resolves when the event is with the other process. */
function reportFully(event: TestEvent): Promise<void> {
  return new Promise(resolve => {
    if (process.send === undefined) resolve();
    else process.send(event, undefined, {}, () => resolve());
  });
}
