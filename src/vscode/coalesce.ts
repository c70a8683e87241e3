/** Runs one piece of work at a time; calls made while it runs share a single further run. */
export function coalesced(work: () => Promise<void>): () => Promise<void> {
  let running: Promise<void> | undefined;
  let next: Promise<void> | undefined;
  const run = (): Promise<void> => {
    if (running === undefined) {
      running = work().finally(() => (running = undefined));
      return running;
    }
    const again = (): Promise<void> => {
      next = undefined;
      return run();
    };
    next ??= running.then(again, again);
    return next;
  };
  return run;
}
