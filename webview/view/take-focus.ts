/**
 * Gives the focus to `focus`'s target whenever the page as a whole has it and no element of the page does: when VS Code
 * focuses the view, and when the page is first drawn. A pointer chooses its own target.
 * @returns to be called once there is something to focus
 */
export function takeFocus(focus: () => void): () => void {
  let pointing = false;
  const take = (): void => {
    if (!pointing && document.hasFocus() && document.activeElement === document.body) focus();
  };
  window.addEventListener(
    'pointerdown',
    () => {
      pointing = true;
      window.setTimeout(() => {
        pointing = false;
      });
    },
    { capture: true },
  );
  window.addEventListener('focus', take);
  return take;
}
