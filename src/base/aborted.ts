/** Resolves when the signal fires. */
export function aborted(signal: AbortSignal): Promise<undefined> {
  return new Promise(resolve => {
    const end = (): void => {
      resolve(undefined);
    };
    if (signal.aborted) end();
    else signal.addEventListener('abort', end, { once: true });
  });
}
