import { dirname } from 'node:path';
import { membersOf } from '../../base/json/is-record';
import { execFor } from './hook-exec';
import {
  Registration,
  type HookFunction,
  type LoadedHook,
  type MarkdownKind,
  type RegisteredFlag,
} from '../../hook-contract/loaded-hook';
import { actionsFor } from './api-actions';
import { guardedCall } from './guarded-call';
import { NamedRegistrations } from './named-registrations';
import { serviceMethods } from './service-methods';
import { loadKeyNames } from '../../hook-contract/ui/key-hints';
import type { HookServices } from './services';
import { assertNotGone } from './stale';
import { checkedTool, toolFault } from './tools/tools';

/** The kinds of texts for a transformer that names none. */
const DEFAULT_MARKDOWN: readonly MarkdownKind[] = ['user', 'assistant', 'assistant-thinking'];

/** What the API needs to build the object a factory gets. */
export interface ApiOptions {
  readonly hook: LoadedHook;
  readonly services: HookServices;
  /** Called at each use of a method, for detection of the dialect. */
  readonly used: (method: string) => void;
  /** Called with each registered event name. */
  readonly listens: (event: string) => void;
}

/**
 * The `pi` object of one load: the union of the members of all dialects. Registering works at any time; actions work
 * once the factory has ended, and before that do what the dialect says (docs/dialects.md, C28).
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

/** Where commands run: the conversation's folder, the window's, or the one the hook is in. */
function folderOf({ hook, services }: ApiOptions): string {
  return services.conversationFor()?.cwd ?? services.cwd ?? dirname(hook.path);
}

/** A member whose use is recorded; hooks may overwrite it like any other. */
function tracked(name: string, value: unknown, options: ApiOptions): PropertyDescriptor {
  const member =
    typeof value === 'function'
      ? (...given: readonly unknown[]): unknown => {
          assertNotGone(options.hook);
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
  const member = (get: () => unknown): PropertyDescriptor => ({ enumerable: true, configurable: true, get });
  const logger = { debug: line('debug'), info: line('info'), warn: line('warn'), error: line('error') };
  /** oh-my-pi's package also has exports that pi has in other packages. */
  const wholePackage = (): object | undefined => {
    const values = services.shipped('@oh-my-pi/pi-coding-agent');
    if (values === undefined) return undefined;
    const StringEnum = member(() => services.shipped('@oh-my-pi/pi-ai')?.['StringEnum']);
    return Object.create(values, { logger: { value: logger, enumerable: true }, StringEnum }) as object;
  };
  return {
    logger: { value: logger, enumerable: true },
    typebox: member(() => services.shipped('@sinclair/typebox')),
    zod: member(() => services.shipped('@oh-my-pi/omptype/zod')),
    pi: member(wholePackage),
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
  const named = new NamedRegistrations(hook, here);
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
    command: (name, given) => named.command('command', name, given),
    registerCommand: (name, given) => named.command('registerCommand', name, given),
    registerTool: definition => {
      const tool = checkedTool(definition, here());
      const fault = toolFault(tool);
      if (fault !== undefined) {
        named.complain(`The tool ${JSON.stringify(tool.name)} of ${hook.path} is left out: ${fault}.`, tool.at);
        return;
      }
      if ('renderCall' in tool.definition || 'renderResult' in tool.definition) loadKeyNames();
      register(() => hook.tools.set(tool.name, tool));
    },
    registerShortcut: (key, given) => named.shortcut(key, given),
    registerFlag: (name, given) => named.flag(name, given),
    getFlag: name => flagValue(options, hook.flags.get(String(name))),
    ...drawingMethods(hook, named, register),
    ...serviceMethods(hook, services),
  };
}

/** The methods that register renderers of messages, entries and calls, and transformers of texts. */
function drawingMethods(
  hook: LoadedHook,
  named: NamedRegistrations,
  register: (change: () => void) => void,
): Record<string, HookFunction> {
  const checked = (method: string, given: unknown): HookFunction => {
    if (typeof given !== 'function') throw new TypeError(`${method} needs a function`);
    loadKeyNames();
    return given as HookFunction;
  };
  return {
    registerMessageRenderer: (customType, given) => {
      const renderer = checked('registerMessageRenderer', given);
      const type = named.nameIn('registerMessageRenderer', customType, 'type');
      if (type !== undefined) register(() => hook.renderers.set(type, renderer));
    },
    registerEntryRenderer: (customType, given) => {
      const renderer = checked('registerEntryRenderer', given);
      const type = named.nameIn('registerEntryRenderer', customType, 'type');
      if (type !== undefined) register(() => hook.entryRenderers.set(type, renderer));
    },
    registerToolRenderer: given => {
      const resolver = checked('registerToolRenderer', given);
      register(() => hook.toolResolvers.push(resolver));
    },
    registerMarkdownTransformer: (given, options) => {
      const run = checked('registerMarkdownTransformer', given);
      const { messageTypes } = membersOf(options);
      const kinds = new Set(Array.isArray(messageTypes) ? messageTypes.map(String) : DEFAULT_MARKDOWN);
      register(() => (hook.transformer = { run, kinds }));
    },
  };
}

/** What the user set, if it is of the flag's kind; else its default. Undefined for a flag of another file. */
function flagValue({ hook, services }: ApiOptions, flag: RegisteredFlag | undefined): boolean | string | undefined {
  if (flag === undefined) return undefined;
  if (!hook.started && hook.dialect.strictFlags) return flag.default;
  const given = services.flagValue(flag.name);
  if (given === undefined || typeof given === flag.type) return given ?? flag.default;
  const kind = flag.type === 'boolean' ? 'true or false' : 'a text';
  services.report(hook, 'getFlag', new TypeError(`Flag "${flag.name}" must be ${kind}, not ${JSON.stringify(given)}`));
  return flag.default;
}

/** The shared bus; subscriptions belong to the load, errors of a listener to the hook that subscribed it. */
function eventsFor({ hook, services }: ApiOptions): object {
  return {
    emit: (channel: unknown, data: unknown) => {
      assertNotGone(hook);
      services.bus.emit(String(channel), data);
    },
    on: (channel: unknown, listener: unknown): (() => void) => {
      assertNotGone(hook);
      if (typeof listener !== 'function') throw new TypeError('events.on needs a function');
      const name = `events:${String(channel)}`;
      const isOver = endOfSession(hook, services);
      const listening = services.bus.on(String(channel), data => {
        if (isOver()) end();
        else void guardedCall(hook, services, name, () => (listener as HookFunction)(data));
      });
      const owned = hook.identity.scope.own({
        what: name,
        kind: 'listener',
        close: () => listening.dispose(),
      });
      const end = (): void => {
        owned.dispose();
        listening.dispose();
      };
      return end;
    },
  };
}

/**
 * In dialects whose files end with a session: whether the session of the running handler is over. The factory belongs
 * to all sessions.
 */
function endOfSession({ started, dialect }: LoadedHook, services: HookServices): () => boolean {
  const conversation = started && dialect.endsWithSession ? services.conversationFor() : undefined;
  const session = conversation?.sessionManager;
  return () => conversation?.sessionManager !== session;
}
