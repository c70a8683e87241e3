import { join } from 'node:path';
import { defined } from '../../base/defined';
import type { Log } from '../../base/log';
import { BUILT_IN_COMMANDS } from '../../startup/built-in-commands';
import { createHookHost, type HookSetup } from '../../startup/hook-setup';
import type { SettingsSource } from '../../startup/live-settings';
import type { ConfiguredPath } from '../../hook-load/files/discover';
import type { WindowServices } from './window-services';
import type { HookSwitches } from '../hooks-view/hook-switches';
import { SETTINGS_SECTION } from '../ids';
import type { Settings } from '../settings';
import type { ExtensionPlace } from './window-ui';

/** The part of a window's services that its hooks depend on. */
export type HookDependencies = Pick<WindowServices, 'place' | 'models' | 'packages'> & {
  readonly heldFiles?: WindowServices['heldFiles'];
  readonly settings: SettingsSource;
  readonly vscodeSettings: { readonly value: Pick<Settings, 'hooks'> };
};

/** What a window's hooks are made from. */
export interface WindowHooksParts {
  readonly services: HookDependencies;
  readonly extension: ExtensionPlace;
  /** Hooks that the user turned off; absent: none. */
  readonly switches?: Pick<HookSwitches, 'off'>;
  /** See `HookSetup.copy`. */
  readonly copy?: HookSetup['copy'];
  /** See `HookSetup.codecOf`. */
  readonly codecOf?: HookSetup['codecOf'];
  /** See `HookSetup.approvals`. */
  readonly approvals?: HookSetup['approvals'];
  /** See `HookSetup.createScope`. */
  readonly createScope?: HookSetup['createScope'];
  /** See `HookSetup.storedApprovals`. */
  readonly storedApprovals?: HookSetup['storedApprovals'];
  /** See `HookSetup.heldPackages`. */
  readonly heldPackages?: HookSetup['heldPackages'];
  /** See `HookSetup.openChild`. */
  readonly openChild?: HookSetup['openChild'];
  readonly log: Log;
}

/** A hook host as {@link createHookHost} makes it, with the settings of VS Code. */
export function createHooks(parts: WindowHooksParts): ReturnType<typeof createHookHost> {
  const { services, extension, switches, copy, approvals, storedApprovals, heldPackages } = parts;
  const { openChild, createScope, codecOf, log } = parts;
  const { place, settings, models, packages, heldFiles, vscodeSettings } = services;
  return createHookHost({
    place,
    settings,
    models,
    packages,
    log,
    ...defined({ copy, approvals, createScope, storedApprovals, heldPackages, heldFiles, openChild, codecOf }),
    mode: 'tui',
    builtInCommands: new Set(BUILT_IN_COMMANDS),
    code: { ...extension, distDir: join(extension.dir, 'dist') },
    flagValue: name => {
      const { flags } = vscodeSettings.value.hooks;
      return Object.hasOwn(flags, name) ? flags[name] : undefined;
    },
    hookOptions: () => {
      const { paths, dialects, askWhileBroken, approveChanges } = vscodeSettings.value.hooks;
      return {
        paths: paths.map((path): ConfiguredPath => ({ path, from: `${SETTINGS_SECTION}.hooks.paths` })),
        dialects,
        confirmWithoutGates: askWhileBroken,
        approveChanges,
        disabled: switches?.off ?? [],
      };
    },
  });
}
