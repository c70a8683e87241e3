import { Type, type Static } from '@sinclair/typebox';

const MatchSchema = Type.Union([
  /**
   * Every call of the tool, except for files outside of the workspace, or in places from which programs run code, now or
   * with the next build.
   */
  Type.Object({
    type: Type.Literal('any'),
    /** What the server said about the tool when it was allowed; the rule does not apply after that changed. */
    definition: Type.Optional(Type.String()),
  }),
  /**
   * Every simple command of the line begins with these words, or with those of another rule of this tool, and has no
   * risky arguments after them.
   */
  Type.Object({ type: Type.Literal('prefix'), words: Type.Array(Type.String(), { minItems: 1 }) }),
  /** Exactly this command line. */
  Type.Object({ type: Type.Literal('exact'), command: Type.String() }),
  /**
   * Files whose real path matches a glob; the glob is absolute or relative to the folder of the rule. What runs with the
   * next build only counts if the glob names it (`namesBuildPlace`).
   */
  Type.Object({
    type: Type.Literal('path'),
    pattern: Type.String(),
    /** The rule also applies to places from which programs run code; other rules do not. */
    code: Type.Optional(Type.Literal(true)),
  }),
]);

/** A rule by which calls are allowed, for a session or permanently. */
export const RuleSchema = Type.Object({
  /** Name of the tool, or `FILE_TOOLS`. */
  tool: Type.String({ minLength: 1 }),
  /** Absolute; the rule applies to agents that work in this folder. When absent, it applies in every folder. */
  folder: Type.Optional(Type.String()),
  match: MatchSchema,
});
export type ApprovalRule = Readonly<Static<typeof RuleSchema>>;
