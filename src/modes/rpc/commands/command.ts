import type { Runtime } from '../../start/runtime';
import type { RpcCommand } from '../fields';

/** What commands need. */
export interface RpcContext {
  readonly runtime: Runtime;
  /** Writes a record that is not the answer. */
  readonly send: (record: object) => void;
  /** See `ConversationPorts.whenDrained`. */
  readonly whenDrained: () => Promise<void> | undefined;
  /** Reports an error that occurs after the command was answered. */
  readonly printError: (text: string) => void;
}

/**
 * Runs a command and returns the data of its answer, undefined for none. Throws an error with a message for the sender.
 */
export type Answering = (context: RpcContext, command: RpcCommand) => unknown;

type Answers = Readonly<Record<string, Answering>>;

/** The commands of one version of the protocol, grouped by when they run. */
export interface RpcCommands {
  /** Commands that only read; they are answered at once. */
  readonly queries: Answers;
  /** Commands that end something; they do not wait for other commands. */
  readonly endings: Answers;
  /** Commands that begin something long: they wait for earlier changes, but later commands do not wait for them. */
  readonly beginnings: Answers;
  /** Commands that change something; later beginnings and changes wait for them. */
  readonly changes: Answers;
}
