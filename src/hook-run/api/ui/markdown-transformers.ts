import type { LoadedHook, MarkdownKind } from '../../../hook-contract/loaded-hook';
import type { HookServices } from '../services';
import { atOnce, reportOnce } from './report-once';

/** The place of a text; the second argument of a transformer, with pi's name of its kind. */
export interface MarkdownPlace {
  readonly messageType: MarkdownKind;
  /** The text is still growing. */
  readonly isStreaming: boolean;
  /** Width of the text in columns. */
  readonly availableWidth: number;
  /** Id of the entry that the text comes from, when it is drawn from a session. */
  readonly messageId?: string;
  readonly timestamp?: string;
}

/**
 * Applies the transformers of hooks to a text, in the order of loading. One that throws or returns no text is skipped
 * and reported once.
 */
export function transformed(
  hooks: readonly LoadedHook[],
  text: string,
  place: MarkdownPlace,
  services: HookServices,
): string {
  let shown = text;
  for (const hook of hooks) {
    const { transformer } = hook;
    if (transformer?.kinds.has(place.messageType) !== true) continue;
    try {
      const given = atOnce(transformer.run(shown, { ...place }), 'the transformer');
      if (typeof given !== 'string') throw new TypeError('the transformer must return a string');
      shown = given;
    } catch (error) {
      reportOnce(hook, services, 'registerMarkdownTransformer', error);
    }
  }
  return shown;
}
