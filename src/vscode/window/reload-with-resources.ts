import type { Conversations } from '../../conversation/conversations';
import type { LiveResources } from '../../conversation/resources';
import type { HookHost } from '../../hooks/host/host';

/**
 * The host as the upkeep of a window reloads it: resources are read again with the hooks, and hooks are asked for
 * theirs when another set of them came out of it.
 */
export function reloadWithResources(
  host: Pick<HookHost, 'reload' | 'infos' | 'onDidChange' | 'runner'>,
  resources: LiveResources,
  conversations: Conversations,
): Pick<HookHost, 'reload' | 'infos' | 'onDidChange'> {
  return {
    infos: () => host.infos(),
    onDidChange: host.onDidChange,
    reload: async () => {
      const before = host.runner.loaded;
      await host.reload();
      const after = host.runner.loaded;
      const same = before.length === after.length && before.every((hook, index) => hook === after[index]);
      await (same ? resources.refresh() : conversations.hooksReloaded());
    },
  };
}
