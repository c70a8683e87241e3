import type { WebviewToHost } from '../../src/protocol/messages';

const PAGE_MESSAGE = 'hookline-message';

/** Lets a message for the host rise from an element to whoever listens with `onEmitted`. */
export function emit(from: EventTarget, message: WebviewToHost): void {
  from.dispatchEvent(new CustomEvent<WebviewToHost>(PAGE_MESSAGE, { bubbles: true, detail: message }));
}

/** An event handler that emits one message from the element it is attached to. */
export function emits(message: WebviewToHost): (event: Event) => void {
  return event => {
    if (event.currentTarget) emit(event.currentTarget, message);
  };
}

/** Receives what `emit` sent from anywhere below `root`. */
export function onEmitted(root: Element, listener: (message: WebviewToHost) => void): void {
  root.addEventListener(PAGE_MESSAGE, event => {
    if (event instanceof CustomEvent) listener(event.detail as WebviewToHost);
  });
}
