import { Type } from '@sinclair/typebox';
import type { PathPlace } from './asked-call';

/** Why the built-in gate allowed or refused a call; shown on its card. */
export type ApprovalReason =
  /** The tool changes nothing. */
  | { readonly by: 'reading' }
  /** The command only reads, and the user has not turned that off. */
  | { readonly by: 'plainReading' }
  /** A hook asked the user about exactly this input. */
  | { readonly by: 'hook' }
  | { readonly by: 'rule'; readonly rule: string }
  | { readonly by: 'session'; readonly rule: string }
  /**
   * The user answered; `rule` is the rule that the user made with the answer. `edited`: they changed the call. `says`: what they
   * said with a denial.
   */
  | { readonly by: 'person'; readonly rule?: string; readonly edited?: true; readonly says?: string }
  /** Edits mode: a file tool writes in the workspace. */
  | { readonly by: 'edits' }
  /** Auto mode; `hooks`: whether any hook looked at the call. */
  | { readonly by: 'auto'; readonly hooks: boolean }
  /** VS Code itself asks the user about this tool. */
  | { readonly by: 'editor' }
  /** In plan mode, only tools that read can run. */
  | { readonly by: 'plan' }
  /** The user's settings refuse this location. */
  | { readonly by: 'place'; readonly place: PathPlace }
  /** There is no user who could be asked. */
  | { readonly by: 'nobody' };

const Text = Type.String();

/** An `ApprovalReason` as it is read back from disk. */
export const ApprovalReasonSchema = Type.Union([
  ...(['reading', 'plainReading', 'hook', 'edits', 'editor', 'plan', 'place', 'nobody'] as const).map(by =>
    Type.Object({ by: Type.Literal(by) }),
  ),
  Type.Object({ by: Type.Literal('rule'), rule: Text }),
  Type.Object({ by: Type.Literal('session'), rule: Text }),
  Type.Object({
    by: Type.Literal('person'),
    rule: Type.Optional(Text),
    edited: Type.Optional(Type.Literal(true)),
    says: Type.Optional(Text),
  }),
  Type.Object({ by: Type.Literal('auto'), hooks: Type.Boolean() }),
]);
