import type { Agent } from '../../agent/run/agent';
import { defined } from '../../base/defined';
import { Emitter } from '../../base/event';
import type { RunStatus } from '../../protocol/messages';
import type { SilentStream } from './request/silent-stream';

/** Who asks the user is known to the view alone. */
export type RunPhase = Exclude<RunStatus['phase'], { type: 'asking' }>;

/** Work outside of a run: preparing, waiting for a retry, compacting. */
interface Aside {
  readonly abort: AbortController;
  readonly phase: RunPhase;
  /** False: it is only shown, and the conversation counts as idle. */
  readonly isBusy: boolean;
}

/** The phase that the page shows: the innermost work outside of the run, else the run, else idle. */
export class RunPhases {
  private shown: RunPhase = { type: 'idle' };
  private workingMessage: string | undefined;
  /** Outermost first. */
  private readonly asides: Aside[] = [];
  private readonly emitter = new Emitter<RunPhase>();
  readonly onDidChange = this.emitter.event;

  constructor(
    private readonly agent: Pick<Agent, 'isRunning'>,
    private readonly silence: Pick<SilentStream, 'silentSince' | 'onDidChange'>,
  ) {
    silence.onDidChange(() => this.refresh());
  }

  get current(): RunPhase {
    return this.shown;
  }

  /** The phase of a run. */
  get running(): RunPhase {
    const { silentSince } = this.silence;
    const message = this.workingMessage ?? '';
    return { type: 'running', message, ...defined({ silentSince }) };
  }

  /** Whether work outside of the run counts as busy. */
  get isBusy(): boolean {
    return this.asides.some(({ isBusy }) => isBusy);
  }

  /** Aborts when the work outside of the run is stopped; undefined when there is none. */
  get signal(): AbortSignal | undefined {
    return this.asides.at(-1)?.abort.signal;
  }

  enterRun(): void {
    this.show(this.running);
  }

  /** The agent has stopped: shows the work outside of the run. */
  leaveRun(): void {
    this.show(this.asides.at(-1)?.phase ?? { type: 'idle' });
  }

  /** Says what the agent does while it works; undefined: nothing particular. */
  describe(message: string | undefined): void {
    this.workingMessage = message;
    this.refresh();
  }

  /** The working message, or the silence of the model, may have changed. */
  private refresh(): void {
    if (this.shown.type === 'running') this.enterRun();
  }

  /** Does work outside of the run that {@link abort} ends; may be nested. Rejects as `work` does. */
  async beside<T>(phase: RunPhase, work: (signal: AbortSignal) => Promise<T>, isBusy: boolean): Promise<T> {
    const aside = { abort: new AbortController(), phase, isBusy };
    this.asides.push(aside);
    this.show(phase);
    try {
      return await work(aside.abort.signal);
    } finally {
      this.asides.splice(this.asides.indexOf(aside), 1);
      if (this.agent.isRunning) this.enterRun();
      else this.leaveRun();
    }
  }

  /** Ends the work outside of the run, or only work of one kind of phase. */
  abort(type?: RunPhase['type']): void {
    for (const { abort, phase } of this.asides) if (type === undefined || phase.type === type) abort.abort();
  }

  private show(phase: RunPhase): void {
    this.shown = phase;
    this.emitter.fire(phase);
  }
}
