import type { Api, Model } from '@mariozechner/pi-ai';

export * from '@mariozechner/pi-ai/compat';
export type { OAuthProviderInterface } from '../provider';
/** Whether a model can think as much as `xhigh` asks for. */
export declare function supportsXhigh(model: Model<Api>): boolean;
/** Older versions exported this, too. */
export { Type } from 'typebox';
