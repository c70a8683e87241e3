/** A time in the time zone of the person: `2026-11-30 09:05:02`. */
export function localTime(date: Date): string {
  return `${localDate(date)} ${[date.getHours(), date.getMinutes(), date.getSeconds()].map(two).join(':')}`;
}

/** The day of a time in the time zone of the person: `2026-11-30`. */
export function localDate(date: Date): string {
  return [date.getFullYear(), two(date.getMonth() + 1), two(date.getDate())].join('-');
}

function two(number: number): string {
  return String(number).padStart(2, '0');
}
