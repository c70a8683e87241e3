import type { ContextMessage, HookAPI, V2Entry } from '@mariozechner/pi-coding-agent/hooks';

/**
 * `/forget` takes a detour out of the model's sight: everything from one of your prompts up to now is replaced by one
 * line. Nothing is deleted: the session keeps every entry, and without this hook the model sees them all again.
 *
 *     /forget                  asks from where
 *     /forget 12 tried yarn    from entry 12, and what to say in place of it
 */
export default function forget(pi: HookAPI) {
  pi.command('forget', {
    description: 'Hide a detour from the model',
    handler: async ctx => {
      const prompts = ctx.entries.flatMap(promptAt);
      const options = prompts.map(({ index, text }) => `${index}: ${text}`);
      const [given, ...note] = ctx.args;
      const chosen = given ?? (await ctx.ui.select('Forget everything from', options));
      const from = Number.parseInt(chosen ?? '', 10);
      if (!prompts.some(({ index }) => index === from)) return { status: 'Nothing was forgotten' };

      await ctx.saveEntry({ type: 'forget_range', from, to: ctx.entries.length, note: note.join(' ') });
      // The context in memory was built before the entry was there.
      await ctx.rebuildContext();
      return { status: `Forgot everything from entry ${from}` };
    },
  });

  pi.on('context', event => {
    const ranges = event.entries.flatMap(rangeIn);
    if (ranges.length === 0) return undefined;
    const messages: ContextMessage[] = [];
    const told = new Set<Range>();
    for (const element of event.messages) {
      const { message, entryIndex } = element;
      const range = ranges.find(({ from, to }) => entryIndex !== null && entryIndex >= from && entryIndex < to);
      if (range === undefined) messages.push({ message, entryIndex });
      else if (!told.has(range)) {
        told.add(range);
        const content = `[A detour was left out here.${range.note === '' ? '' : ` ${range.note}`}]`;
        messages.push({ message: { role: 'user', content, timestamp: Date.now() }, entryIndex: null });
      }
    }
    return { messages };
  });
}

interface Range {
  readonly from: number;
  /** The first entry that is seen again. */
  readonly to: number;
  readonly note: string;
}

function rangeIn(entry: V2Entry): Range[] {
  if (entry.type !== 'forget_range') return [];
  return [{ from: Number(entry.from), to: Number(entry.to), note: String(entry.note ?? '') }];
}

function promptAt(entry: V2Entry, index: number): { readonly index: number; readonly text: string }[] {
  if (entry.type !== 'message' || entry.message.role !== 'user') return [];
  const { content } = entry.message;
  const text = typeof content === 'string' ? content : content.map(part => ('text' in part ? part.text : '')).join(' ');
  return [{ index, text: text.slice(0, 60) }];
}
