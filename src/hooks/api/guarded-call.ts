import type { LoadedHook } from '../loaded-hook';
import type { HookServices } from './services';

/** Runs hook code that nobody waits for; what it throws is reported. */
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
