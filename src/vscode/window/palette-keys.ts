import type { Conversations } from '../../chat/window/conversations';
import { DisposableStore, type Disposable } from '../../base/disposable';
import type { HookHost } from '../../hook-run/host/host';
import type { McpServers } from '../../mcp/mcp-servers';
import type { Packages } from '../../packages/packages';
import { setContextKey } from '../context-keys';

interface PaletteKeysParts {
  readonly conversations: Pick<Conversations, 'tabs' | 'onDidChange'>;
  readonly hooks: Pick<HookHost, 'infos' | 'onDidChange'>;
  readonly mcp: Pick<McpServers, 'list' | 'onDidChange'>;
  readonly packages: Pick<Packages, 'current' | 'onDidChange'>;
}

/** Sets the context keys that hide commands in the Command Palette while there is nothing that they could act on. */
export class PaletteKeys implements Disposable {
  private readonly store = new DisposableStore();

  constructor({ conversations, hooks, mcp, packages }: PaletteKeysParts) {
    this.keep(conversations.onDidChange, () => {
      setContextKey('hookline.hasConversations', conversations.tabs.length > 1);
    });
    this.keep(hooks.onDidChange, () => {
      const states = new Set(hooks.infos().map(({ state }) => state.type));
      setContextKey('hookline.hasHookFiles', states.size > 0);
      setContextKey('hookline.hasHeldChanges', states.has('waiting'));
      setContextKey('hookline.hasStoppedHooks', states.has('stopped'));
    });
    this.keep(mcp.onDidChange, () => setContextKey('hookline.hasMcpServers', mcp.list().length > 0));
    this.keep(packages.onDidChange, () => setContextKey('hookline.hasPackages', packages.current.packages.length > 0));
  }

  dispose(): void {
    this.store.dispose();
  }

  private keep(onDidChange: (listener: () => void) => Disposable, tell: () => void): void {
    this.store.add(onDidChange(tell));
    tell();
  }
}
