import { Type, type Static } from '@sinclair/typebox';
import { THINKING_LEVELS } from '../../agent/thinking-levels';
import { parse } from '../../base/json/schema';
import { APPROVAL_MODES } from '../../hooks/built-in-gate/approval-mode';
import { FRESH_SESSION_VARIABLE } from './debug-configuration';

const DebugStartSchema = Type.Object({
  provider: Type.Optional(Type.String()),
  modelId: Type.Optional(Type.String()),
  thinkingLevel: Type.Optional(Type.Union(THINKING_LEVELS.map(level => Type.Literal(level)))),
  mode: Type.Optional(Type.Union(APPROVAL_MODES.map(mode => Type.Literal(mode)))),
});

/** What the new session of a window that is debugged takes over from the window that opened it. */
export type DebugStart = Readonly<Static<typeof DebugStartSchema>>;

/** How this window is to start a new session; undefined: it goes on with the latest. */
export function debugStartOf(env: NodeJS.ProcessEnv): DebugStart | undefined {
  const { [FRESH_SESSION_VARIABLE]: text } = env;
  if (text === undefined) return undefined;
  try {
    const parsed = parse(DebugStartSchema, JSON.parse(text));
    return parsed.ok ? parsed.value : {};
  } catch {
    return {}; // Written by hand in a launch.json: what matters is that it is there.
  }
}
