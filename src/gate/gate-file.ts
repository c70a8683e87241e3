/**
 * Name of the source file of the built-in gate's decisions. It ships in `dist/approvals`, so that users can read it.
 */
export const GATE_FILE = 'built-in-gate.ts';
