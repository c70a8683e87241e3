import type { ExecOptions, ExecResult } from '../../agent/tools/shell/exec';
import type { Disposable } from '../../base/disposable';
import type { Log } from '../../base/log';
import type { ConversationMode, HookConversation } from '../conversation-port';
import type { DialogAnswer } from '../dispatch/record';
import type { EventBus } from './event-bus';
import type { RegisteredMcpServers } from './mcp-servers';
import type { LoadedHook } from '../loaded-hook';
import type { ThemeSwitch } from './ui/theme';

/** The hook that registers a provider. */
export interface ProviderSource {
  readonly path: string;
  /** See `Dialect.namesKeysBare`. */
  readonly namesKeysBare: boolean;
  /** See `Dialect.sharesApi`. */
  readonly sharesApi: boolean;
  /** Asked at each request: whether its stream takes system messages (docs/dialects.md, C40). */
  readonly takesSystemMessages: () => boolean;
}

/** Where providers that hooks register go; the composition root answers it. */
export interface ProviderPort {
  /** Throws with a message for people when the configuration is unusable. */
  register(name: string, config: Readonly<Record<string, unknown>>, hook: ProviderSource): Disposable;
  /** A whole provider of pi-ai. Throws as {@link register}. */
  registerNative(provider: unknown, hook: Pick<ProviderSource, 'path'>): Disposable;
  unregister(name: string): void;
  /** Throws as {@link register}; `route` rejects with a text that names the hook's place. */
  registerVirtual(definition: Readonly<Record<string, unknown>>, hook: Pick<ProviderSource, 'path'>): Disposable;
  unregisterVirtual(provider: string, id: string): void;
}

/** What the objects passed to hooks (`pi`, `ctx`, `ctx.ui`) work on; one per host. */
export interface HookServices {
  /**
   * The conversation a call belongs to: the one whose event handed out the `ctx`, while it lives, else the one whose
   * event the calling code was started by, else the active one; undefined when there is none.
   */
  conversationFor(handed?: HookConversation): HookConversation | undefined;
  /** Runs hook code so that its late calls find their way to the conversation. */
  within<V>(conversation: HookConversation | undefined, code: () => V): V;
  /** Waits for what a user is asked, and lets hooks know of it. */
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
  /** Tells of a failure of hook code that has no caller to tell; `event` names what it was doing. */
  report(hook: LoadedHook, event: string, thrown: unknown): void;
  readonly bus: EventBus;
  readonly theme: ThemeSwitch;
  readonly providers: ProviderPort | undefined;
  /** MCP servers of all hooks; `changed` tells those who listen. */
  readonly mcp: { readonly servers: RegisteredMcpServers; changed(): void };
  /** The settings in force, in pi's words. */
  settings(): object;
  readonly log: Log;
  /** Value that a user gave to a flag, on the command line or in the settings of the surroundings. */
  flagValue(name: string): boolean | string | undefined;
  /** A shipped module by its specifier, loaded; undefined when it is not (oh-my-pi's `pi.pi` and `pi.typebox`). */
  shipped(specifier: string): Readonly<Record<string, unknown>> | undefined;
}
