import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { readProcessRow } from '../../../base/ending/process-table';

/**
 * When a running process began, as the system writes it. Another process that gets the same id later has another value. Undefined
 * if there is no such process, or if the system does not tell (Windows).
 */
export async function processStart(
  pid: number,
  platform: NodeJS.Platform = process.platform,
): Promise<string | undefined> {
  if (platform === 'win32') return undefined;
  return platform === 'linux' ? startInProc(pid) : startByPs(pid);
}

/** Ticks since the system started. They can be compared only until it restarts. */
async function startInProc(pid: number): Promise<string | undefined> {
  const ticks = readProcessRow(pid)?.startedAt;
  const boot = await readFile('/proc/sys/kernel/random/boot_id', 'latin1').catch(() => undefined);
  return ticks === undefined || boot === undefined ? undefined : `${boot.trim()} ${ticks}`;
}

function startByPs(pid: number): Promise<string | undefined> {
  return new Promise(resolve => {
    execFile('ps', ['-o', 'lstart=', '-p', String(pid)], { env: { ...process.env, LC_ALL: 'C' } }, (error, stdout) => {
      const text = stdout.trim();
      resolve(error !== null || text === '' ? undefined : text);
    });
  });
}
