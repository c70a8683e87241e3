import { canonical, TrustFile } from '../agent/settings/trust-file';
import { messageOf } from '../base/errors';
import type { CodePlace } from '../startup/hook-setup';
import { agentDirFrom } from '../startup/own-folders';
import type { Caller } from '../startup/agents/calling-agent';
import { printErrorTo, printText } from './terminal/print';
import { UsageError } from './arguments/usage-error';
import { refuseAgentsToTrust, saveTrust, type TrustPlace } from './start/save-trust';

const USAGE = `Usage:
  hookline trust            trust this folder and those below it: use their hooks, settings and resources, also in pi
  hookline trust --remove   forget what was decided about this folder
`;

/** The surroundings of the command. */
export interface TrustModeParts {
  readonly process: NodeJS.Process;
  readonly caller: Caller;
  readonly code: Pick<CodePlace, 'stateDir'>;
  /** Absolute. */
  readonly cwd: string;
}

/**
 * `hookline trust [--remove]`: saves in pi's trust.json that the folder is trusted, or removes what is saved about it
 * (docs/cli.md). Nothing of the folder is read. Resolves with the exit code.
 */
export async function runTrustMode(
  argv: readonly string[],
  { process, caller, cwd, code }: TrustModeParts,
): Promise<number> {
  try {
    if (argv.some(argument => ['help', '--help', '-h'].includes(argument))) {
      printText(process.stdout, USAGE);
      return 0;
    }
    const wrong = argv.find(argument => argument !== '--remove');
    if (wrong !== undefined) throw new UsageError(`hookline trust does not take "${wrong}".\n${USAGE.trimEnd()}`);
    const place = { cwd, agentDir: agentDirFrom(undefined, process.env), stateDir: code.stateDir, caller };
    const lines = argv.length === 0 ? await saveTrust(place, 'from the next start') : await forget(place);
    printText(process.stdout, lines.map(line => `${line}\n`).join(''));
    return 0;
  } catch (error) {
    printErrorTo(process.stderr, `hookline: ${messageOf(error)}`);
    return 1;
  }
}

async function forget(place: TrustPlace): Promise<readonly string[]> {
  refuseAgentsToTrust(place);
  const file = new TrustFile(place.agentDir);
  const folder = await canonical(place.cwd);
  const before = await file.nearest(folder);
  const wasThere = before?.folder === folder;
  if (wasThere) await file.change([{ folder, trusted: undefined }]);
  const after = await file.nearest(folder);
  return [
    wasThere ? `Forgotten: what was decided about ${folder}` : `Nothing is decided about ${folder} in ${file.path}.`,
    ...(after === undefined
      ? []
      : [`${after.folder} above it is ${after.trusted ? '' : 'not '}trusted, and that counts here.`]),
  ];
}
