import type { Disposable } from '../../base/disposable';
import type { PageCells, ComponentToHost, ComponentToPage } from '../../protocol/items/hook-component';
import type { ConversationUi } from '../questions/hook-ui';

/**
 * Sends the components of a conversation to one page, and receives its answers. An empty list is sent only if the page
 * has another one.
 */
export class ComponentFeed implements Disposable {
  private watching: { readonly ui: ConversationUi; readonly watch: Disposable } | undefined;
  private sentComponents = false;
  private sentKeys = '';
  private cells: PageCells | undefined;

  constructor(private readonly post: (message: ComponentToPage) => void) {}

  /** The page is ready, or shows another conversation now: sends everything again. */
  show(ui: ConversationUi, isNewPage: boolean): void {
    if (isNewPage) {
      this.sentComponents = false;
      this.sentKeys = '';
    } else if (this.watching?.ui === ui) return;
    this.watching?.watch.dispose();
    this.watching = { ui, watch: ui.components.watch(this.page) };
    if (this.cells !== undefined) ui.components.receive({ type: 'cells', cells: this.cells }, this.page);
  }

  /** The page is hidden or closed: it shows nothing of hooks until it is ready again. */
  hidden(): void {
    this.watching?.watch.dispose();
    this.watching = undefined;
  }

  receive(message: ComponentToHost, ui: ConversationUi): void {
    switch (message.type) {
      case 'cells':
        this.cells = message.cells;
        ui.components.receive(message, this.page);
        return;
      case 'key':
      case 'ack':
      case 'unfocused':
      case 'closeComponent':
      case 'shortcut':
      case 'rawKey':
        ui.components.receive(message, this.page);
        return;
      case 'theme':
        ui.useTheme(message.kind, message.colors);
        return;
      case 'expandItem':
        ui.drawings.setExpanded(message.id, message.expanded);
    }
  }

  dispose(): void {
    this.hidden();
  }

  private readonly page = (message: ComponentToPage): void => {
    if (this.isNews(message)) this.post(message);
  };

  private isNews(message: ComponentToPage): boolean {
    if (message.type === 'components') {
      const isNews = this.sentComponents || message.components.length > 0;
      this.sentComponents = message.components.length > 0;
      return isNews;
    }
    if (message.type !== 'keys') return true;
    const { shortcuts, listening } = message;
    const keys = shortcuts.length === 0 && !listening ? '' : JSON.stringify(message);
    const isNews = keys !== this.sentKeys;
    this.sentKeys = keys;
    return isNews;
  }
}
