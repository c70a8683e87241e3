import { deferred } from '../../base/wait';

const CODES = { SIGINT: 130, SIGTERM: 143, SIGHUP: 129 } as const;

/** The request to end the process, from a signal, from a hook or because its partner went away. */
export class StopRequest {
  private readonly request = deferred<number>();
  /** Resolves with the exit code at the first request. */
  readonly requested = this.request.promise;
  private exitCode: number | undefined;

  /** The exit code of the first request; undefined while nobody wants an end. */
  get code(): number | undefined {
    return this.exitCode;
  }

  ask(exitCode: number): void {
    this.exitCode ??= exitCode;
    this.request.resolve(this.exitCode);
  }

  /** Signals become requests; a second one ends the process at once. */
  listen(process: NodeJS.Process): void {
    for (const [signal, code] of Object.entries(CODES)) {
      process.on(signal, () => {
        if (this.exitCode !== undefined) process.exit(code);
        this.ask(code);
      });
    }
  }
}
