/** A greeting that fits the hour, 0 to 23. */
export function greet(name, hour) {
  if (hour < 5) return `You are up late, ${name}.`;
  if (hour < 12) return `Good morning, ${name}.`;
  return hour < 18 ? `Good afternoon, ${name}.` : `Good evening, ${name}.`;
}
