import type { Api, AssistantMessage, Message, Model } from '@mariozechner/pi-ai';
import type { ExtensionContext, ThinkingLevel } from './context';

/** Why a request is routed; `direct`: it is made outside of runs, for a summary or by a hook. */
export type ModelRouteReason = 'user' | 'continuation' | 'retry' | 'direct';

/** What `route` gets before each request. */
export interface ModelRouteRequest<State = unknown> {
  /** The virtual model. */
  model: Model<Api>;
  /** As the user chose it for the virtual model. */
  thinkingLevel: ThinkingLevel;
  reason: ModelRouteReason;
  /** Model and level of the latest answer. */
  previous?: { model: Model<Api>; thinkingLevel?: ThinkingLevel };
  /** What failed, when this is a retry. */
  failed?: { model: Model<Api>; thinkingLevel?: ThinkingLevel; message: AssistantMessage };
  /** What `route` returned last on this branch of the session. */
  state?: State;
  /** The messages of this request, including the system prompt. */
  messages: readonly Message[];
  signal?: AbortSignal;
}

/** Where one request goes. */
export interface ModelRoute<State = unknown> {
  /** One whose key is known, and no virtual one: take it from `ctx.modelRegistry`. */
  model: Model<Api>;
  thinkingLevel: ThinkingLevel;
  /** Kept in the session when it is another object than `request.state`; JSON. */
  state?: State;
}

/** Argument of `pi.registerVirtualModel`. */
export interface ExtensionVirtualModel<State = unknown> {
  /** It is listed there; may have models of its own. */
  provider: string;
  id: string;
  name: string;
  /** Levels that the user can choose; `off` alone when absent. */
  thinkingLevels?: readonly ThinkingLevel[];
  /** Shown until a model has answered. */
  contextWindow?: number;
  /** Shown until a model has answered. */
  maxTokens?: number;
  input?: ('text' | 'image')[];
  /** Asked before each request. What it throws is the request's error. */
  route(request: ModelRouteRequest<State>, ctx: ExtensionContext): ModelRoute<State> | Promise<ModelRoute<State>>;
}
