import type { ExtensionAPI } from '@earendil-works/pi-coding-agent';

/** Shows in the status line how many tools the agent used for the current prompt, and how many of them failed. */
export default function statusLine(pi: ExtensionAPI) {
  let used = 0;
  let failed = 0;

  pi.on('agent_start', () => {
    used = 0;
    failed = 0;
  });
  pi.on('tool_execution_end', (event, ctx) => {
    used += 1;
    if (event.isError) failed += 1;
    ctx.ui.setStatus('status-line', `${used} tools, ${failed} failed`);
  });
}
