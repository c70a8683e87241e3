import type { Api, AssistantMessageEventStream, Context, Model } from '@mariozechner/pi-ai';
import type { EmbeddedModel } from '../agent/models/embedded-model';
import type { PiAi } from '../agent/models/pi-ai-module';
import { emptyMessage } from '../agent/models/requests/empty-message';
import { plainContext } from '../agent/models/requests/plain-context';
import { messageOf } from '../base/errors';
import { replyTo } from './reply';
import { speak } from './speak';

const DEMO_API = 'hookline-demo';
const PAUSE_MS = 6;

/** The model that works without network and key; its name shows that it is a demo. */
export const DEMO_MODEL: Model<typeof DEMO_API> = {
  provider: 'demo',
  id: 'offline',
  name: 'Demo (offline)',
  api: DEMO_API,
  baseUrl: '',
  reasoning: true,
  input: ['text', 'image'],
  cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 },
  contextWindow: 200_000,
  maxTokens: 32_000,
};

/** The demo model, with a pause after each piece of its text, in ms; with 0 it streams as fast as it is read. */
export function demoModel(pauseMs = PAUSE_MS): EmbeddedModel {
  return {
    model: DEMO_MODEL,
    register(piAi: PiAi): void {
      const stream: Parameters<PiAi['registerApiProvider']>[0]['stream'] = (model, transcript, options) =>
        answer(piAi, { model, context: plainContext(piAi, transcript), signal: options?.signal, pauseMs });
      piAi.registerApiProvider({ api: DEMO_API, stream, streamSimple: stream }, DEMO_API);
    },
  };
}

interface Question {
  readonly model: Model<Api>;
  readonly context: Context;
  readonly signal: AbortSignal | undefined;
  readonly pauseMs: number;
}

function answer(piAi: PiAi, { model, context, signal, pauseMs }: Question): AssistantMessageEventStream {
  const stream = piAi.createAssistantMessageEventStream();
  const message = emptyMessage(model);
  speak(replyTo(context), { context, message, signal, pauseMs, push: event => stream.push(event) })
    .catch((error: unknown) => {
      const reason = signal?.aborted === true ? 'aborted' : 'error';
      message.stopReason = reason;
      message.errorMessage = reason === 'aborted' ? 'Request was aborted' : messageOf(error);
      stream.push({ type: 'error', reason, error: message });
    })
    .finally(() => stream.end());
  return stream;
}
