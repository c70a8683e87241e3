import { clipped } from '../../base/text/clipped';
import { singleLine } from '../../base/text/single-line';
import { textArgument, UNKNOWN_TOOL, type ToolArguments, type ToolFacts } from './facts';

/** Name of the tool with which a model presents its plan. */
export const PLAN_TOOL = 'present_plan';

/** Characters of a plan's first line that stand for it. */
const TITLE_LENGTH = 120;

/** The plan among the arguments of {@link PLAN_TOOL}, as Markdown. Empty if there is none. */
export function planArgument(args: ToolArguments): string {
  return textArgument(args, 'plan');
}

/** The facts of {@link PLAN_TOOL}. The first line of the plan, mostly a heading, stands for the plan. */
export const PLAN_FACTS: ToolFacts = {
  ...UNKNOWN_TOOL,
  icon: 'checklist',
  summarize: args => {
    const first = planArgument(args)
      .trimStart()
      .split('\n', 1)[0]
      ?.replace(/^#+\s+/, '');
    return clipped(singleLine(first ?? ''), TITLE_LENGTH);
  },
};
