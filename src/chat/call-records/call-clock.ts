import { performance } from 'node:perf_hooks';

/** How long tools themselves run, ms: neither what hooks take before and after nor what the user takes to answer. */
export class CallClock {
  private readonly running = new Map<string, number>();
  private readonly ran = new Map<string, number>();

  start(toolCallId: string): void {
    this.running.set(toolCallId, performance.now());
  }

  stop(toolCallId: string): void {
    const startedAt = this.running.get(toolCallId);
    if (startedAt === undefined) return;
    this.running.delete(toolCallId);
    this.ran.set(toolCallId, Math.round((performance.now() - startedAt) * 1_000) / 1_000);
  }

  /**
   * Returns the duration of a call in ms and forgets it; undefined when the tool never began. For a call without an end, the
   * time until now.
   */
  take(toolCallId: string): number | undefined {
    this.stop(toolCallId);
    const ms = this.ran.get(toolCallId);
    this.ran.delete(toolCallId);
    return ms;
  }

  clear(): void {
    this.running.clear();
    this.ran.clear();
  }
}
