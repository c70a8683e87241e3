import type { ModelRegistry } from '../agent/models/registry';
import { withholdVariables } from '../agent/tools/shell/process';
import { DisposableStore, toDisposable, type Disposable } from '../base/disposable';
import type { SettingsSource } from './live-settings';

/**
 * While the setting `hideProviderKeys` is on, keeps the keys of model providers out of the environment of programs that
 * tools, hooks (`exec`) and MCP servers start.
 */
export function withholdProviderKeys(
  settings: Pick<SettingsSource, 'current' | 'onDidChange'>,
  models: Pick<ModelRegistry, 'keyVariables' | 'onDidChange'>,
): Disposable {
  let withheld: Disposable | undefined;
  const update = (): void => {
    const before = withheld;
    withheld = settings.current.hideProviderKeys ? withholdVariables(models.keyVariables()) : undefined;
    before?.dispose();
  };
  const store = new DisposableStore();
  store.add(settings.onDidChange(update));
  store.add(models.onDidChange(update));
  store.add(toDisposable(() => withheld?.dispose()));
  update();
  return store;
}
