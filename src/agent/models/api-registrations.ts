import type { Api, Context, Model, StreamOptions } from '@mariozechner/pi-ai';
import type { PiAi } from './pi-ai-module';
import type { ProviderConfig, ProviderRegistration } from './provider-config';

type StreamSimple = NonNullable<ProviderConfig['streamSimple']>;
type ApiProvider = ReturnType<PiAi['getApiProvider']>;

const SOURCE_PREFIX = 'hookline:';

/** Puts the APIs of registered providers into pi-ai's registry and brings back what they had covered. */
export class ApiRegistrations {
  private readonly covered = new Map<Api, ApiProvider>();

  /** Makes pi-ai's registry agree with `registrations`; of two for one API the later counts. */
  apply(piAi: PiAi, registrations: readonly ProviderRegistration[]): void {
    const wanted = new Map<Api, StreamSimple>();
    for (const { config } of registrations) {
      if (config.api !== undefined && config.streamSimple !== undefined) wanted.set(config.api, config.streamSimple);
    }
    for (const [api, before] of this.covered) {
      if (wanted.has(api)) continue;
      piAi.unregisterApiProviders(SOURCE_PREFIX + api);
      if (before !== undefined) piAi.registerApiProvider(before);
      this.covered.delete(api);
    }
    for (const [api, streamSimple] of wanted) {
      if (!this.covered.has(api)) this.covered.set(api, piAi.getApiProvider(api));
      const stream = (model: Model<Api>, context: Context, options?: StreamOptions): ReturnType<StreamSimple> =>
        streamSimple(model, context, options);
      piAi.registerApiProvider({ api, stream, streamSimple: stream }, SOURCE_PREFIX + api);
    }
  }
}
