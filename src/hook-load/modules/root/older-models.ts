import { resolve } from 'node:path';
import type { RuntimeRegistry } from './models';

/** What {@link olderModels} needs. */
interface OlderModelParts {
  readonly registry: () => RuntimeRegistry;
  /** Absolute path of the user's auth.json. */
  readonly authPath: () => string;
}

/**
 * How code finds keys and models that was written before pi's `ModelRuntime`. All lead to the registry of the conversations,
 * because only that one knows the user's keys.
 */
export function olderModels({ registry, authPath }: OlderModelParts): object {
  /** @throws Error for another file than the user's auth.json; only pi's program reads those */
  const keysIn = (path?: string): RuntimeRegistry['authStorage'] => {
    if (path === undefined || resolve(path) === authPath()) return registry().authStorage;
    throw new Error(`AuthStorage: "${path}" is not available in this runtime, which has its own keys.`);
  };
  // Functions, as hooks call these with `new` as well, and `new` gives what a function returns.
  const AuthStorage = Object.assign(
    function (path?: string) {
      return keysIn(path);
    },
    { create: keysIn },
  );
  const ModelRegistry = Object.assign(
    function () {
      return registry();
    },
    { create: registry },
  );
  return { AuthStorage, ModelRegistry, discoverAuthStorage: () => keysIn(), discoverModels: registry };
}
