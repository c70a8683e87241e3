import { realpath } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { runProcess } from '../../agent/tools/shell/process';
import { onPath } from '../../agent/tools/shell/shell';
import { defined } from '../../base/defined';
import { isFile, isFolder } from '../../base/files/on-disk';
import { readRegularText } from '../../base/files/regular-file';
import { parseObject } from '../../base/json/parse-object';
import type { AgentContract } from '../agents/agent';
import type { AgentId } from '../protocol/agent-call';
import { agentFolder } from './agent-files';
import type { Machine } from './this-machine';
import { offline } from './offline';
import { versionTested, type VersionTested } from './tested-version';

/** How long a program may take to say its version, ms. */
const VERSION_MS = 5_000;

/** An agent of this machine. */
export interface FoundAgent {
  readonly id: AgentId;
  /** Absolute path of its program, which is on PATH; absent where only its folder was found, as with an extension of VS Code. */
  readonly program?: string;
  /** Absent where it could not be learned. */
  readonly version?: string;
  readonly tested: VersionTested;
  /** Absolute path of the agent's own folder in the user's home. */
  readonly folder: string;
  readonly hasFolder: boolean;
}

/** The agents that have a program on PATH or a folder in the user's home, in the order of the contracts. */
export async function findAgents(
  contracts: readonly Pick<AgentContract, 'id' | 'package' | 'testedVersion'>[],
  machine: Machine,
): Promise<readonly FoundAgent[]> {
  const found = await Promise.all(contracts.map(contract => findAgent(contract, machine)));
  return found.filter(({ program, hasFolder }) => program !== undefined || hasFolder);
}

async function findAgent(
  contract: Pick<AgentContract, 'id' | 'package' | 'testedVersion'>,
  machine: Machine,
): Promise<FoundAgent> {
  const folder = agentFolder(contract.id, machine);
  const endings = machine.platform === 'win32' ? ['.cmd', '.exe'] : [''];
  const program = endings.flatMap(ending => onPath(`${contract.id}${ending}`, machine)).find(isFile);
  const version =
    program === undefined
      ? undefined
      : ((await packageVersion(program, contract.package)) ?? (await saidVersion(program, machine)));
  return {
    id: contract.id,
    ...defined({ program, version }),
    tested: versionTested(version, contract.testedVersion),
    folder,
    hasFolder: isFolder(folder),
  };
}

/** The version in the package.json of the package, in a folder around the program. */
async function packageVersion(program: string, name: string | undefined): Promise<string | undefined> {
  if (name === undefined) return undefined;
  let folder = dirname(await realpath(program));
  for (let depth = 0; depth < 4; depth++, folder = dirname(folder)) {
    const text = await readRegularText(join(folder, 'package.json')).catch(() => undefined);
    const { name: found, version } = (text === undefined ? undefined : parseObject(text)) ?? {};
    if (found === name && typeof version === 'string') return version;
  }
  return undefined;
}

async function saidVersion(program: string, { env, home }: Machine): Promise<string | undefined> {
  let said = '';
  const { kind } = await runProcess({
    command: program,
    args: ['--version'],
    cwd: home,
    env: offline(env),
    timeoutMs: VERSION_MS,
    onStdout: chunk => {
      said += chunk.toString('utf8');
    },
  });
  return kind === 'exited' ? VERSION.exec(said)?.[0] : undefined;
}

/** A version in what a program says, with the identifiers of a pre-release: `0.172.0-alpha.3`. */
const VERSION = /\d+\.\d+\.\d+(?:-[\da-z-]+(?:\.[\da-z-]+)*)?/i;
