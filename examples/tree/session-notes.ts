import type { HookAPI, HookContext } from '@mariozechner/pi-coding-agent/hooks';

const TYPE = 'session-notes';

/**
 * `/note <text>` keeps a note with the session, `/notes` shows them all. Notes are for you: the model never sees them.
 *
 * They are stored with `appendEntry` and read back when a session starts or is switched to, so they survive a restart
 * and follow you into a branch.
 */
export default function sessionNotes(pi: HookAPI) {
  let notes: string[] = [];

  pi.on('session', (event, ctx) => {
    if (event.reason === 'start' || event.reason === 'switch' || event.reason === 'branch') notes = notesIn(ctx);
    if (event.reason === 'new') notes = [];
  });

  // In this dialect a command gets only `ctx`; what was typed behind its name is `ctx.args`.
  pi.registerCommand('note', {
    description: 'Keep a note with this session',
    handler: async ctx => {
      const text = ctx.args.trim() || (await ctx.ui.input('Note', 'What should be remembered?'));
      if (!text) return;
      notes.push(text);
      pi.appendEntry(TYPE, { text });
      ctx.ui.notify(`Noted (${notes.length})`, 'info');
    },
  });

  pi.registerCommand('notes', {
    description: 'Show the notes of this session',
    handler: async ctx => {
      ctx.ui.notify(notes.length === 0 ? 'No notes yet' : notes.map(note => `• ${note}`).join('\n'), 'info');
    },
  });
}

/** On the path to where we are: notes of branches that were left are not ours. */
function notesIn(ctx: HookContext): string[] {
  return ctx.sessionManager.getPath().flatMap(entry => {
    if (entry.type !== 'custom' || entry.customType !== TYPE) return [];
    return [(entry.data as { readonly text: string }).text];
  });
}
