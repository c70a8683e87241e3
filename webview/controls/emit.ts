import type { WebviewToHost } from '../../src/protocol/messages';

const PAGE_MESSAGE = 'hookline-message';

/** Sends a message for the host as a bubbling DOM event from an element. `onEmitted` receives it. */
export function emit(from: EventTarget, message: WebviewToHost): void {
  from.dispatchEvent(new CustomEvent<WebviewToHost>(PAGE_MESSAGE, { bubbles: true, detail: message }));
}

/** An event handler that emits one message from the element it is attached to. */
export function emits(message: WebviewToHost): (event: Event) => void {
  return event => {
    if (event.currentTarget) emit(event.currentTarget, message);
  };
}

/** Calls back for each message that `emit` sends from an element inside of `root`. */
export function onEmitted(root: Element, listener: (message: WebviewToHost) => void): void {
  root.addEventListener(PAGE_MESSAGE, event => {
    if (event instanceof CustomEvent) listener(event.detail as WebviewToHost);
  });
}
