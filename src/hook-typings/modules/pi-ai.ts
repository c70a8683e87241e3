import type { Api, Model } from '@mariozechner/pi-ai';
import type { TUnsafe } from 'typebox';

export * from '@mariozechner/pi-ai/compat';
export type { OAuthProviderInterface } from '../registered/provider';
/** Whether a model can think as much as `xhigh` asks for. */
export declare function supportsXhigh(model: Model<Api>): boolean;
/** Older versions exported this, too. */
export { Type } from 'typebox';
/** One of these texts, in the form that all providers understand. TypeBox does not see the type of what pi-ai declares. */
export declare function StringEnum<T extends readonly string[]>(
  values: T,
  options?: { description?: string; default?: T[number] },
): TUnsafe<T[number]>;
