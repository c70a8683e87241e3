// `node run-vscode-tests.ts <options of runTests as JSON>`: exits with 1 when a test fails.
import { runTests } from '@vscode/test-electron';
import { runMain } from './fail.mjs';

type Launch = Parameters<typeof runTests>[0];

await runMain(() => runTests({ ...(JSON.parse(process.argv[2] ?? '') as Launch), version: 'stable' }));
