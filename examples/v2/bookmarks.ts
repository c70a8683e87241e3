import type { HookAPI, HookContext } from '@mariozechner/pi-coding-agent/hooks';

/**
 * `/mark <name>` remembers a place in the session, `/marks` lists them. A mark is an entry of our own type: it is saved
 * with the session, survives a restart, and the model never sees it.
 */
export default function bookmarks(pi: HookAPI) {
  pi.command('mark', {
    description: 'Remember this place under a name',
    handler: async ctx => {
      const name = ctx.argsRaw.trim();
      if (name === '') return { status: 'Usage: /mark <name>' };
      // The prefix keeps our entries apart from those of other hooks.
      await ctx.saveEntry({ type: 'bookmarks_mark', name, at: ctx.entries.length });
      return { status: `Marked as "${name}"` };
    },
  });

  pi.command('marks', {
    description: 'List the places that were marked',
    handler: ctx => {
      const marks = marksIn(ctx);
      return { status: marks.length === 0 ? 'Nothing is marked' : marks.join('\n') };
    },
  });
}

function marksIn(ctx: HookContext): string[] {
  const marks: string[] = [];
  for (const entry of ctx.entries) {
    if (entry.type === 'bookmarks_mark') marks.push(`${String(entry.name)} (entry ${String(entry.at)})`);
  }
  return marks;
}
