import { spawn, type ChildProcess } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { Socket } from 'node:net';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The program beside the bundle; a checkout's tests have none, and then nothing is ended for them. */
const REAPER = fileURLToPath(new URL('./reaper.cjs', import.meta.url));

/**
 * Makes sure that nothing that this process started outlives it when it is killed: a small separate process
 * (`reaper.ts`) reads a pipe from here and, when the pipe closes, ends the processes that are left. It is started
 * before the first child, and again after it has ended.
 */
class Orphans {
  private readonly name = `HOOKLINE_HOST_${randomBytes(8).toString('hex')}`;
  /** Goes into the environment of everything that is started: by it those are found that left their group. */
  readonly mark: Readonly<Record<string, string>> = { [this.name]: '1' };
  /** What runs, with the variable that its own tree has in the environment. */
  private readonly open = new Map<number, string>();
  private reaper: ChildProcess | undefined;
  private saysEnd = false;

  /** A process was started with {@link mark}; `treeMarker` names the variable of its own tree, where it has one. */
  started(pid: number, treeMarker = ''): void {
    this.open.set(pid, treeMarker);
    this.send(plus(pid, treeMarker));
  }

  /** To be called when a process has ended. Its background processes are still watched. */
  ended(pid: number): void {
    if (this.open.delete(pid)) this.send(`-${pid}`);
  }

  /** Before something is started with {@link mark}: a host that is killed right after that leaves nothing, either. */
  begin(): void {
    if (this.reaper !== undefined || !existsSync(REAPER)) return;
    const { PATH, SystemRoot } = process.env;
    const reaper = spawn(process.execPath, [REAPER, this.name], {
      cwd: dirname(REAPER),
      // No variable of the host that marks a process tree is passed on: this process must outlive all trees.
      env: { PATH, SystemRoot, ELECTRON_RUN_AS_NODE: '1' },
      stdio: ['pipe', 'ignore', 'ignore'],
      detached: true,
      windowsHide: true,
    });
    const gone = (): void => {
      if (this.reaper === reaper) this.reaper = undefined;
    };
    // Without it children only lose their safety net; the next one tries again.
    reaper.on('error', gone).on('exit', gone);
    reaper.stdin.on('error', gone);
    reaper.unref();
    if (reaper.stdin instanceof Socket) reaper.stdin.unref();
    this.reaper = reaper;
    for (const [pid, treeMarker] of this.open) this.send(plus(pid, treeMarker));
    if (!this.saysEnd) process.once('exit', () => this.send('end'));
    this.saysEnd = true;
  }

  private send(line: string): void {
    this.reaper?.stdin?.write(`${line}\n`);
  }
}

function plus(pid: number, treeMarker: string): string {
  return treeMarker === '' ? `+${pid}` : `+${pid} ${treeMarker}`;
}

/** The orphans of this process; there is one instance, because a process ends once. */
export const orphans = new Orphans();
