/** Sentences kept in the live region; older ones are removed so that it stays small. */
const KEPT = 6;

/** Says sentences through an `aria-live` region. */
export function say(region: HTMLElement, sentences: readonly string[]): void {
  for (const sentence of sentences) {
    const line = document.createElement('p');
    line.textContent = sentence;
    region.append(line);
  }
  while (region.childElementCount > KEPT) region.firstElementChild?.remove();
}
