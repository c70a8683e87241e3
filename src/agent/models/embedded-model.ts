import type { Api, Model } from '@mariozechner/pi-ai';
import type { PiAi } from './pi-ai-module';

/** A model that is part of the product: it needs no key, and is offered where no other can answer. */
export interface EmbeddedModel {
  readonly model: Model<Api>;
  /** Makes its API known to pi-ai. Called once pi-ai is loaded; may be called again. */
  readonly register: (piAi: PiAi) => void;
}
