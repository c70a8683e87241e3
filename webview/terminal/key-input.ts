import { belongsToEditor, encodeKey, encodePaste, encodeRelease, isPaste } from './keys';

/**
 * The text field that receives a component's input. It is invisible, except for text that is being composed. It sends keys as terminal sequences, composed text as it is,
 * and pasted text as a bracketed paste. It is at the position of the cursor, so that input methods open there.
 */
export class KeyInput {
  readonly element = document.createElement('textarea');
  private readonly held = new Map<string, string>();
  private wantsReleases = false;

  constructor(
    label: string,
    private readonly send: (data: string) => void,
  ) {
    const { element } = this;
    element.className = 'term-input';
    element.setAttribute('aria-label', label);
    element.setAttribute('autocapitalize', 'off');
    element.setAttribute('autocomplete', 'off');
    element.spellcheck = false;
    element.rows = 1;
    element.addEventListener('keydown', event => this.pressed(event));
    element.addEventListener('keyup', event => this.released(event));
    element.addEventListener('input', event => {
      if (!(event instanceof InputEvent && event.isComposing)) this.typed();
    });
    element.addEventListener('compositionstart', () => element.classList.add('composing'));
    element.addEventListener('compositionend', () => {
      element.classList.remove('composing');
      this.typed();
    });
    element.addEventListener('paste', event => this.pasted(event));
    element.addEventListener('blur', () => this.releaseAll());
  }

  focus(): void {
    this.element.focus({ preventScroll: true });
  }

  /** Handles a key that was pressed elsewhere, and takes the focus unless the key copies text. */
  take(event: KeyboardEvent): void {
    if (isCopy(event) || belongsToEditor(event) || MODIFIERS.has(event.key)) return;
    this.focus();
    this.pressed(event);
  }

  setWantsReleases(wanted: boolean): void {
    this.wantsReleases = wanted;
  }

  /** Moves the field to a position inside of the component, px. */
  moveTo(x: number, y: number): void {
    this.element.style.setProperty('left', `${x}px`);
    this.element.style.setProperty('top', `${y}px`);
  }

  private pressed(event: KeyboardEvent): void {
    // eslint-disable-next-line @typescript-eslint/no-deprecated -- no other sign exists for some input methods
    if (event.isComposing || event.keyCode === 229 || belongsToEditor(event)) return;
    // VS Code handles each key event that reaches it, even after preventDefault.
    event.stopPropagation();
    if (isPaste(event) || isCopy(event)) return;
    const data = encodeKey(event);
    if (data === undefined) return;
    event.preventDefault();
    const release = encodeRelease(event);
    if (release !== undefined) this.held.set(event.code, release);
    this.send(data);
  }

  private released(event: KeyboardEvent): void {
    if (belongsToEditor(event)) return;
    event.stopPropagation();
    const release = this.held.get(event.code);
    if (release === undefined) return;
    this.held.delete(event.code);
    if (this.wantsReleases) this.send(release);
  }

  /** Sends the releases of all held keys, because a field that lost the focus gets no keyup events. */
  private releaseAll(): void {
    if (this.wantsReleases) for (const release of this.held.values()) this.send(release);
    this.held.clear();
  }

  private typed(): void {
    const { value } = this.element;
    this.element.value = '';
    if (value !== '') this.send(value);
  }

  private pasted(event: ClipboardEvent): void {
    event.preventDefault();
    event.stopPropagation();
    const text = event.clipboardData?.getData('text/plain') ?? '';
    if (text !== '') this.send(encodePaste(text));
  }
}

const MODIFIERS: ReadonlySet<string> = new Set(['Control', 'Shift', 'Alt', 'Meta', 'AltGraph']);

/** Whether the key is Ctrl+C while text is selected, which copies as in VS Code's own terminal. */
function isCopy(event: KeyboardEvent): boolean {
  return (
    event.ctrlKey && !event.altKey && event.key.toLowerCase() === 'c' && document.getSelection()?.isCollapsed === false
  );
}
