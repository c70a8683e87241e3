import { Type } from '@sinclair/typebox';

const Text = Type.String();

/** An `ApprovalReason` as it is read back from disk. */
export const ApprovalReasonSchema = Type.Union([
  ...(['reading', 'plainReading', 'hook', 'edits', 'editor', 'plan', 'place', 'nobody'] as const).map(by =>
    Type.Object({ by: Type.Literal(by) }),
  ),
  Type.Object({ by: Type.Literal('rule'), rule: Text }),
  Type.Object({ by: Type.Literal('session'), rule: Text }),
  Type.Object({ by: Type.Literal('person'), rule: Type.Optional(Text) }),
  Type.Object({ by: Type.Literal('auto'), hooks: Type.Boolean() }),
]);
