import { dirname } from 'node:path';
import type { Disposable } from '../../base/disposable';
import { execFor } from './hook-exec';
import { Registration, type HookFunction, type LoadedHook, type RegisteredFlag } from '../loaded-hook';
import { actionsFor } from './api-actions';
import { guardedCall } from './guarded-call';
import { checkedTool } from './tools';
import type { HookServices } from './services';

/** What the API needs to build the object a factory gets. */
export interface ApiOptions {
  readonly hook: LoadedHook;
  readonly services: HookServices;
  /** Told of each use of a method, for detection of the dialect. */
  readonly used: (method: string) => void;
  /** Told of each registered event name. */
  readonly listens: (event: string) => void;
}

/**
 * The `pi` object of one load: the union of what all documents put there. Registering works at
 * any time; actions work once the factory is through, and before that do what the dialect says (docs/dialects.md, C28).
 */
export function createApi(options: ApiOptions): object {
  const members: Record<string, unknown> = {
    ...registrations(options),
    ...actionsFor(options.hook, options.services),
    events: eventsFor(options),
    exec: (...given: readonly unknown[]) => execFor(options.hook, options.services, folderOf(options), given),
  };
  const api = {};
  for (const name of Object.keys(members)) Object.defineProperty(api, name, tracked(name, members[name], options));
  return Object.defineProperties(api, extras(options));
}

/** Where commands run: the conversation's folder, the window's, or the one the hook lies in. */
function folderOf({ hook, services }: ApiOptions): string {
  return services.conversationFor()?.cwd ?? services.cwd ?? dirname(hook.path);
}

/** A member whose use is noted; may be overwritten like any plain one. */
function tracked(name: string, value: unknown, options: ApiOptions): PropertyDescriptor {
  const member =
    typeof value === 'function'
      ? (...given: readonly unknown[]): unknown => {
          options.used(name);
          return (value as HookFunction)(...given);
        }
      : value;
  return { value: member, enumerable: true, writable: true, configurable: true };
}

/** What oh-my-pi injects. */
function extras({ hook, services }: ApiOptions): PropertyDescriptorMap {
  const line = (level: 'debug' | 'info' | 'warn' | 'error') => (message: unknown, details?: unknown) =>
    services.log[level](`${hook.path}: ${String(message)}${details === undefined ? '' : ` ${describe(details)}`}`);
  const shipped = (specifier: string): PropertyDescriptor => ({
    enumerable: true,
    configurable: true,
    get: () => services.shipped(specifier),
  });
  return {
    logger: {
      value: { debug: line('debug'), info: line('info'), warn: line('warn'), error: line('error') },
      enumerable: true,
    },
    typebox: shipped('@sinclair/typebox'),
    pi: shipped('@mariozechner/pi-coding-agent'),
  };
}

function describe(details: unknown): string {
  try {
    return JSON.stringify(details);
  } catch {
    return String(details);
  }
}

function registrations(options: ApiOptions): Record<string, HookFunction> {
  const { hook, services } = options;
  const here = (): Registration =>
    new Registration(new Error('registered here'), stack => hook.identity.map.placeIn(stack));
  const register = (change: () => void): void => {
    change();
    hook.changed();
  };
  return {
    on: (event, handler) => {
      const name = String(event);
      if (typeof handler !== 'function') throw new TypeError(`pi.on("${name}", …) needs a function`);
      options.listens(name);
      const nth = (hook.handlers.findLast(other => other.name === name)?.nth ?? -1) + 1;
      const registered = { name, nth, run: handler as HookFunction, at: here() };
      register(() => hook.handlers.push(registered));
      return () => {
        const index = hook.handlers.indexOf(registered);
        if (index >= 0) register(() => hook.handlers.splice(index, 1));
      };
    },
    command: (name, given) => addCommand(hook, 'command', name, given, here()),
    registerCommand: (name, given) => addCommand(hook, 'registerCommand', name, given, here()),
    registerTool: definition => {
      const tool = checkedTool(definition);
      register(() => hook.tools.set(tool.name, tool));
    },
    registerShortcut: (key, given) => {
      const { description, handler } = optionsIn(given);
      if (typeof handler !== 'function') throw new TypeError(`registerShortcut("${String(key)}") needs a handler`);
      const shortcut = { key: String(key), description: textIn(description), run: handler as HookFunction };
      register(() => hook.shortcuts.set(shortcut.key, shortcut));
    },
    registerFlag: (name, given) => {
      const { description, type, default: fallback } = optionsIn(given);
      const flag = {
        name: String(name),
        description: textIn(description),
        type: type === 'string' ? ('string' as const) : ('boolean' as const),
        default: typeof fallback === 'string' || typeof fallback === 'boolean' ? fallback : undefined,
      };
      register(() => hook.flags.set(flag.name, flag));
    },
    getFlag: name => flagValue(options, hook.flags.get(String(name))),
    registerMessageRenderer: (customType, renderer) => {
      if (typeof renderer !== 'function') throw new TypeError('registerMessageRenderer needs a function');
      register(() => hook.renderers.set(String(customType), renderer as HookFunction));
    },
    ...providerMethods(hook, services),
  };
}

