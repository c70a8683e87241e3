/** Characters that change the order of shown text: the Unicode bidirectional controls and marks. */
const BIDI_CONTROLS = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu;

function label(control: string): string {
  return `⟦U+${(control.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}⟧`;
}

/** A text that is safe to show next to a decision: every bidirectional control is replaced by `⟦U+202E⟧` or the like. */
export function visibleText(text: string): string {
  return text.replace(BIDI_CONTROLS, label);
}

/** A text whose bidirectional controls are left out. */
export function withoutBidiControls(text: string): string {
  return text.replace(BIDI_CONTROLS, '');
}

/** The same as {@link visibleText} for HTML, whose attributes must not contain foreign text: each control becomes a marked span. */
export function visibleHtml(html: string): string {
  return html.replace(BIDI_CONTROLS, control => `<span class="bidi">${label(control)}</span>`);
}

/** Whether `text` contains a bidirectional control. */
export function hasHiddenControls(text: string): boolean {
  return text.search(BIDI_CONTROLS) >= 0;
}
