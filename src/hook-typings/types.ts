// All that hook files may name, whatever the dialect; the entries of modules/ choose what a specifier calls it.
export type * from './context';
export type * from './entries';
export type * from './event-parts';
export type * from './events';
export type * from './json-events';
export type * from './mcp';
export type * from './messages';
export type * from './provider';
export type * from './results';
export type * from './session-event';
export type * from './session-manager';
export type * from './tool-definition';
export type * from './tool-operations';
export type * from './tools';
export type * from './ui';
export type * from './virtual-models';
export type { HookEventName, HookEvents, Handler as HookHandler, Handler as ExtensionHandler } from './listening';
