import type {
  Api,
  AssistantMessageEventStream,
  Context,
  Model,
  StreamOptions,
  TranscriptContext,
} from '@mariozechner/pi-ai';
import { messageOf } from '../../base/errors';
import { emptyMessage } from '../models/requests/empty-message';
import { plainContext } from '../models/requests/plain-context';
import type { PiAi } from '../models/pi-ai-module';
import { DEMO_API } from './model';
import { replyTo } from './reply';
import { speak } from './speak';

/** How the demo model behaves. */
export interface DemoOptions {
  /** Pause after each piece of text, in ms; 0 streams as fast as it is read. Default 6. */
  readonly pauseMs?: number;
}

const DEFAULT_PAUSE_MS = 6;
const SOURCE_ID = 'hookline-demo';

/** Registers the demo model's API with pi-ai, like any other provider. Registering again replaces the options. */
export function registerDemo(piAi: PiAi, { pauseMs = DEFAULT_PAUSE_MS }: DemoOptions = {}): void {
  const stream = (
    model: Model<Api>,
    transcript: TranscriptContext,
    options?: StreamOptions,
  ): AssistantMessageEventStream =>
    answer(piAi, { model, context: plainContext(piAi, transcript), signal: options?.signal, pauseMs });
  piAi.registerApiProvider({ api: DEMO_API, stream, streamSimple: stream }, SOURCE_ID);
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
  speak(replyTo(context), {
    context,
    message,
    signal,
    pauseMs,
    push: event => stream.push(event),
  })
    .catch((error: unknown) => {
      const reason = signal?.aborted === true ? 'aborted' : 'error';
      message.stopReason = reason;
      message.errorMessage = reason === 'aborted' ? 'Request was aborted' : messageOf(error);
      stream.push({ type: 'error', reason, error: message });
    })
    .finally(() => stream.end());
  return stream;
}
