// All that hook files may name, whatever the dialect; the entries of modules/ choose what a specifier calls it.
export type * from './context/context';
export type * from './session/entries';
export type * from './session/event-parts';
export type * from './events/events';
export type * from './events/json-events';
export type * from './registered/mcp';
export type * from './session/messages';
export type * from './registered/provider';
export type * from './events/results';
export type * from './events/session-event';
export type * from './session/session-manager';
export type * from './context/tool-definition';
export type * from './context/tool-operations';
export type * from './context/tools';
export type * from './ui/ui';
export type * from './context/virtual-models';
export type {
  HookEventName,
  HookEvents,
  Handler as HookHandler,
  Handler as ExtensionHandler,
} from './events/listening';
