import type { Disposable } from '../../base/disposable';
import { isRecord } from '../../base/json/is-record';
import { HandlerRun } from '../dispatch/handler-run';
import { hookError } from '../../hook-contract/errors';
import type { HookFunction, LoadedHook } from '../../hook-contract/loaded-hook';
import { HookContext } from './context';
import type { HookServices } from './services';

/** The methods of `pi` that add services to all conversations: providers of models and MCP servers. */
export function serviceMethods(hook: LoadedHook, services: HookServices): Record<string, HookFunction> {
  return { ...providerMethods(hook, services), ...mcpMethods(hook, services) };
}

function providerMethods(hook: LoadedHook, services: HookServices): Record<string, HookFunction> {
  const own = new OwnRegistrations(hook);
  return {
    registerProvider: (name, config) => {
      if (isRecord(name)) {
        own.set(`provider ${String(name['id'])}`, services.providers.registerNative(name, hook));
        return;
      }
      if (typeof name !== 'string' || name === '') throw new TypeError('registerProvider needs a name');
      const source = {
        path: hook.path,
        sharesApi: hook.dialect.sharesApi,
        namesKeysBare: hook.dialect.namesKeysBare,
        takesSystemMessages: () => hook.dialect.exposesPromptEntries,
      };
      const held = services.providers.register(name, isRecord(config) ? config : {}, source);
      own.set(`provider ${name}`, held);
    },
    unregisterProvider: name => {
      own.forget(`provider ${String(name)}`);
      services.providers.unregister(String(name));
    },
    registerVirtualModel: given => {
      const definition = isRecord(given) ? given : {};
      const held = services.providers.registerVirtual(routing(definition, hook, services), hook);
      own.set(virtualName(definition['provider'], definition['id']), held);
    },
    unregisterVirtualModel: (provider, id) => {
      own.forget(virtualName(provider, id));
      services.providers.unregisterVirtual(String(provider), String(id));
    },
  };
}

function virtualName(provider: unknown, id: unknown): string {
  return `virtual model ${String(provider)}/${String(id)}`;
}

/** The definition with a `route` that gets a `ctx` and runs as code of the hook; what it throws names the place. */
function routing(
  definition: Readonly<Record<string, unknown>>,
  hook: LoadedHook,
  services: HookServices,
): Readonly<Record<string, unknown>> {
  const { route } = definition;
  if (typeof route !== 'function') return definition;
  const event = virtualName(definition['provider'], definition['id']);
  const ask = async (request: { readonly signal?: AbortSignal }): Promise<unknown> => {
    const conversation = services.conversationFor();
    const run = new HandlerRun(hook, { event, role: 'deciding', conversation, signal: request.signal });
    const work = hook.identity.scope.begin(event);
    try {
      const context = new HookContext(run, services);
      return await services.within(conversation, () =>
        Reflect.apply(route as HookFunction, definition, [request, context]),
      );
    } catch (error) {
      const { message, file = hook.path, line } = hookError(error, { hookPath: hook.path, event }, hook.identity.map);
      const place = line === undefined ? file : `${file}:${line}`;
      throw new Error(`V${event.slice(1)}: ${message} (${place})`, { cause: error });
    } finally {
      work.dispose();
    }
  };
  return { ...definition, route: ask };
}

/** The part that connects servers follows this list; handlers are called once the hook has started. */
function mcpMethods(hook: LoadedHook, services: HookServices): Record<string, HookFunction> {
  const { mcp } = services;
  const own = new OwnRegistrations(hook);
  const changed = (): void => {
    if (hook.started) mcp.changed();
  };
  return {
    registerMcpServer: (name, config) => {
      if (typeof name !== 'string') throw new TypeError('registerMcpServer needs a name');
      mcp.servers.register(name, config, hook.path);
      own.set(`MCP server ${name}`, { dispose: () => mcp.servers.unregister(name, hook.path) });
      changed();
    },
    unregisterMcpServer: name => {
      own.forget(`MCP server ${String(name)}`);
      if (mcp.servers.unregister(String(name), hook.path)) changed();
    },
    getMcpServers: () => mcp.servers.list(),
  };
}

/** What a load has registered outside of itself; it is removed with the load. */
class OwnRegistrations {
  private readonly owned = new Map<string, Disposable>();

  constructor(private readonly hook: LoadedHook) {}

  /** Replaces the earlier registration, which `held` has already replaced. */
  set(what: string, held: Disposable): void {
    this.forget(what);
    this.owned.set(what, this.hook.identity.scope.own({ what, kind: 'listener', close: () => held.dispose() }));
  }

  /** It was removed, or belongs to another hook now. */
  forget(what: string): void {
    this.owned.get(what)?.dispose();
    this.owned.delete(what);
  }
}
