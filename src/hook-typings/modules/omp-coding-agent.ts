export type * from '../types';
export type { ExtensionAPI, ExtensionFactory, HookMessageRenderer, MessageRenderer, SendMessageOptions } from '../api';
export type { OmpHookAPI as HookAPI, OmpHookFactory as HookFactory } from '../api';
export type { OmpHookCommandContext as HookCommandContext, OmpHookContext as HookContext } from '../context';
export * from '../components';
export * from '../values';
