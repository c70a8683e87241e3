import type { ContractEvent } from '../../agents/agent';
import type { AgentId } from '../../protocol/agent-call';
import type { ServerCommand } from '../client-command';
import type { GuardFormat } from '../formats/guard-format';
import type { ServerEntry, ServerFormat } from '../formats/server-format';
import type { Machine } from '../this-machine';

/** `user`: the agent's configuration of this user. `system`: the one that no user or repository can override. */
export type GuardScope = 'user' | 'system';

/** How long an agent waits for the client, s. The client gives up before. */
export const TIMEOUT_S = 3600;

/** How one agent is told to call our hooks, and what can keep it from that (docs/guard.md). */
export interface AgentSetup {
  readonly id: AgentId;
  /** The agent's own folder: in the user's home, unless the variable names another one, and in a project. */
  readonly folder: AgentFolder;
  /** The files that entries are written to; empty where the agent has no such scope. */
  files(scope: GuardScope, platform: NodeJS.Platform): readonly SetupFile[];
  /**
   * How long the agent waits for the client, s, where that is less than {@link TIMEOUT_S}, however long an entry asks for. The
   * client has a limit of its own for it, which is 5 seconds less.
   */
  readonly waitS?: number;
  /** Our entries are a plugin that the agent loads into its process; one that fails to load stops nothing. */
  readonly loadsPlugin?: true;
  /** What is written for an event. */
  entry(event: SetupEvent, command: string, platform: NodeJS.Platform): Readonly<Record<string, unknown>>;
  /** Names of the files in the agent's folders, of the user and of a project, in which {@link switches} always count. */
  readonly settings: readonly string[];
  /** The same for files of variables, which also count at the root of a project; absent: none. */
  readonly variables?: readonly string[];
  /** Whether switches also count in another file there with this name, when the user chooses it. */
  isProfile?(name: string): boolean;
  /**
   * What in the text of such a file turns hooks off.
   * @throws Error if it cannot be read
   */
  switches(text: string): readonly SwitchPlace[];
  /** Matches the path, from a folder `.<agent>` on, of each file that says which hooks the agent calls; no `^` and `$`. */
  readonly configFiles: string;
  /** What hooks cannot stop in this agent, as sentences. */
  readonly cannotGuard: readonly string[];
  /** How the agent is told of our MCP server, with the tools of hooks. */
  readonly tools: SetupTools;
}

/** How an agent is told of an MCP server. */
export interface SetupTools {
  /** Absolute path of the user's file with the list. `folder`: the agent's own folder, absolute. */
  file(folder: string, machine: Machine): string;
  readonly format: ServerFormat;
  entry(program: ServerCommand): ServerEntry;
}

/** Where an agent's own folder is. */
export interface AgentFolder {
  /** Absent where the folder is always in the home. */
  readonly variable?: string;
  /** Below the home or a project. */
  readonly name: string;
  /** The variable names another home. */
  readonly isHome?: true;
  /** Its name in the folder that the variable names, where other programs have theirs there, too. */
  readonly inVariable?: string;
}

/** A file with entries of ours. */
export interface SetupFile {
  /** Below the agent's folder of the user, or below the root of the system. */
  readonly path: readonly string[];
  readonly format: GuardFormat;
  /** Of a file that is made, where the agent must be able to start it. */
  readonly mode?: number;
  /** The one event whose entry is in it; absent: the entries of all events are. */
  readonly event?: string;
}

/** What an entry needs to know of its event. */
export type SetupEvent = Pick<ContractEvent, 'name' | 'gates'>;

/** Where a text turns hooks off. */
export interface SwitchPlace {
  /** 0-based. */
  readonly line: number;
  /** 0-based. */
  readonly column: number;
  /** Of what is written there. */
  readonly length: number;
  /** The setting, as it is written: `disableAllHooks`. */
  readonly setting: string;
  /** Names of the members, and indexes in lists, that lead to it. */
  readonly path: readonly (string | number)[];
  /** It turns off the entries of the system, too. */
  readonly beatsSystem?: true;
}
