const STEPS: readonly (readonly [Intl.RelativeTimeFormatUnit, number])[] = [
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
];

/** Says in `language` (BCP 47) how long before `now` (ms since 1970) a time was; for over 30 days, returns the date. */
export function relativeTime(time: Date, now: number, language: string): string {
  const passed = now - time.getTime();
  const [unit, size] = STEPS.find(([, step]) => passed >= step) ?? ['second', 1000];
  if (unit === 'day' && passed > 30 * size) return time.toLocaleDateString(language);
  return new Intl.RelativeTimeFormat(language, { numeric: 'auto' }).format(-Math.floor(passed / size), unit);
}
