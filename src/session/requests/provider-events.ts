import type { RequestOptions } from '../../agent/models/requests/stream';
import type { HookConversation } from '../../hook-contract/conversation-port';
import type { HookRunner } from '../../hook-run/dispatch/runner';

type Runner = Pick<HookRunner, 'hasHandlers' | 'emit'>;
type ProviderListeners = Pick<
  RequestOptions,
  'transformHeaders' | 'onPayload' | 'onResponse' | 'onProviderStreamEvent'
>;

/** Emits the events of a request to the provider and of its response; only events that some hook listens to. */
export function providerEvents(runner: Runner, conversation: HookConversation): ProviderListeners {
  const listeners: ProviderListeners = headerEvents(runner, conversation);
  if (runner.hasHandlers('before_provider_request')) {
    listeners.onPayload = async payload =>
      (await runner.emit({ type: 'before_provider_request', payload }, conversation)).payload;
  }
  if (runner.hasHandlers('after_provider_response')) {
    listeners.onResponse = ({ status, headers }) =>
      runner.emit({ type: 'after_provider_response', status, headers: { ...headers } }, conversation);
  }
  if (runner.hasHandlers('provider_stream_event')) {
    listeners.onProviderStreamEvent = (data, { provider, api, id: model }) =>
      runner.emit({ type: 'provider_stream_event', provider, api, model, data }, conversation);
  }
  return listeners;
}

/** The part of {@link providerEvents} that also applies to requests outside of a run: those for summaries. */
export function headerEvents(
  runner: Runner,
  conversation: HookConversation,
): Pick<ProviderListeners, 'transformHeaders'> {
  if (!runner.hasHandlers('before_provider_headers')) return {};
  return {
    transformHeaders: async headers =>
      (await runner.emit({ type: 'before_provider_headers', headers }, conversation)).headers,
  };
}
