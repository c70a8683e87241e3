import type { KeptCommandEnd, KeptCommand, OutputPart } from '../../agent/tools/command-keeper';
import { deferred } from '../../base/async/wait';
import { Emitter } from '../../base/event';

/** `waitedFor`: its call waits for it. `runningOn`: it was let go. `ending`: it was stopped, and has not ended yet. */
export type RunningState = 'waitedFor' | 'runningOn' | 'ending';

/** One command of a call, from its beginning to its end. */
export class RunningCommand {
  /** In ms since 1970. */
  readonly startedAt = Date.now();
  /** Settles when the command has ended and everything is recorded that follows from it. */
  readonly over = deferred();
  private readonly aborter = new AbortController();
  private readonly ending = deferred<KeptCommandEnd>();
  private readonly growEmitter = new Emitter<void>();
  /** It printed something, or has ended. */
  readonly onDidGrow = this.growEmitter.event;
  private hasEnded = false;
  private hasLeft = false;
  private wasLetGo = false;

  /** `callSignal` ends the command as long as its call waits for it. */
  constructor(
    readonly toolCallId: string,
    private readonly kept: KeptCommand,
    callSignal: AbortSignal | undefined,
  ) {
    callSignal?.addEventListener('abort', () => {
      if (!this.wasLetGo) this.aborter.abort();
    });
  }

  /** The command line. */
  get command(): string {
    return this.kept.command;
  }

  get signal(): AbortSignal {
    return this.aborter.signal;
  }

  get state(): RunningState {
    if (this.aborter.signal.aborted) return 'ending';
    return this.wasLetGo ? 'runningOn' : 'waitedFor';
  }

  /** Its call returned, or is about to. */
  get isLetGo(): boolean {
    return this.wasLetGo;
  }

  /** It was stopped because its conversation ends. */
  get isLeft(): boolean {
    return this.hasLeft;
  }

  get isOver(): boolean {
    return this.hasEnded;
  }

  get ended(): Promise<KeptCommandEnd> {
    return this.ending.promise;
  }

  /** The output from a byte on, also after the end. */
  outputFrom(position: number): OutputPart {
    return this.kept.outputFrom(position);
  }

  /** Lets the call return; false when that cannot be any more. */
  letGo(): boolean {
    if (this.hasEnded || this.state !== 'waitedFor') return false;
    this.wasLetGo = true;
    this.kept.letGo();
    return true;
  }

  /** Ends the command. `isLeft`: because its conversation ends. */
  stop(isLeft: boolean): void {
    if (this.state !== 'ending') this.hasLeft = isLeft;
    this.aborter.abort();
  }

  grew(): void {
    this.growEmitter.fire();
  }

  end(end: KeptCommandEnd): void {
    this.hasEnded = true;
    this.ending.resolve(end);
    this.growEmitter.fire();
  }
}
