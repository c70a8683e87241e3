import { execCommand } from '../../src/agent/tools/shell/exec';
import { toDisposable } from '../../src/base/disposable';
import { silentLog } from '../../src/base/log';
import { ThemeSwitch } from '../../src/hook-contract/ui/theme';
import type { HookHostOptions } from '../../src/hook-run/host/host-options';

/** What a host of hooks gets in tests that are about something else. */
export function hostDefaults(): Omit<HookHostOptions, 'discover' | 'loader' | 'createScope'> {
  return {
    untrustedHooks: () => Promise.resolve([]),
    settings: () => ({ hookTimeout: 30_000, dialects: {}, confirmWithoutGates: true, approveChanges: undefined }),
    builtInCommands: new Set(),
    checkMcpServer: () => undefined,
    writtenSettings: () => ({}),
    log: silentLog,
    theme: new ThemeSwitch(),
    exec: execCommand,
    cwd: undefined,
    mode: 'print',
    isProjectTrusted: () => true,
    shipped: () => undefined,
    readLists: () => Promise.resolve(),
    providers: {
      register: () => toDisposable(() => undefined),
      registerNative: () => toDisposable(() => undefined),
      unregister: () => undefined,
      registerVirtual: () => toDisposable(() => undefined),
      unregisterVirtual: () => undefined,
    },
    heldBackReason: undefined,
    flagValue: () => undefined,
    timeouts: undefined,
    gate: undefined,
    approvals: undefined,
    blackBox: undefined,
    loadsOnce: false,
    duringCall: undefined,
    childCalls: () => toDisposable(() => undefined),
  };
}
