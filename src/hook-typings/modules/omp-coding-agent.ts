export type * from '../types';
export type { ExtensionAPI, ExtensionFactory, HookMessageRenderer, MessageRenderer } from '../api';
export type { OmpHookAPI as HookAPI, OmpHookFactory as HookFactory } from '../api';
export type { OmpHookCommandContext as HookCommandContext, OmpHookContext as HookContext } from '../context/context';
export * from '../ui/components';
export * from '../values';
export * from '../root/agent-session';
export * from '../root/sessions';
export * from '../root/settings';
export * from '../root/values';
// Classes of today; as types they are the same as what a hook is given.
export { SessionManager } from '../root/sessions';
export { Theme } from '../root/values';
