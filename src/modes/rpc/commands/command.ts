import type { Runtime } from '../../start/runtime';
import type { RpcCommand } from '../fields';

/** What commands work on. */
export interface RpcContext {
  readonly runtime: Runtime;
  /** Writes a record beside the answer. */
  readonly send: (record: object) => void;
  /** See `ConversationPorts.whenTaken`. */
  readonly whenTaken: () => Promise<void> | undefined;
  /** Something went wrong after its command was answered. */
  readonly complain: (text: string) => void;
}

/** Answers a command with its data, undefined for none; throws with a text for the sender. */
export type Answering = (context: RpcContext, command: RpcCommand) => unknown;

type Answers = Readonly<Record<string, Answering>>;

/** The commands of one version of the protocol, by when their turn is. */
export interface RpcCommands {
  /** Only look; answered at once, whatever else is going on. */
  readonly queries: Answers;
  /** End something that is going on; never wait for their turn. */
  readonly endings: Answers;
  /** Begin something that may go on for long: they wait for their turn, and the next command does not wait for them. */
  readonly beginnings: Answers;
  /** Change something; the next command sees it changed. */
  readonly changes: Answers;
}
