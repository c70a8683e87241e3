import { Emitter } from '../../base/event';
import type { RunStatus } from '../../protocol/messages';

export type RunPhase = RunStatus['phase'];

/** What goes on beside a run: preparing, waiting for another try, compacting. */
interface Aside {
  readonly abort: AbortController;
  readonly phase: RunPhase;
  /** False: it is only shown, and the conversation counts as idle. */
  readonly isBusy: boolean;
}

/** What a conversation does now, as the page shows it: the innermost thing beside the run, else the run, else nothing. */
export class RunPhases {
  private shown: RunPhase = { type: 'idle' };
  /** Outermost first. */
  private readonly asides: Aside[] = [];
  private readonly emitter = new Emitter<RunPhase>();
  readonly onDidChange = this.emitter.event;

  constructor(
    private readonly isAgentRunning: () => boolean,
    /** What a hook wants to be shown while the agent works; empty when none does. */
    private readonly workingMessage: () => string,
    /** Since when the model says nothing, when that is long. */
    private readonly silentSince: () => number | undefined,
  ) {}

  get current(): RunPhase {
    return this.shown;
  }

  /** The phase of a run. */
  get running(): RunPhase {
    const silentSince = this.silentSince();
    return { type: 'running', message: this.workingMessage(), ...(silentSince === undefined ? {} : { silentSince }) };
  }

  /** Something beside the run goes on that counts as work. */
  get isBusy(): boolean {
    return this.asides.some(({ isBusy }) => isBusy);
  }

  /** Fires when what goes on beside the run is ended; undefined when nothing does. */
  get signal(): AbortSignal | undefined {
    return this.asides.at(-1)?.abort.signal;
  }

  enterRun(): void {
    this.show(this.running);
  }

  /** The agent has stopped: what goes on beside it is shown. */
  leaveRun(): void {
    this.show(this.asides.at(-1)?.phase ?? { type: 'idle' });
  }

  /** The working message, or the silence of the model, may have changed. */
  refresh(): void {
    if (this.shown.type === 'running') this.enterRun();
  }

  /** Does something beside the run that {@link abort} ends; may be nested. Rejects as `work` does. */
  async beside<T>(phase: RunPhase, work: (signal: AbortSignal) => Promise<T>, isBusy: boolean): Promise<T> {
    const aside = { abort: new AbortController(), phase, isBusy };
    this.asides.push(aside);
    this.show(phase);
    try {
      return await work(aside.abort.signal);
    } finally {
      this.asides.splice(this.asides.indexOf(aside), 1);
      if (this.isAgentRunning()) this.enterRun();
      else this.leaveRun();
    }
  }

  /** Ends what goes on beside the run, or only what is in one kind of phase. */
  abort(type?: RunPhase['type']): void {
    for (const { abort, phase } of this.asides) if (type === undefined || phase.type === type) abort.abort();
  }

  private show(phase: RunPhase): void {
    this.shown = phase;
    this.emitter.fire(phase);
  }
}
