import { EVENT_NAMES } from './event-table';

/** Event names of other tools and other common names, whose spelling is not close to the event that is meant. */
const MEANT: Readonly<Record<string, string>> = {
  pretooluse: 'tool_call',
  posttooluse: 'tool_result',
  userpromptsubmit: 'input',
  beforetool: 'tool_call',
  aftertool: 'tool_result',
  toolend: 'tool_result',
  toolstart: 'tool_call',
  sessionend: 'session_shutdown',
  shutdown: 'session_shutdown',
  stop: 'agent_end',
  precompact: 'session_before_compact',
  beforecompact: 'session_before_compact',
  prompt: 'input',
  message: 'message_end',
};

/** The event that an unknown name probably means; undefined when no event has a similar name. */
export function nearestEventName(name: string): string | undefined {
  const plain = plainOf(name);
  const meant = MEANT[plain];
  if (meant !== undefined) return meant;
  let nearest: string | undefined;
  let least = Math.max(1, Math.floor(plain.length / 3)) + 1;
  for (const known of EVENT_NAMES) {
    const distance = editDistance(plain, plainOf(known));
    if (distance >= least) continue;
    nearest = known;
    least = distance;
  }
  return nearest;
}

/** Reduces a name to its letters and digits: `toolCall`, `tool-call` and `on_tool_call` give the same text. */
function plainOf(name: string): string {
  return name
    .replace(/^on(?=[_A-Z-])/, '')
    .replace(/[^a-z0-9]/gi, '')
    .toLowerCase();
}

function editDistance(a: string, b: string): number {
  let above = Array.from({ length: b.length + 1 }, (_, column) => column);
  for (let row = 1; row <= a.length; row++) {
    const current = [row];
    for (let column = 1; column <= b.length; column++) {
      const same = a[row - 1] === b[column - 1] ? 0 : 1;
      current[column] = Math.min(
        (above[column] ?? 0) + 1,
        (current[column - 1] ?? 0) + 1,
        (above[column - 1] ?? 0) + same,
      );
    }
    above = current;
  }
  return above[b.length] ?? 0;
}
