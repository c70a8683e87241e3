export function descendantsOf(pid: number): number[];
export function killTree(pid: number, options?: { patienceMs?: number; mark?: string | undefined }): Promise<void>;
export function processesMarked(mark: string): number[];
export function isAlive(pid: number): boolean;
