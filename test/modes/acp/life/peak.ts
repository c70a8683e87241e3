import { existsSync, readFileSync } from 'node:fs';

/** The most memory that a process had so far, in MB; undefined where the system does not tell. */
export function peakOf(pid: number): number | undefined {
  const file = `/proc/${pid}/status`;
  const found = existsSync(file) ? /VmHWM:\s+(\d+) kB/.exec(readFileSync(file, 'utf8'))?.[1] : undefined;
  return found === undefined ? undefined : Number(found) / 1024;
}
