import type { ExtensionAPI, ExtensionContext } from '@mariozechner/pi-coding-agent';

/** Share of the context window from which on the line is a warning. */
const WARN_AT = 70;

/** Shows how full the context is and how many turns the last prompt took, and warns once before it overflows. */
export default function contextMeter(pi: ExtensionAPI) {
  let turns = 0;
  let warned = false;

  const show = (ctx: ExtensionContext) => {
    const usage = ctx.getContextUsage();
    // Right after a compaction nobody knows: the next answer tells.
    const percent = usage?.percent === null || usage === undefined ? undefined : Math.round(usage.percent);
    const { theme } = ctx.ui;
    const full = percent === undefined ? 'context ?' : `context ${percent}%`;
    const high = (percent ?? 0) >= WARN_AT;
    ctx.ui.setStatus('context-meter', `${theme.fg(high ? 'warning' : 'dim', full)} · ${turns} turns`);
    if (high && !warned) ctx.ui.notify(`The context is ${percent}% full; /compact makes room`, 'warning');
    warned = high;
  };

  pi.on('agent_start', () => {
    turns = 0;
  });
  pi.on('turn_end', (_event, ctx) => {
    turns += 1;
    show(ctx);
  });
  pi.on('session_compact', (_event, ctx) => {
    show(ctx);
  });
}
