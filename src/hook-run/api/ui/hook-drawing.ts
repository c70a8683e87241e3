import type { LoadedHook } from '../../../hook-contract/loaded-hook';
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

/** The renderers of the current set of hooks; the first loaded wins for a kind. */
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

  /** The renderers for calls of a tool; undefined when no hook has one. */
  tool(toolName: string): ToolRenderers | undefined {
    return toolRenderers(this.hooks(), toolName, this.services);
  }

  /** Whether some hook transforms texts for display. */
  get transformsMarkdown(): boolean {
    return this.hooks().some(({ transformer }) => transformer !== undefined);
  }

  /** A text as hooks transform it for display. */
  markdown(text: string, place: MarkdownPlace): string {
    return transformed(this.hooks(), text, place, this.services);
  }
}
