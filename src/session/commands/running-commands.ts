import type { KeptCommandEnd, CommandKeeper, CommandWatch, KeptCommand } from '../../agent/tools/command-keeper';
import { messageOf } from '../../base/errors';
import type { Log } from '../../base/log';
import type { CustomMessageDraft } from '../../hook-contract/hook-event';
import { commandEndMessage, recordOfEnd } from '../../transcript/command-end';
import type { SessionEvents } from '../ports/session-events';
import { RunningCommand } from './running-command';

export interface RunningCommandsParts {
  readonly events: SessionEvents;
  readonly log: Log;
  /** Tells the agent of the end of a command, with its next request; causes none. */
  readonly tell: (message: CustomMessageDraft) => Promise<void>;
}

/**
 * The commands that calls of one conversation run. A user can let one run on: its call returns, and the command belongs to
 * this until it ends, is stopped, or the conversation ends. A stop of a run does not end it.
 */
export class RunningCommands {
  /** By the id of the call. */
  private readonly commands = new Map<string, RunningCommand>();

  constructor(private readonly parts: RunningCommandsParts) {}

  /** All, in the order in which they began. */
  get all(): readonly RunningCommand[] {
    return [...this.commands.values()];
  }

  /** Those that run on after their call. */
  get letGo(): readonly RunningCommand[] {
    return this.all.filter(({ isLetGo }) => isLetGo);
  }

  get(toolCallId: string): RunningCommand | undefined {
    return this.commands.get(toolCallId);
  }

  /** Lets the call of a command return, and the command run on; does nothing when it has ended or runs on already. */
  runOn(toolCallId: string): void {
    const command = this.commands.get(toolCallId);
    if (command === undefined || !command.letGo()) return;
    this.fire(command);
  }

  /** Ends one command. Its call, if it still waits, goes on with what was printed. */
  stop(toolCallId: string): void {
    const command = this.commands.get(toolCallId);
    if (command === undefined || command.state === 'ending') return;
    command.stop(false);
    this.fire(command);
  }

  /** Ends all that run on, because the conversation ends. Resolves when they have ended and are recorded; never rejects. */
  async endAll(): Promise<void> {
    await Promise.all(
      this.letGo.map(command => {
        command.stop(true);
        return command.over.promise;
      }),
    );
  }

  /** What the tool of a call gets. */
  keeperOf(toolCallId: string): CommandKeeper {
    return { begin: (command, signal) => this.begin(toolCallId, command, signal) };
  }

  /**
   * To be called when a call has returned. If its command runs on, `work` is done when that has ended; then the agent is
   * told. Settles after that and never rejects; undefined when no command of the call runs on.
   */
  afterEnd(toolCallId: string, work: () => Promise<void>): Promise<void> | undefined {
    const command = this.commands.get(toolCallId);
    return command?.isLetGo === true ? this.follow(command, work) : undefined;
  }

  private begin(toolCallId: string, kept: KeptCommand, signal: AbortSignal | undefined): CommandWatch {
    const command = new RunningCommand(toolCallId, kept, signal);
    this.commands.set(toolCallId, command);
    this.fire(command);
    return {
      signal: command.signal,
      grew: () => command.grew(),
      end: end => {
        command.end(end);
        if (!command.isLetGo) this.remove(command, end);
      },
    };
  }

  private async follow(command: RunningCommand, work: () => Promise<void>): Promise<void> {
    const end = await command.ended;
    const { toolCallId, isLeft } = command;
    try {
      await work();
    } catch (error) {
      this.parts.log.error(`What a command changed could not be recorded: ${messageOf(error)}`, error);
    }
    this.remove(command, end);
    try {
      await this.parts.tell(commandEndMessage(toolCallId, { ...end, isLeft }));
    } catch (error) {
      this.parts.log.error(`The end of a command could not be recorded: ${messageOf(error)}`, error);
    }
    command.over.resolve();
  }

  private remove(command: RunningCommand, end: KeptCommandEnd): void {
    this.commands.delete(command.toolCallId);
    const { toolCallId, isLetGo, isLeft } = command;
    const recorded = isLetGo ? { end: recordOfEnd(toolCallId, { ...end, isLeft }) } : {};
    this.parts.events.fire({ type: 'command_over', toolCallId, ...recorded });
  }

  private fire({ toolCallId, state, startedAt }: RunningCommand): void {
    this.parts.events.fire({ type: 'command_state', toolCallId, state, startedAt });
  }
}
