/** Name of the file that holds what the built-in gate decides; it is shipped in `dist/approvals`, where people read it. */
export const GATE_FILE = 'built-in-gate.ts';
