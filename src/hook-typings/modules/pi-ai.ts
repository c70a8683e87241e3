import type { Api, Model } from '@mariozechner/pi-ai';
import type { ModelType } from '../session-manager';

export * from '@mariozechner/pi-ai/compat';
export type { OAuthProviderInterface } from '../provider';
/** Whether a model can think as much as `xhigh` asks for. */
export declare function supportsXhigh(model: Model<Api>): boolean;
/** What a model is for; `chat` where it does not say. */
export declare function getModelType(model: { readonly type?: ModelType }): ModelType;
export declare function isModelType(model: { readonly type?: ModelType }, type: ModelType): boolean;
export type { AnyModel, ClassifierAnswer, ClassifierResult, ModelType } from '../session-manager';
