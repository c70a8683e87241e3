import { isBuiltin } from 'node:module';
import { apiMembers, type ApiMembers } from './api-members';
import { EVENT_NAMES } from '../../hook-contract/events/event-table';
import { shippedModules } from '../../hook-load/modules/shipped-modules';
import type { VirtualModules } from '../../hook-load/modules/virtual-modules';
import { ThemeSwitch } from '../../hook-contract/ui/theme';
import { mergedClaims, type Claim, type ClaimPlace } from '../../packages/approval/claim';
import type { ApiUse } from './api-uses';
import { defined } from '../../base/defined';
import { RUNTIME_EXPORTS } from '../../hook-run/tool-call/runtime-exports';

/** An export of a shipped module that a package imports. */
export interface ExportUse {
  readonly specifier: string;
  readonly name: string;
  readonly place: ClaimPlace;
}

/** The parts of the runtime that a package uses. */
export interface PackageUses {
  readonly members: readonly ApiUse[];
  readonly events: readonly { readonly name: string; readonly place: ClaimPlace }[];
  readonly exports: readonly ExportUse[];
}

/** Whether Hookline has what a package uses. */
export interface Compatibility {
  /** How many different members, events and exports it uses. */
  readonly used: number;
  /** Uses of what Hookline does not have, as claims of the kind `unsupported`. */
  readonly unsupported: readonly Claim[];
}

/** The modules that Hookline ships: packages get these when they import modules of pi. */
export function hooklineModules(): VirtualModules {
  const theme = new ThemeSwitch();
  return shippedModules({
    runtime: RUNTIME_EXPORTS,
    agentDir: () => '',
    theme: () => theme.current,
    cwd: () => '',
    packageDir: () => '',
    models: () => {
      throw new Error('No model is asked here.');
    },
  });
}

/**
 * Compares what a package uses with what Hookline has: members of the objects for hooks, events, and exports of
 * modules.
 */
export async function compatibilityOf(used: PackageUses, modules: VirtualModules): Promise<Compatibility> {
  const surface = apiMembers();
  const members = used.members.filter(use => !use.isChecked && !surface[use.of].has(use.member));
  const events = used.events.filter(({ name }) => !EVENT_NAMES.has(name));
  const exports = await missingExports(used.exports, modules);
  const unsupported = [
    ...members.map(({ of, member, place }) => unsupportedClaim(`${OWNER[of]}.${member}`, place)),
    ...events.map(({ name, place }) => unsupportedClaim(`pi.on("${name}")`, place)),
    ...exports,
  ];
  const names = [
    ...used.members.map(({ of, member }) => `${OWNER[of]}.${member}`),
    ...used.events.map(({ name }) => `event ${name}`),
    ...used.exports.map(({ specifier, name }) => `${specifier} ${name}`),
  ];
  return { used: new Set(names).size, unsupported: mergedClaims(unsupported) };
}

const OWNER: { readonly [O in keyof ApiMembers]: string } = { pi: 'pi', ctx: 'ctx', commandCtx: 'ctx', ui: 'ctx.ui' };

function unsupportedClaim(name: string, place: ClaimPlace, detail?: string): Claim {
  return { kind: 'unsupported', name, places: [place], ...defined({ detail }) };
}

async function missingExports(uses: readonly ExportUse[], modules: VirtualModules): Promise<readonly Claim[]> {
  const checked = uses.map(async ({ specifier, name, place }): Promise<readonly Claim[]> => {
    if (!modules.has(specifier)) return [unsupportedClaim(specifier, place)];
    if (name === '' || name === 'default') return [];
    const offered = await modules.offers(specifier, name);
    return offered === 'yes' ? [] : [unsupportedClaim(`${name} of ${specifier}`, place)];
  });
  return (await Promise.all(checked)).flat();
}

/** Whether a specifier names a module of the runtime: a shipped one, or any that pi or a fork of it could have. */
export function isOfRuntime(specifier: string, modules: VirtualModules): boolean {
  if (isBuiltin(specifier)) return false;
  return modules.has(specifier) || /^@(?:mariozechner|oh-my-pi|gsd|earendil-works)\/pi-/.test(specifier);
}
