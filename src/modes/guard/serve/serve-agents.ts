import { join } from 'node:path';
import { withTimeout } from '../../../base/async/wait';
import { contractOf } from '../../../guard/agents';
import { isAgentConfig } from '../../../guard/config/is-agent-config';
import { getsTools } from '../../../guard/config/guard-status';
import { readGuarded } from '../../../guard/config/guarded-agents';
import { GuardHost } from '../../../guard/host/guard-host';
import { HOST_LOG } from '../../../guard/host/start-host';
import { makeGuardFolder, type GuardPlace } from '../../../guard/protocol/place';
import { HookLog } from '../../../hook-insight/recording/hook-log';
import { LogFile } from '../../../hook-insight/recording/log-file';
import { errorLog } from '../../terminal/error-log';
import { printErrorTo } from '../../terminal/print';
import { StopRequest } from '../../terminal/stop-request';
import { surviveForeignErrors } from '../../terminal/survive-foreign-errors';
import type { GuardCommandLine } from '../guard-command-line';
import { HostLog } from './host-log';
import { OwnFolder, type GateModes, type OwnFolderParts } from './own-folder';
import { machineOf } from '../../../guard/config/this-machine';

/** Time limit for ending hooks and connections, in ms. */
const END_LIMIT_MS = 10_000;

/**
 * `hookline guard serve`: the host. Serves agents, windows and other commands until nobody needs it, or until a signal. What it and
 * the hooks print is in its log. Resolves with the exit code: 0, also when another host runs.
 */
export async function serveAgents({ place, process, caller, code }: GuardCommandLine): Promise<number> {
  await makeGuardFolder(place);
  new HostLog(join(place.folder, HOST_LOG)).takeOver(process.stdout, process.stderr);
  const printError = (text: string): void => printErrorTo(process.stderr, text);
  const log = errorLog(printError);
  const stop = new StopRequest();
  stop.listen(process);
  surviveForeignErrors(process, printError);
  const hookLog = new HookLog({ file: new LogFile(join(place.folder, 'hook-log.jsonl')), log });
  const machine = machineOf(process);
  const shared: OwnFolderParts = {
    ...{ env: process.env, caller, code, printError, log, hookLog, contractOf },
    gateModes: () => gateModesIn(place),
    guardedFiles: path => (isAgentConfig(path, { machine, place }) ? 'gate-off' : undefined),
    getsTools: id => getsTools(id, { machine, place }),
  };
  const host = await GuardHost.start({
    ...{ place, version: code.version, contractOf, log },
    openFolder: async (folder, ports) => {
      const opened = await OwnFolder.open(folder, ports, shared);
      // A hook may have deleted what the end needs.
      const { prepare } = stop;
      stop.prepare = () => {
        prepare();
        opened.restoreGlobals();
      };
      return opened;
    },
  });
  if (host === undefined) {
    printError('hookline: another host of the guard runs already.');
    return 0;
  }
  await Promise.race([host.ended, stop.requested]);
  await withTimeout(Promise.all([host.end(), hookLog.flush()]), END_LIMIT_MS, () => undefined);
  hookLog.dispose();
  return stop.code ?? 0;
}

async function gateModesIn(place: GuardPlace): Promise<GateModes> {
  const guarded = await readGuarded(place);
  return Object.fromEntries(Object.entries(guarded).map(([id, { gate }]) => [id, gate]));
}
