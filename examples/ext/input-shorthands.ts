import type { ExtensionAPI } from '@mariozechner/pi-coding-agent';

/**
 * Shorthands for what is typed often:
 *
 *     ?why is this slow      asks without letting anything be changed
 *     again                  sends your last prompt once more
 *     thanks                 is not worth a model call
 */
export default function inputShorthands(pi: ExtensionAPI) {
  let last: string | undefined;

  pi.on('input', (event, ctx) => {
    // What hooks send is not typed by anybody.
    if (event.source === 'extension') return undefined;
    const text = event.text.trim();
    if (/^thanks?\b/i.test(text) && text.length < 20) {
      ctx.ui.notify('You are welcome', 'info');
      return { action: 'handled' };
    }
    if (text === 'again' && last !== undefined) return { action: 'transform', text: last };
    last = event.text;
    if (!text.startsWith('?')) return undefined;
    return { action: 'transform', text: `${text.slice(1).trim()}\n\nOnly answer. Do not change any file.` };
  });
}
