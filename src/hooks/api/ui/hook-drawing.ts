import type { LoadedHook } from '../../loaded-hook';
import type { HookServices } from '../services';
import { transformed, type MarkdownPlace } from './markdown-transformers';
import {
  entryRenderer,
  messageRenderer,
  toolRenderers,
  type EntryRenderer,
  type MessageRenderer,
  type ToolRenderers,
} from './renderers';

/** How the hooks of the current set draw what a conversation shows; of two that draw one kind the first loaded does. */
export class HookDrawing {
  constructor(
    private readonly hooks: () => readonly LoadedHook[],
    private readonly services: HookServices,
  ) {}

  /** How messages of a type are drawn. */
  message(customType: string): MessageRenderer | undefined {
    return messageRenderer(this.hooks(), customType, this.services);
  }

  /** Whether some hook draws entries at all. */
  get drawsEntries(): boolean {
    return this.hooks().some(({ entryRenderers }) => entryRenderers.size > 0);
  }

  /** How entries of a type are drawn. */
  entry(customType: string): EntryRenderer | undefined {
    return entryRenderer(this.hooks(), customType, this.services);
  }

  /** How calls of a tool are drawn; undefined when no hook has a say in it. */
  tool(toolName: string): ToolRenderers | undefined {
    return toolRenderers(this.hooks(), toolName, this.services);
  }

  /** Whether some hook changes texts for the eye. */
  get transformsMarkdown(): boolean {
    return this.hooks().some(({ transformer }) => transformer !== undefined);
  }

  /** A text as hooks want it shown. */
  markdown(text: string, place: MarkdownPlace): string {
    return transformed(this.hooks(), text, place, this.services);
  }
}
