import type { BashOutcome } from '../../hooks/events/hook-event';
import { aborted } from './prompt-pipeline';
import { runUserBash, type UserBashParts } from './user-bash';

/** The commands that a person runs beside the agent in one conversation (`!command`). */
export class UserShells {
  private readonly running = new Set<AbortController>();
  private readonly recording = new Set<Promise<unknown>>();

  /** `patienceMs`: how long {@link recorded} waits for commands that were stopped. */
  constructor(
    private readonly parts: () => Omit<UserBashParts, 'signal'>,
    private readonly patienceMs: number,
  ) {}

  /**
   * Runs a command and resolves with its outcome; `recorded` settles when it is in the session, which it is once the
   * agent is idle. `hidden` keeps it from the model.
   */
  async run(
    command: string,
    hidden: boolean,
  ): Promise<{ readonly outcome: BashOutcome; readonly recorded: Promise<void> }> {
    const abort = new AbortController();
    this.running.add(abort);
    const running = runUserBash(command, hidden, { ...this.parts(), signal: abort.signal });
    const recorded = running.then(run => run.recorded).catch(() => undefined); // Whoever ran it is told.
    this.recording.add(recorded);
    void recorded.then(() => this.recording.delete(recorded));
    try {
      return await running;
    } finally {
      this.running.delete(abort);
    }
  }

  get isRunning(): boolean {
    return this.running.size > 0;
  }

  /** Ends all commands; each keeps what it has said so far. */
  abort(): void {
    for (const shell of this.running) shell.abort();
  }

  /** Resolves when no outcome is on its way to the session any more, or does not come in time. */
  async recorded(): Promise<void> {
    await Promise.race([Promise.all(this.recording), aborted(AbortSignal.timeout(this.patienceMs))]);
  }
}
