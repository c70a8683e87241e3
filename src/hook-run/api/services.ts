import type { ExecOptions, ExecResult } from '../../agent/tools/shell/exec';
import type { Disposable } from '../../base/disposable';
import type { Log } from '../../base/log';
import type { ConversationMode, HookConversation } from '../../hook-contract/conversation-port';
import type { DialogAnswer } from '../../hook-contract/ui/ui';
import type { EventBus } from './event-bus';
import type { RegisteredMcpServers } from './mcp-servers';
import type { LoadedHook } from '../../hook-contract/loaded-hook';
import type { ThemeSwitch } from '../../hook-contract/ui/theme';

/** The hook that registers a provider. */
export interface ProviderSource {
  readonly path: string;
  /** See `Dialect.namesKeysBare`. */
  readonly namesKeysBare: boolean;
  /** See `Dialect.sharesApi`. */
  readonly sharesApi: boolean;
  /** Called at each request: whether its stream accepts system messages (docs/dialects.md, C40). */
  readonly takesSystemMessages: () => boolean;
}

/** Receives the providers that hooks register; the composition root implements it. */
export interface ProviderPort {
  /** Throws with a message for people when the configuration is unusable. */
  register(name: string, config: Readonly<Record<string, unknown>>, hook: ProviderSource): Disposable;
  /** Registers a complete provider of pi-ai. Throws as {@link register}. */
  registerNative(provider: unknown, hook: Pick<ProviderSource, 'path'>): Disposable;
  unregister(name: string): void;
  /** Throws as {@link register}; `route` rejects with a text that names the hook's place. */
  registerVirtual(definition: Readonly<Record<string, unknown>>, hook: Pick<ProviderSource, 'path'>): Disposable;
  unregisterVirtual(provider: string, id: string): void;
}

/** The services behind the objects passed to hooks (`pi`, `ctx`, `ctx.ui`); one per host. */
export interface HookServices {
  /**
   * The conversation of a call: the one whose event got the `ctx`, while it is open, else the one whose event started
   * the calling code, else the active one; undefined when there is none.
   */
  conversationFor(handed?: HookConversation): HookConversation | undefined;
  /** Runs hook code so that its late calls refer to this conversation. */
  within<V>(conversation: HookConversation | undefined, code: () => V): V;
  /** Waits for a question to the user, and notifies hooks of it. */
  asking<V>(
    conversation: HookConversation | undefined,
    about: Pick<DialogAnswer, 'kind' | 'title'>,
    question: () => Promise<V>,
  ): Promise<V>;
  /** Where `pi.exec` runs while no conversation is open: the workspace folder. */
  readonly cwd: string | undefined;
  /** `ctx.mode` while no conversation is open. */
  readonly mode: ConversationMode;
  /** Whether hooks and settings of the workspace folder count. */
  isProjectTrusted(): boolean;
  exec(command: string, args: readonly string[], options: ExecOptions): Promise<ExecResult>;
  /** The load of a file that runs now. */
  loadOf(path: string): LoadedHook | undefined;
  /** Reports a failure of hook code that has no caller; `event` names what it was doing. */
  report(hook: LoadedHook, event: string, thrown: unknown): void;
  readonly bus: EventBus;
  readonly theme: ThemeSwitch;
  readonly providers: ProviderPort;
  /** MCP servers of all hooks; `changed` notifies listeners. */
  readonly mcp: { readonly servers: RegisteredMcpServers; changed(): void };
  /** The current settings, in pi's form. */
  settings(): object;
  readonly log: Log;
  /** The user's value of a flag, from the command line or VS Code's settings. */
  flagValue(name: string): boolean | string | undefined;
  /** A shipped module by its specifier, loaded; undefined when it is not (oh-my-pi's `pi.pi`, `pi.typebox` and `pi.zod`). */
  shipped(specifier: string): Readonly<Record<string, unknown>> | undefined;
}
