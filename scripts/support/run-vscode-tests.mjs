// `node run-vscode-tests.mjs <options of runTests as JSON>`: exits with 1 when a test fails.
import { runTests } from '@vscode/test-electron';
import { runMain } from './fail.mjs';

await runMain(() => runTests({ ...JSON.parse(process.argv[2]), version: 'stable' }));
