import { AsyncLocalStorage } from 'node:async_hooks';
import { randomBytes } from 'node:crypto';
import {
  belongsTo,
  readProcessTable,
  withDescendants,
  type ProcessRow,
  type ProcessTable,
} from '../../../base/ending/process-table';

const storage = new AsyncLocalStorage<LeftoverProcesses>();

/** A process that still runs after the call that started it has ended. */
export interface LeftoverProcess {
  readonly pid: number;
  /** Name of its program; undefined where the system does not show it. */
  readonly name: string | undefined;
}

export interface LeftoverProcessesOptions {
  /** Gives all processes of the system; undefined where it does not list them. */
  readonly table?: () => Promise<ProcessTable | undefined>;
  /**
   * Continues for a process that has ended: the variable that it put into environments, and the processes that it
   * started.
   */
  readonly of?: { readonly name: string; readonly roots: readonly number[] };
  /** Called with each process that is started, which leads a session of its own. */
  readonly started?: (pid: number) => void;
}

/**
 * Knows which processes outlive the calls that started them; the approval of what the agent changes depends on it. It
 * finds them by a variable in their environment, which children inherit, and by the group and the session of the
 * started process. It does not find a process that clears the variable and leaves group and session (`env -i setsid`),
 * or that another program starts (cron), nor any process on Windows, which shows neither.
 */
export class LeftoverProcesses {
  /** The variable for the environment of started processes. */
  readonly mark: Readonly<Record<string, string>>;
  /** Name of the environment variable. */
  readonly name: string;
  /** Processes that were started, each the head of a session of its own; none that is known to have nothing left. */
  private readonly roots = new Set<number>();
  private readonly known = new Map<number, number>();
  private readonly table: NonNullable<LeftoverProcessesOptions['table']>;
  private readonly started: (pid: number) => void;
  private hasStarted: boolean;

  constructor({ table = everyFlag, of, started = () => undefined }: LeftoverProcessesOptions = {}) {
    this.table = table;
    this.started = started;
    this.name = of?.name ?? `HOOKLINE_CALL_${randomBytes(8).toString('hex')}`;
    this.mark = { [this.name]: '1' };
    for (const pid of of?.roots ?? []) this.roots.add(pid);
    this.hasStarted = of !== undefined;
  }

  /** Whether the last look found nothing, and nothing was started since. */
  get isOver(): boolean {
    return !this.hasStarted && this.known.size === 0;
  }

  /** The record of the tool call in whose asynchronous context this runs. */
  static get current(): LeftoverProcesses | undefined {
    return storage.getStore();
  }

  /** What `work` starts counts. */
  during<T>(work: () => T): T {
    return storage.run(this, work);
  }

  /** A process was started with {@link mark} in its environment, at the head of a session of its own. */
  note(pid: number): void {
    this.roots.add(pid);
    this.hasStarted = true;
    this.started(pid);
  }

  /** What still runs. Nothing is looked up if nothing was started. Never rejects. */
  async look(): Promise<readonly LeftoverProcess[]> {
    if (!this.hasStarted && this.known.size === 0) return [];
    this.hasStarted = false;
    const table = await this.table();
    const isLeft = (row: ProcessRow): boolean =>
      this.known.get(row.pid) === row.startedAt ||
      this.isOfRoot(row) ||
      table?.flagsOf(row).includes(this.name) === true;
    const found = withDescendants(table?.rows ?? [], isLeft).filter(({ pid }) => pid !== process.pid);
    this.known.clear();
    for (const { pid, startedAt } of found) this.known.set(pid, startedAt);
    // The system may use the number of a session or group again as soon as no process is in it.
    for (const root of this.roots) {
      if (!found.some(row => belongsTo(row, root))) this.roots.delete(root);
    }
    return found.map(({ pid, name }) => ({ pid, name }));
  }

  private isOfRoot(row: ProcessRow): boolean {
    return [row.pid, row.group, row.session].some(id => id !== undefined && this.roots.has(id));
  }
}

/** The processes of an earlier one are older than this process. */
function everyFlag(): Promise<ProcessTable | undefined> {
  return readProcessTable({ flagsOfOlder: true });
}
