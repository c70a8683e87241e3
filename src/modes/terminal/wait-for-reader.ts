import type { Readable } from 'node:stream';
import type { Output } from './output';
import type { StopRequest } from './stop-request';

/** How much a client may leave unread before its next messages wait, in bytes. */
const MOST_UNREAD = 64 * 1024 * 1024;
/** How long such a client may read nothing, in ms. */
const CLIENT_LIMIT_MS = 10_000;

export interface ClientStreams {
  readonly stdin: Readable;
  readonly output: Output;
  readonly stop: StopRequest;
}

/**
 * Reads nothing more of a client that leaves too much unread until it has read that. The process is asked to stop if the client
 * reads nothing for a long time.
 */
export async function waitForReader({ stdin, output, stop }: ClientStreams): Promise<void> {
  if (output.unread <= MOST_UNREAD || stdin.isPaused()) return;
  stdin.pause();
  const isIgnored = output.whenIgnored(CLIENT_LIMIT_MS).then(() => true);
  if (await Promise.race([isIgnored, output.whenDrained()])) {
    output.printError('Error: The client does not read what it asks for.');
    stop.ask(1);
  }
  stdin.resume();
}
