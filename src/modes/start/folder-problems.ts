import type { Disposable } from '../../base/disposable';
import type { Problem } from '../../base/result';
import type { HookHost } from '../../hook-run/host/host';
import type { McpPort } from '../../mcp/mcp-port';
import { stateText } from '../../mcp/status-text';
import { StartError } from '../arguments/usage-error';
import type { ProcessServices } from './process-services';
import { trustWarning } from './trust-text';

/** Throws if a hook that the command line names failed to load, since it may be a gate. */
export function refuseBrokenNamedHooks(host: HookHost): void {
  for (const { path, origin, state } of host.infos()) {
    if (origin === 'explicit' && state.type === 'failed') throw new StartError(failureText(path, state.problems));
  }
}

/** Reports calls that were blocked because no user could be asked. */
export function printUnasked(host: HookHost, printError: (text: string) => void): Disposable {
  return host.records.onDidDispatch(({ approvalReason, outcome }) => {
    if (approvalReason?.by === 'nobody' && outcome.type === 'blocked') printError(`Warning: ${outcome.reason}`);
  });
}

/** Says once that the folder is not trusted, now or when it gets something that needs trust. */
export function printTrust(
  { hooks: { host }, trust }: Pick<ProcessServices, 'hooks' | 'trust'>,
  printError: (text: string) => void,
  toTrust?: string,
): Disposable {
  const warn = trustWarning(trust, printError, toTrust);
  const print = (): void => warn({ refusesTools: host.missingGates().heldBack !== undefined });
  print();
  return host.onDidChange(print);
}

/** Reports once for each MCP server that fails or needs a login. */
export function printServers(
  mcp: Pick<McpPort, 'list' | 'onDidChange'>,
  printError: (text: string) => void,
): Disposable {
  const reported = new Set<string>();
  return mcp.onDidChange(() => {
    for (const server of mcp.list()) {
      const { type } = server.state;
      if ((type !== 'failed' && type !== 'needsLogin') || reported.has(server.name)) continue;
      reported.add(server.name);
      printError(`Warning: MCP server "${server.name}" ${stateText(server)}`);
    }
  });
}

export function printProblems({ hooks, problems }: ProcessServices, printError: (text: string) => void): void {
  for (const { path, state } of hooks.host.infos()) {
    if (state.type === 'failed') printError(failureText(path, state.problems));
  }
  printEach(problems(), printError);
}

export function printEach(problems: readonly Problem[], printError: (text: string) => void): void {
  for (const problem of problems) printError(`Warning: ${problem.message}${placeText(problem)}`);
}

function failureText(path: string, [problem]: readonly Problem[]): string {
  const why = problem === undefined ? 'unknown reason' : `${problem.message}${placeText(problem)}`;
  return `Hook "${path}" was not loaded: ${why}`;
}

function placeText({ file, line }: Problem): string {
  if (file === undefined) return '';
  return ` (${file}${line === undefined ? '' : `:${line}`})`;
}
