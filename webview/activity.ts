/** Activity is reported at once, and then at most once in this time, in ms. */
const REPORT_MS = 250;

const ACTIVITIES = ['keydown', 'input', 'pointerdown'] as const;

/**
 * Calls `report` when the user presses a key or a button of the mouse in the page, or enters text in another way.
 *
 * @returns `flush` reports at once what is not reported yet, so that the host learns of it before what follows from it
 */
export function reportActivity(page: Window, report: () => void): { flush(): void } {
  let timer = 0;
  let isDue = false;
  const flush = (): void => {
    if (!isDue) return;
    isDue = false;
    report();
  };
  const rest = (): void => {
    timer = 0;
    if (isDue) note();
  };
  const note = (): void => {
    isDue = true;
    if (timer !== 0) return;
    flush();
    timer = page.setTimeout(rest, REPORT_MS);
  };
  for (const activity of ACTIVITIES) page.addEventListener(activity, note, { capture: true, passive: true });
  return { flush };
}
