import type { HookAPI, HookContext } from '@oh-my-pi/pi-coding-agent/hooks';

/**
 * Shows in the status line what the agent does on its own: that it waits to try again, that it summarises, which stream
 * rules stopped it, and how many todos it left behind. The line is empty while there is nothing to say.
 */
export default function activityStatus(pi: HookAPI): void {
  const show = (ctx: HookContext, text: string | undefined) => {
    ctx.ui.setStatus('activity', text);
  };

  pi.on('auto_retry_start', (event, ctx) => {
    show(ctx, `retry ${event.attempt}/${event.maxAttempts} in ${Math.round(event.delayMs / 1000)} s`);
  });
  pi.on('auto_retry_end', (event, ctx) => {
    show(ctx, event.success ? undefined : 'gave up');
  });
  pi.on('auto_compaction_start', (event, ctx) => {
    show(ctx, event.reason === 'overflow' ? 'did not fit, summarising' : 'summarising');
  });
  pi.on('auto_compaction_end', (event, ctx) => {
    show(ctx, event.errorMessage === undefined ? undefined : 'could not summarise');
  });
  pi.on('ttsr_triggered', (event, ctx) => {
    show(ctx, `stopped by ${event.rules.map(({ name }) => name).join(', ')}`);
  });
  pi.on('todo_reminder', (event, ctx) => {
    show(ctx, `${event.todos.length} todos left, reminded ${event.attempt}/${event.maxAttempts}`);
  });
  pi.on('agent_start', (_event, ctx) => {
    show(ctx, undefined);
  });
}
