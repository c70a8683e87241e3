import { TrustFile } from '../../agent/settings/trust-file';
import { silentLog } from '../../base/log';
import { ApprovalStore, placeName } from '../../gate/approval-store/approval-store';
import type { HeldHook } from '../../gate/approval-store/approval-record';
import type { HookFile } from '../../hook-load/files/discover';
import { stopText } from '../../hook-load/files/stop-record';
import { InertScope } from '../../hook-load/ownership/inert-scope';
import { readStops, stopsFolder } from '../../hook-run/black-box/black-box';
import type { Caller } from '../../startup/agents/calling-agent';
import type { CodePlace } from '../../startup/hook-setup';
import { discoverByTrust, hooksAwaitingTrust, type HookSearch } from '../../startup/trust/held-back-hooks';
import { parseArguments } from '../arguments/parse';
import { openProcessServices, type ProcessServices } from '../start/process-services';
import { notTrusted } from '../start/trust-text';
import { HELD_FILE, heldText } from '../terminal/print-hook-changes';
import type { DoctorReport, DoctorRow } from './report';

/** The surroundings of the command. */
export interface DoctorParts {
  readonly process: NodeJS.Process;
  readonly caller: Caller;
  readonly code: CodePlace;
  /** Absolute. */
  readonly cwd: string;
}

/**
 * The trust in the folder and elsewhere, and the hooks that would run here, or why they would not. Reads files and records only:
 * nothing is loaded, and no hook is asked about trust.
 */
export async function folderRows(
  { process, caller, code, cwd }: DoctorParts,
  agentDir: string,
): Promise<Pick<DoctorReport, 'trust' | 'hooks'>> {
  const services = await openProcessServices({
    options: parseArguments([]),
    ...{ cwd, startedIn: cwd, env: process.env, caller, code },
    flagValue: () => undefined,
    createScope: scope => new InertScope(scope, () => undefined),
    storedApprovals: 'readOnly',
    log: silentLog,
  });
  const { settings, packages, trust, hooks, models } = services;
  try {
    await trust.decide(undefined, settings.current.defaultProjectTrust);
    if (trust.isTrusted) await settings.reload();
    await packages.reload();
    return { trust: await trustRows(services, agentDir), hooks: await hookRows(services, code.stateDir) };
  } finally {
    await hooks.host.dispose();
    hooks.dependencies.dispose();
    models.dispose();
    packages.dispose();
  }
}

async function trustRows({ trust }: ProcessServices, agentDir: string): Promise<readonly DoctorRow[]> {
  const { current, protectedParts } = trust;
  const isHeldBack = !current.trusted && protectedParts.length > 0;
  const here: DoctorRow = {
    name: 'This folder',
    value:
      current.reason.by === 'nothing' ? 'has nothing that needs trust' : current.trusted ? 'trusted' : 'not trusted',
    ...(isHeldBack
      ? {
          problem: `Not used: ${protectedParts.join(', ')}; ${notTrusted(current)} To trust it, run "hookline trust" in it.`,
        }
      : {}),
  };
  try {
    const saved = await new TrustFile(agentDir).read();
    const others = [...saved].map(([name, trusted]) => ({ name, value: decisionText(trusted) }));
    return [here, ...others];
  } catch {
    return [here]; // The row above says that it cannot be read.
  }
}

function decisionText(trusted: unknown): string {
  return trusted === true ? 'trusted' : trusted === false ? 'not trusted' : 'not decided';
}

async function hookRows(services: ProcessServices, stateDir: string): Promise<readonly DoctorRow[]> {
  const { place, settings, packages, problems } = services;
  const search: HookSearch = { place, settings, packages, hookOptions: () => ({ paths: [], disabled: [] }) };
  const found = discoverByTrust(search);
  const untrusted = services.trust.isTrusted ? [] : await hooksAwaitingTrust(search);
  const unapproved = found.heldBack.filter(file => file.unapproved !== undefined);
  const known = new ApprovalStore({ stateDir, ...place }).read();
  const stops = readStops(stopsFolder(stateDir));
  const held = (file: HookFile): HeldHook | undefined => known[placeName(file)].held.get(file.path);
  const rowOf = (file: HookFile): DoctorRow => {
    const { path: name } = file;
    const waits = held(file);
    const stop = stops.get(name);
    if (file.disabled) return { name, value: 'turned off' };
    if (file.unsupported !== undefined) return { name, value: 'does not run', problem: file.unsupported };
    if (file.unapproved !== undefined) return { name, value: 'does not run', problem: file.unapproved };
    if (stop !== undefined) {
      return { name, value: 'stopped', problem: `${stopText(stop)} See "hookline hooks run-again".` };
    }
    if (waits !== undefined) return { name, value: 'waits', problem: `${heldText(waits)} See "hookline hooks diff".` };
    return { name, value: 'runs' };
  };
  const faults = [...problems(), ...found.problems].map(({ message, file = 'Settings' }) => ({
    ...{ name: file, value: 'has a problem', problem: message },
  }));
  const waiting = services.heldFiles.held.map(({ path: name }) => ({
    ...{ name, value: 'waits', problem: `${HELD_FILE} See "hookline hooks diff".` },
  }));
  const awaiting = untrusted.map(({ path: name }) => ({
    ...{ name, value: 'does not run, because this folder is not trusted' },
  }));
  return [...[...found.files, ...unapproved].map(rowOf), ...awaiting, ...waiting, ...faults];
}
