import type { Event } from '../../base/event';
import type { Log } from '../../base/log';
import type { McpConfigCheck } from '../api/mcp-servers';
import type { HookServices, ProviderPort } from '../api/services';
import type { ThemeSwitch } from '../../hook-contract/ui/theme';
import type { ApprovalSettings } from '../../gate/approval-settings';
import type { DuringCall } from '../../gate/held-changes/agent-changes';
import type { KeptApprovals } from '../../gate/held-changes/hook-approvals';
import type { HookScope } from '../../hook-contract/loaded-hook';
import type { ChildCall } from './child-call';
import type { Discovery, HookFile } from '../../hook-load/files/discover';
import type { HostTimeouts } from './hook-sessions';
import type { LoadingOptions } from './hook-set';

export interface HookHostOptions<S extends HookScope = HookScope> extends LoadingOptions<S> {
  /**
   * Which files there are now; `heldBack` are shown but not loaded (Restricted Mode). `packages`: whether the packages may
   * have changed since the last time.
   */
  discover(about: {
    readonly packages: boolean;
  }): Promise<Discovery & { readonly heldBack?: readonly HookFile[] }> | Discovery;
  /** The files that wait for trust in the folder, also those that only its settings name. */
  readonly untrustedHooks: () => Promise<readonly HookFile[]>;
  /** Names of the product's own slash commands. */
  readonly builtInCommands: ReadonlySet<string>;
  readonly providers: ProviderPort;
  /** Whether a configuration of an MCP server can be used. */
  readonly checkMcpServer: McpConfigCheck;
  /** The settings in force as pi's files would say them. */
  readonly writtenSettings: HookServices['settings'];
  readonly log: Log;
  readonly theme: ThemeSwitch;
  readonly exec: HookServices['exec'];
  /** Workspace folder, for commands that hooks run while no conversation is open. */
  readonly cwd: string | undefined;
  /** The mode of future conversations, for hooks that are called before one is open. */
  readonly mode: HookServices['mode'];
  /** Whether the folder's own hooks and settings count. */
  readonly isProjectTrusted: () => boolean;
  /** Why hooks are held back, for the refusal of tools that they would gate; undefined: such tools run. */
  readonly heldBackReason: (() => string) | undefined;
  readonly flagValue: HookServices['flagValue'];
  readonly shipped: HookServices['shipped'];
  /** Others than those of a window. */
  readonly timeouts: Partial<HostTimeouts> | undefined;
  /** The built-in gate: the path of its source, and its settings. Undefined: there is none. */
  readonly gate: { readonly path: string; readonly settings: ApprovalSettings } | undefined;
  /** Undefined: held changes of the agent are forgotten when the process ends. */
  readonly approvals: KeptApprovals | undefined;
  /** Reads again which hooks settings name, before the look that ends a round of tool calls. */
  readonly readLists: () => Promise<void>;
  /** The first load is final: for a session that ends when the hooks that guard it change. */
  readonly loadsOnce: boolean;
  /** Runs a call so that it also counts as the agent's work in other hosts. */
  readonly duringCall: DuringCall | undefined;
  /** Tool calls of agents that hooks start. */
  readonly childCalls: Event<ChildCall>;
}
