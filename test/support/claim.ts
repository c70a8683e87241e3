import { createServer } from 'node:net';

const TIMEOUT_MS = 25_000;

/**
 * Keeps something that a machine has once, such as a port that a document names, from other test runs on it. Waits until
 * none of them has it; resolves with what gives it back, as the end of this process does. Where there is no Linux,
 * nothing is kept.
 */
export async function claim(name: string): Promise<() => Promise<void>> {
  if (process.platform !== 'linux') return () => Promise.resolve();
  const deadline = Date.now() + TIMEOUT_MS;
  for (;;) {
    // A socket without a file: the system closes it with the process.
    const holder = createServer();
    const isOurs = await new Promise<boolean>(resolve => {
      holder.once('error', () => resolve(false));
      holder.listen(`\0hookline-test-${name}`, () => resolve(true));
    });
    if (isOurs) return () => new Promise(resolve => holder.close(() => resolve()));
    if (Date.now() > deadline) throw new Error(`another test run keeps ${name}`);
    await new Promise(resolve => setTimeout(resolve, 50));
  }
}
