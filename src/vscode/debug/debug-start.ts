import { Type, type Static } from '@sinclair/typebox';
import { THINKING_LEVELS } from '../../agent/thinking-levels';
import { parse } from '../../base/json/schema';
import { APPROVAL_MODES } from '../../hook-contract/approvals/approval-mode';
import { FRESH_SESSION_VARIABLE } from './debug-configuration';

const DebugStartSchema = Type.Object({
  provider: Type.Optional(Type.String()),
  modelId: Type.Optional(Type.String()),
  thinkingLevel: Type.Optional(Type.Union(THINKING_LEVELS.map(level => Type.Literal(level)))),
  mode: Type.Optional(Type.Union(APPROVAL_MODES.map(mode => Type.Literal(mode)))),
});

/** What the new session of a debugged window takes over from the window that opened it. */
export type DebugStart = Readonly<Static<typeof DebugStartSchema>>;

/** What this window's new session starts with. Undefined: the window continues the latest session. */
export function debugStartOf(env: NodeJS.ProcessEnv): DebugStart | undefined {
  const { [FRESH_SESSION_VARIABLE]: text } = env;
  if (text === undefined) return undefined;
  try {
    const parsed = parse(DebugStartSchema, JSON.parse(text));
    return parsed.ok ? parsed.value : {};
  } catch {
    return {}; // A user wrote another value in launch.json. A new session starts anyway.
  }
}
