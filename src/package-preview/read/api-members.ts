import { silentLog } from '../../base/log';
import { toDisposable } from '../../base/disposable';
import { DIALECTS } from '../../hook-contract/dialects';
import { featuresIn, evidenceIn } from '../../hook-contract/dialects/detect';
import { LoadedHook } from '../../hook-contract/loaded-hook';
import { createApi } from '../../hook-run/api/api';
import { HookCommandContext } from '../../hook-run/api/commands/command-context';
import { HookContext } from '../../hook-run/api/context';
import { EventBus } from '../../hook-run/api/event-bus';
import { RegisteredMcpServers } from '../../hook-run/api/mcp-servers';
import type { HookServices } from '../../hook-run/api/services';
import { HookUi } from '../../hook-run/api/ui/ui-context';
import { ThemeSwitch } from '../../hook-contract/ui/theme';

/** Names of the members of the objects that the runtime passes to hooks, for all dialects. */
export interface ApiMembers {
  readonly pi: ReadonlySet<string>;
  /** `ctx` of events; `ctx` of commands has more members. */
  readonly ctx: ReadonlySet<string>;
  readonly commandCtx: ReadonlySet<string>;
  readonly ui: ReadonlySet<string>;
}

/** The members, read from the objects themselves. */
export function apiMembers(): ApiMembers {
  const ctx = membersOf(HookContext.prototype);
  return {
    pi: new Set(Object.getOwnPropertyNames(createApi({ hook: nobody(), services: NO_SERVICES, ...UNHEARD }))),
    ctx: new Set(ctx),
    commandCtx: new Set([...ctx, ...membersOf(HookCommandContext.prototype), ...COMMAND_FIELDS]),
    ui: new Set(membersOf(HookUi.prototype)),
  };
}

/** They are fields of each object, which no prototype shows. */
const COMMAND_FIELDS: readonly (keyof HookCommandContext & string)[] = ['args', 'argsRaw', 'argv'];

function membersOf(prototype: object): readonly string[] {
  return Object.getOwnPropertyNames(prototype).filter(name => name !== 'constructor');
}

const UNHEARD = { used: (): void => undefined, listens: (): void => undefined };

/** A hook that registers nothing, whose `pi` is inspected. */
function nobody(): LoadedHook {
  const nothing = (): undefined => undefined;
  const identity = {
    path: '',
    origin: 'explicit',
    group: 'extensions',
    scope: {
      isReleased: true,
      isIdle: true,
      begin: () => toDisposable(nothing),
      own: () => toDisposable(nothing),
      release: () => Promise.resolve(),
    },
    map: { placeIn: nothing, mapStack: (stack: string) => stack },
  } as const;
  const tag = { id: 'pi', because: '', overridden: false } as const;
  const features = { ...featuresIn(evidenceIn([])), events: new Set<string>(), methods: new Set<string>() };
  return new LoadedHook(identity, tag, DIALECTS.pi, features);
}

const NOTHING_HELD = toDisposable(() => undefined);
const NO_SERVICES: HookServices = {
  conversationFor: () => undefined,
  within: (_conversation, code) => code(),
  asking: (_conversation, _about, question) => question(),
  cwd: undefined,
  mode: 'print',
  isProjectTrusted: () => false,
  exec: () => Promise.reject(new Error('Nothing runs here.')),
  loadOf: () => undefined,
  report: () => undefined,
  bus: new EventBus(),
  theme: new ThemeSwitch(),
  providers: {
    register: () => NOTHING_HELD,
    registerNative: () => NOTHING_HELD,
    unregister: () => undefined,
    registerVirtual: () => NOTHING_HELD,
    unregisterVirtual: () => undefined,
  },
  mcp: { servers: new RegisteredMcpServers(() => undefined), changed: () => undefined },
  settings: () => ({}),
  log: silentLog,
  flagValue: () => undefined,
  shipped: () => undefined,
};