/** What the person set, if it is of the flag's kind; else its default. Undefined for a flag of another file. */
function flagValue({ hook, services }: ApiOptions, flag: RegisteredFlag | undefined): boolean | string | undefined {
  if (flag === undefined) return undefined;
  const given = services.flagValue(flag.name);
  if (given === undefined || typeof given === flag.type) return given ?? flag.default;
  const kind = flag.type === 'boolean' ? 'true or false' : 'a text';
  services.report(hook, 'getFlag', new TypeError(`Flag "${flag.name}" must be ${kind}, not ${JSON.stringify(given)}`));
  return flag.default;
}

function addCommand(
  hook: LoadedHook,
  form: 'command' | 'registerCommand',
  name: unknown,
  given: unknown,
  at: Registration,
): void {
  const { description, handler, getArgumentCompletions } = optionsIn(given);
  if (typeof handler !== 'function') throw new TypeError(`${form}("${String(name)}") needs a handler`);
  hook.commands.set(String(name), {
    name: String(name),
    description: textIn(description),
    run: handler as HookFunction,
    completions: typeof getArgumentCompletions === 'function' ? (getArgumentCompletions as HookFunction) : undefined,
    form,
    at,
  });
  hook.changed();
}

function providerMethods(hook: LoadedHook, services: HookServices): Record<string, HookFunction> {
  const registered = new Map<string, Disposable>();
  return {
    registerProvider: (name, config) => {
      if (services.providers === undefined) throw new Error('Providers cannot be registered here.');
      const held = services.providers.register(String(name), optionsIn(config), {
        path: hook.path,
        namesKeysBare: hook.dialect.namesKeysBare,
        takesSystemMessages: () => hook.dialect.tellsPromptEntries,
      });
      registered.get(String(name))?.dispose();
      const owned = hook.identity.scope.own({
        what: `provider ${String(name)}`,
        kind: 'listener',
        close: () => held.dispose(),
      });
      registered.set(String(name), owned);
    },
    unregisterProvider: name => {
      registered.get(String(name))?.dispose();
      registered.delete(String(name));
      services.providers?.unregister(String(name));
    },
  };
}

/** The shared bus; subscriptions belong to the load, errors of a listener to the hook that subscribed it. */
function eventsFor({ hook, services }: ApiOptions): object {
  return {
    emit: (channel: unknown, data: unknown) => services.bus.emit(String(channel), data),
    on: (channel: unknown, listener: unknown): (() => void) => {
      if (typeof listener !== 'function') throw new TypeError('events.on needs a function');
      const name = `events:${String(channel)}`;
      const listening = services.bus.on(
        String(channel),
        data => void guardedCall(hook, services, name, () => (listener as HookFunction)(data)),
      );
      const owned = hook.identity.scope.own({
        what: name,
        kind: 'listener',
        close: () => listening.dispose(),
      });
      return () => {
        owned.dispose();
        listening.dispose();
      };
    },
  };
}

function optionsIn(given: unknown): Readonly<Record<string, unknown>> {
  return typeof given === 'object' && given !== null ? (given as Readonly<Record<string, unknown>>) : {};
}

function textIn(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
