import { parentPort, workerData, type MessagePort } from 'node:worker_threads';
import { watchMainThread } from '../../hook-run/black-box/watchdog';
import type { WatchdogData } from '../../hook-run/black-box/watchdog-messages';
import { lookEarly } from '../../packages/approval/early-looks';
import type { HelperData } from './helper-messages';

/** The first message starts the watch over hooks; the others belong to it. */
async function help(port: MessagePort, { looks }: HelperData): Promise<void> {
  port.once('message', (data: WatchdogData) => watchMainThread(data, port));
  if (looks === undefined) return;
  looks.port.postMessage(await lookEarly(looks.sources, looks.places));
  looks.port.close();
}

if (parentPort !== null) void help(parentPort, workerData as HelperData);
