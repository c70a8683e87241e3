const STEPS: readonly (readonly [Intl.RelativeTimeFormatUnit, number])[] = [
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
];

/**
 * How long before `now` (ms since the epoch) a time was, in words of `language` (BCP 47); after 30 days its date.
 */
export function relativeTime(time: Date, now: number, language: string): string {
  const passed = now - time.getTime();
  const [unit, size] = STEPS.find(([, step]) => passed >= step) ?? ['second', 1000];
  if (unit === 'day' && passed > 30 * size) return time.toLocaleDateString(language);
  return new Intl.RelativeTimeFormat(language, { numeric: 'auto' }).format(-Math.floor(passed / size), unit);
}
