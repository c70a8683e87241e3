/** Runs something when all tasks beside this one have ended or wait for the same. */
export type WhenAlone = <T>(run: () => Promise<T>) => Promise<T>;

/**
 * Runs tasks at the same time. What a task passes to its {@link WhenAlone} runs when every other task has ended or waits for
 * its own turn; one after the other. Resolves with the results in the order of the tasks; rejects when a task rejects.
 */
export async function runBeside<T>(tasks: readonly ((whenAlone: WhenAlone) => Promise<T>)[]): Promise<T[]> {
  let busy = tasks.length;
  let open = (): void => undefined;
  let turn = new Promise<void>(resolve => (open = resolve));
  const start = async (task: (whenAlone: WhenAlone) => Promise<T>): Promise<T> => {
    let isBusy = true;
    const rest = (): void => {
      if (isBusy && --busy === 0) open();
      isBusy = false;
    };
    const whenAlone: WhenAlone = async run => {
      rest();
      const result = turn.then(run);
      const ended = (): void => undefined;
      turn = result.then(ended, ended);
      return result;
    };
    try {
      return await task(whenAlone);
    } finally {
      rest();
    }
  };
  return Promise.all(tasks.map(start));
}
