/** Keys that press a button. */
const PRESSES: ReadonlySet<string> = new Set(['Enter', ' ']);

/**
 * Knows where the key that is down went down, so that a button takes no key that began elsewhere: one that was down when the
 * focus came to the button, or that repeats.
 */
export class KeyPresses {
  /** Undefined while no such key is down; null if it went down outside of the page, or repeats. */
  private origin: EventTarget | null | undefined;

  constructor(page: Window) {
    page.addEventListener(
      'keydown',
      event => {
        if (PRESSES.has(event.key)) this.origin = event.repeat ? null : event.target;
      },
      { capture: true },
    );
    page.addEventListener(
      'keyup',
      event => {
        // The browser clicks after this event when a space was pressed.
        if (PRESSES.has(event.key)) page.setTimeout(() => this.forget());
      },
      { capture: true },
    );
    page.addEventListener('blur', () => this.forget());
  }

  /**
   * Whether a click on a button counts: it comes from a mouse, from a screen reader, or from a key that went down on the button
   * or, for the button that sends a form, in the form.
   */
  mayClick(event: MouseEvent): boolean {
    if (event.detail > 0 || this.origin === undefined) return true;
    const button = event.target instanceof Element ? event.target.closest('button') : null;
    if (button === null) return true;
    const { origin } = this;
    if (origin === button) return true;
    return button.type === 'submit' && origin instanceof Node && button.form?.contains(origin) === true;
  }

  private forget(): void {
    this.origin = undefined;
  }
}
