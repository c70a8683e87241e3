import { PlanElement } from '../cards/plan/plan-element';
import { CodeElement } from '../markdown/code-element';
import { MarkdownElement } from '../markdown/markdown-element';
import { OutputElement } from '../output/output-element';
import { LinesElement } from '../terminal/lines-element';
import { FramesElement } from '../controls/frames-element';
import { TextElement } from '../controls/text-element';
import { TimeElement } from '../controls/time-element';

/** Registers the page's custom elements. To be called once, before anything is drawn. */
export function defineElements(registry: CustomElementRegistry): void {
  registry.define('hookline-text', TextElement);
  registry.define('hookline-time', TimeElement);
  registry.define('hookline-frames', FramesElement);
  registry.define('hookline-code', CodeElement);
  registry.define('hookline-output', OutputElement);
  registry.define('hookline-lines', LinesElement);
  registry.define('hookline-markdown', MarkdownElement);
  registry.define('hookline-plan', PlanElement);
}
