import { isRunning } from '../../base/ending/known-process';
import { readProcessRow } from '../../base/ending/process-table';
import { LeftoverProcesses, type LeftoverProcess } from '../../agent/tools/shell/leftover-processes';
import type { CallingRun } from './approval-record';
import type { ApprovalStore, PlaceName } from './approval-store';

/**
 * The processes of tool calls in a place: those in which calls are open now, and what calls started and left running, also
 * when the process of the calls has ended. Never rejects. On Windows, only the former are seen.
 */
export async function processesOfCalls(
  store: Pick<ApprovalStore, 'runsAtCall' | 'rootsOf'>,
  name: PlaceName,
): Promise<readonly LeftoverProcess[]> {
  const found = await Promise.all(
    store.runsAtCall(name).map(async run => [...hostOf(run), ...(await startedBy(run, store.rootsOf(run)))]),
  );
  return [...new Map(found.flat().map(each => [each.pid, each])).values()];
}

function hostOf(run: CallingRun): readonly LeftoverProcess[] {
  return isRunning(run) ? [{ pid: run.pid, name: readProcessRow(run.pid)?.name }] : [];
}

function startedBy({ marker }: CallingRun, roots: readonly number[]): Promise<readonly LeftoverProcess[]> {
  return new LeftoverProcesses({ of: { name: marker, roots } }).look();
}
