import { toDisposable, type Disposable } from '../../base/disposable';
import { messageOf } from '../../base/errors';
import type { Log } from '../../base/log';
import type { Lazy } from '../lazy';

/** Makes a value after VS Code has finished what it is doing now. A failure is logged; `value.get` can try again. */
export function startWhenIdle(value: Lazy<unknown>, log: Log): Disposable {
  const timer = setTimeout(() => {
    value.get().catch((error: unknown) => log.error(`Hookline could not be started: ${messageOf(error)}`, error));
  }, 0);
  return toDisposable(() => clearTimeout(timer));
}
