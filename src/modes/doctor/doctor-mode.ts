import { messageOf } from '../../base/errors';
import { agentDirFrom } from '../../startup/own-folders';
import { UsageError } from '../arguments/usage-error';
import { printErrorTo, printText } from '../terminal/print';
import { agentRows } from './agent-rows';
import { folderRows, type DoctorParts } from './folder-rows';
import { placeRows, programRows, versionRows } from './machine-rows';
import { problemsIn, doctorText, type DoctorReport, type DoctorRow } from './report';

const USAGE = `Usage:
  hookline doctor          say what Hookline finds and misses on this machine and in this folder
  hookline doctor --json   the same as JSON
`;

/**
 * `hookline doctor [--json]`: versions, places, programs, other agents, trust, and the hooks of the folder (docs/cli.md). Runs no
 * code of the folder, writes nothing, and prints no keys. Resolves with 0, or with 1 if something is wrong.
 */
export async function runDoctorMode(argv: readonly string[], parts: DoctorParts): Promise<number> {
  const { stdout, stderr } = parts.process;
  try {
    if (argv.some(argument => ['help', '--help', '-h'].includes(argument))) {
      printText(stdout, USAGE);
      return 0;
    }
    const wrong = argv.find(argument => argument !== '--json');
    if (wrong !== undefined) throw new UsageError(`hookline doctor does not take "${wrong}".\n${USAGE.trimEnd()}`);
    const report = await examine(parts);
    printText(stdout, argv.includes('--json') ? `${JSON.stringify(report, undefined, 2)}\n` : doctorText(report));
    return problemsIn(report).length === 0 ? 0 : 1;
  } catch (error) {
    printErrorTo(stderr, `hookline: ${messageOf(error)}`);
    return 1;
  }
}

async function examine(parts: DoctorParts): Promise<DoctorReport> {
  const { process, code, cwd } = parts;
  const agentDir = agentDirFrom(undefined, process.env);
  const places = { ...code, cwd, agentDir };
  const [versions, programs, agents, folder] = await Promise.all([
    orProblem('versions', () => versionRows(places, process)),
    orProblem('programs', () => programRows(places, process)),
    orProblem('agents', () => agentRows(places, process)),
    folderRows(parts, agentDir).catch((error: unknown) => ({ trust: [], hooks: [failed('hooks', error)] })),
  ]);
  return { versions, places: placeRows(places), programs, agents, ...folder };
}

/** A part of the report that fails does not keep the others from being told. */
async function orProblem(name: string, look: () => Promise<readonly DoctorRow[]>): Promise<readonly DoctorRow[]> {
  try {
    return await look();
  } catch (error) {
    return [failed(name, error)];
  }
}

function failed(name: string, error: unknown): DoctorRow {
  return { name, value: 'unknown', problem: `This cannot be told: ${messageOf(error)}` };
}
