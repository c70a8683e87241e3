import { Text } from '@earendil-works/pi-tui';
import type { ExtensionAPI } from '@earendil-works/pi-coding-agent';

interface Bookmark {
  readonly name: string;
}

/** `/bookmark <name>` marks a place of the conversation with a line of its own, which is never sent to the model. */
export default function bookmark(pi: ExtensionAPI) {
  pi.registerEntryRenderer<Bookmark>('bookmark', (entry, _options, theme) => {
    return new Text(theme.fg('accent', `Bookmark: ${entry.data?.name ?? ''}`), 0, 0);
  });
  pi.registerCommand('bookmark', {
    description: 'Marks this place of the conversation',
    handler: async (name, ctx) => {
      if (name.trim() === '') ctx.ui.notify('Give the bookmark a name: /bookmark <name>', 'warning');
      else pi.appendEntry<Bookmark>('bookmark', { name: name.trim() });
    },
  });
}
