import type { LoadedHook } from '../../hook-contract/loaded-hook';
import type { HookServices } from './services';

/** Runs hook code that no caller awaits; errors are reported. */
export async function guardedCall(
  hook: LoadedHook,
  services: HookServices,
  event: string,
  code: () => unknown,
): Promise<void> {
  try {
    await code();
  } catch (error) {
    services.report(hook, event, error);
  }
}
