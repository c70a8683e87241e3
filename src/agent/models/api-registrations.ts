import type { Api, AssistantMessageEventStream, Model, StreamOptions, TranscriptContext } from '@mariozechner/pi-ai';
import type { PiAi } from './pi-ai-module';
import type { ProviderRegistration } from './provider-config';
import { plainContext } from './requests/plain-context';

/** How pi-ai asks a provider. */
type ProviderStream = (
  model: Model<Api>,
  context: TranscriptContext,
  options?: StreamOptions,
) => AssistantMessageEventStream;
type ApiProvider = ReturnType<PiAi['getApiProvider']>;

const SOURCE_PREFIX = 'hookline:';

/** Adds the APIs of registered providers to pi-ai's registry and restores the ones that they replaced. */
export class ApiRegistrations {
  private readonly covered = new Map<Api, ApiProvider>();

  /** Makes pi-ai's registry agree with `registrations`. If two are for one API, the later one counts. */
  apply(piAi: PiAi, registrations: readonly ProviderRegistration[]): void {
    const wanted = new Map<Api, ProviderStream>();
    for (const { config, takesSystemMessages, sharesApi } of registrations) {
      const { api, streamSimple } = config;
      if (!sharesApi || api === undefined || streamSimple === undefined) continue;
      wanted.set(api, (model, context, options) =>
        streamSimple(model, takesSystemMessages() ? context : plainContext(piAi, context), options),
      );
    }
    this.uncover(piAi, wanted);
    for (const [api, stream] of wanted) {
      if (!this.covered.has(api)) this.covered.set(api, piAi.getApiProvider(api));
      piAi.registerApiProvider({ api, stream, streamSimple: stream }, SOURCE_PREFIX + api);
    }
  }

  private uncover(piAi: PiAi, wanted: ReadonlyMap<Api, ProviderStream>): void {
    const gone = [...this.covered].filter(([api]) => !wanted.has(api));
    if (gone.length === 0) return;
    // While pi-ai restores its own providers, it would count ours as its own, so ours are removed then.
    for (const api of this.covered.keys()) piAi.unregisterApiProviders(SOURCE_PREFIX + api);
    piAi.registerBuiltInApiProviders();
    for (const [api, before] of gone) {
      if (before !== undefined && piAi.getApiProvider(api) === undefined) piAi.registerApiProvider(before);
      this.covered.delete(api);
    }
  }
}
