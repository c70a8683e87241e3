import type { ExtensionAPI } from '@earendil-works/pi-coding-agent';

/** Tells you when the agent is done or waits for you, if it worked for longer than this, in ms. */
const LONG_MS = 30_000;

/** A notification at the end of a long run. `agent_settled` comes after retries and queued messages, unlike `agent_end`. */
export default function notifyWhenDone(pi: ExtensionAPI) {
  let began: number | undefined;
  pi.on('agent_start', () => {
    began ??= Date.now();
  });
  pi.on('agent_settled', (event, ctx) => {
    const ms = began === undefined ? 0 : Date.now() - began;
    began = undefined;
    if (ms < LONG_MS || event.aborted) return;
    ctx.ui.notify(`The agent is done after ${Math.round(ms / 1000)} seconds.`);
  });
}
