import { clipped } from '../../base/text/clipped';
import { singleLine } from '../../base/text/single-line';
import { textArgument, UNKNOWN_TOOL, type ToolArguments, type ToolFacts } from './facts';

/** Name of the tool with which a model presents its plan. */
export const PLAN_TOOL = 'present_plan';

/** Characters of a plan's first line that stand for it. */
const TITLE_LENGTH = 120;

/** The plan that a call presents, as Markdown; undefined for another tool, and where the arguments have none. */
export function presentedPlan(toolName: string, args: ToolArguments): string | undefined {
  const plan = toolName === PLAN_TOOL ? textArgument(args, 'plan') : '';
  return plan === '' ? undefined : plan;
}

/** The facts of {@link PLAN_TOOL}. The first line of the plan, mostly a heading, stands for the plan. */
export const PLAN_FACTS: ToolFacts = {
  ...UNKNOWN_TOOL,
  icon: 'checklist',
  summarize: args => {
    const [first = ''] = textArgument(args, 'plan').trimStart().split(/\r?\n/, 1);
    return clipped(singleLine(first.replace(/^#+\s+/, '')), TITLE_LENGTH);
  },
};
