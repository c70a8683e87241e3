import { endVsCode, spoilVsCode } from './vs-code';
import { openWorkbenches } from './workbench';

/** Root hooks of mocha: a failed test leaves a picture and the logs; a file that forgets to close a workbench fails. */
afterEach(async function () {
  if (this.currentTest?.state !== 'failed') return;
  spoilVsCode();
  for (const workbench of openWorkbenches()) await workbench.keepEvidence(this.currentTest.fullTitle());
});

after(async () => {
  const forgotten = openWorkbenches();
  for (const workbench of forgotten) await workbench.close();
  await endVsCode();
  if (forgotten.length > 0) {
    throw new Error(`${forgotten.length} workbenches were not closed by the test that opened them`);
  }
});
