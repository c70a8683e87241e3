import { Type } from '@sinclair/typebox';
import * as l10n from '@vscode/l10n';
import { PLAN_FACTS, PLAN_TOOL } from '../../agent/tools/plan-facts';
import { textResult } from '../../agent/tools/result';
import { defineTool, type Tool, type ToolResult } from '../../agent/tools/tool';
import type { Answer, Asker, DialogKind, HookQuestion } from '../../hook-contract/ui/ui';
import { GATE_FILE } from '../../hook-contract/conversation-approvals';
import type { HookConversation } from '../../hook-contract/conversation-port';
import type { Approvals } from './approvals';
import { defined } from '../../base/defined';
import { denialIn } from '../questions/hook-questions';
import type { PlanDetails } from '../../transcript/plan-end';

const parameters = Type.Object({ plan: Type.String({ description: 'The whole plan, as Markdown' }) });

export interface PlanToolParts {
  readonly approvals: Approvals;
  readonly conversation: Pick<HookConversation, 'hasUI' | 'mode' | 'ui'>;
  /** Absolute path of the built-in gate, whose mode the tool ends. */
  readonly gatePath: () => string | undefined;
}

/** The tool that ends plan mode: the user approves the plan, edits it, or sends it back. */
export function createPlanTool(parts: PlanToolParts): Tool<typeof parameters> {
  return defineTool({
    name: PLAN_TOOL,
    label: PLAN_TOOL,
    presentsPlan: true,
    isReadOnly: true,
    icon: PLAN_FACTS.icon,
    description:
      'You are in plan mode: only tools that read are available, and nothing can be changed or run. Look around as much as you need, then present the whole plan with this tool. The user accepts it, edits it, or sends it back.',
    promptSnippet: 'Present the plan to the user, who accepts it or sends it back',
    promptGuidelines: ['You are in plan mode: change nothing, find out what must be done, and end with present_plan.'],
    parameters,
    execute: (toolCallId, { plan }, signal) => present(toolCallId, plan, signal, parts),
  });
}

async function present(
  toolCallId: string,
  given: string,
  signal: AbortSignal | undefined,
  parts: PlanToolParts,
): Promise<ToolResult> {
  const { approvals, conversation } = parts;
  if (!conversation.hasUI) return ended('The plan was presented. Nobody is here to accept it: stop here.');
  let asker: Asker = { type: 'gate' };
  const put = (shown: Pick<HookQuestion, 'title' | 'message' | 'dialog' | 'subject'>): Promise<Answer> => {
    const asked = conversation.ui.ask({
      ...shown,
      asker,
      asksWhy: true,
      origin: { hookPath: parts.gatePath() ?? GATE_FILE, event: 'tool_call', toolCallId, toolName: PLAN_TOOL },
      ...defined({ signal }),
    });
    asker = { type: 'gate', follows: true };
    return asked;
  };
  const ask = l10n.t('Approve, and ask before each step');
  const edits = l10n.t('Approve, and ask about everything but edits in the workspace');
  const auto = l10n.t('Approve, and let only your hooks decide');
  const edit = l10n.t('Edit the plan…');
  const back = l10n.t('Send it back…');
  // A program may have no way to cancel a question.
  const keep = conversation.mode === 'rpc' ? l10n.t('Keep planning') : undefined;
  const choices: DialogKind = {
    type: 'select',
    options: [ask, edits, auto, edit, back, ...(keep === undefined ? [] : [keep])],
    meanings: [
      ...(['allowOnce', 'allowInSession', 'allowInSession', 'goesOn', 'goesOn'] as const),
      ...(keep === undefined ? [] : (['refuse'] as const)),
    ],
    ...defined({ cancels: keep }),
  };
  let plan = given;
  for (;;) {
    const subject = { type: 'plan', plan } as const;
    const answer = await put({ title: l10n.t('Approve this plan?'), message: plan, dialog: choices, subject });
    const mode = answer === ask ? 'ask' : answer === edits ? 'edits' : answer === auto ? 'auto' : undefined;
    if (mode !== undefined) {
      approvals.setMode(mode);
      return accepted(mode, plan === given ? undefined : plan);
    }
    if (answer === edit) {
      const dialog = { type: 'editor', prefill: plan } as const;
      const edited = await put({ title: l10n.t('Edit the plan'), message: '', dialog });
      if (typeof edited === 'string' && edited.trim() !== '') plan = edited;
      continue;
    }
    if (answer === back) {
      const dialog = { type: 'input', placeholder: '' } as const;
      const wish = await put({ title: l10n.t('What should change?'), message: '', dialog });
      const feedback = typeof wish === 'string' ? wish.trim() : '';
      if (feedback !== '') return sentBack(feedback);
      continue;
    }
    const denial = denialIn(answer);
    return denial === undefined
      ? ended('The user did not accept the plan. Stop here and wait for what they say.')
      : sentBack(denial);
  }
}

function sentBack(feedback: string): ToolResult {
  const details: PlanDetails = { accepted: false, feedback };
  return textResult(`The user sent the plan back: ${feedback}`, details);
}

function accepted(mode: 'ask' | 'edits' | 'auto', edited: string | undefined): ToolResult {
  const text = 'The user accepted the plan. All tools are available now: carry it out.';
  const whole = edited === undefined ? text : `${text} They edited it. Follow this version:\n\n${edited}`;
  const details: PlanDetails = { accepted: true, mode, ...defined({ plan: edited }) };
  return textResult(whole, details);
}

function ended(text: string): ToolResult {
  const details: PlanDetails = { accepted: false };
  return { ...textResult(text, details), terminate: true };
}
