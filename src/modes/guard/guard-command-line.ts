import type { GuardPlace } from '../../guard/protocol/place';
import type { Caller } from '../../startup/agents/calling-agent';
import type { CodePlace } from '../../startup/hook-setup';
import type { GuardArguments } from './guard-arguments';

/** The surroundings of the command. */
export interface GuardModeParts {
  readonly process: NodeJS.Process;
  readonly caller: Caller;
  /** Absolute. */
  readonly cwd: string;
  readonly code: CodePlace;
}

/** A guard command with what it needs. */
export interface GuardCommandLine extends GuardModeParts {
  readonly given: GuardArguments;
  readonly place: GuardPlace;
}
