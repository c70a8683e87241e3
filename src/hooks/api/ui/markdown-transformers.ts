import type { LoadedHook, MarkdownKind } from '../../loaded-hook';
import type { HookServices } from '../services';
import { atOnce, tellOnce } from './tell-once';

/** Where a text stands; the second argument of a transformer, which has pi's name for its kind. */
export interface MarkdownPlace {
  readonly messageType: MarkdownKind;
  /** More of it is to come. */
  readonly isStreaming: boolean;
  /** Columns that the text has. */
  readonly availableWidth: number;
  /** Id of the entry that the text comes from, when it is drawn from a session. */
  readonly messageId?: string;
  readonly timestamp?: string;
}

/**
 * A text as the transformers of hooks, one after the other in the order of loading, want it shown. One that throws or
 * gives no text is skipped, and told of once.
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
      tellOnce(hook, services, 'registerMarkdownTransformer', error);
    }
  }
  return shown;
}
