import { deferred } from '../../base/async/wait';

const CODES = { SIGINT: 130, SIGTERM: 143, SIGHUP: 129 } as const;

/** The request to end the process: from a signal, from a hook, or because the client closed its end. */
export class StopRequest {
  private readonly request = deferred<number>();
  /** Resolves with the exit code at the first request. */
  readonly requested = this.request.promise;
  private readonly signal = deferred();
  /** Resolves at the first signal. */
  readonly signalled = this.signal.promise;
  private exitCode: number | undefined;

  /** The exit code of the first request; undefined before any request. */
  get code(): number | undefined {
    return this.exitCode;
  }

  /** Restores what hooks deleted and each step needs. Is called before a request is answered. */
  prepare: () => void = () => undefined;

  ask(exitCode: number): void {
    this.prepare();
    this.exitCode ??= exitCode;
    this.request.resolve(this.exitCode);
  }

  /**
   * Makes signals request the end; a second signal ends the process at once. One after another request does not: process managers
   * close stdin and send SIGTERM a moment later.
   */
  listen(process: Pick<NodeJS.Process, 'on' | 'exit'>): void {
    let signals = 0;
    for (const [signal, code] of Object.entries(CODES)) {
      process.on(signal, () => {
        signals += 1;
        if (signals > 1) process.exit(code);
        this.ask(code);
        this.signal.resolve();
      });
    }
  }
}
