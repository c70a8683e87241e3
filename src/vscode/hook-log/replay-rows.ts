import { hookRef } from '../../conversation/hook-ref';
import { outcomeText } from '../../hook-insight/recording/outcome-text';
import {
  overallText,
  type HandlerVerdict,
  type ReplayedHandler,
  type ReplayReport,
} from '../../hook-insight/replay/report';
import type { ReplayHandlerRow, ReplayView } from '../../protocol/replay';

/** A report as the page shows it; `source` says what was replayed. */
export function viewOf({ dispatches, missing }: ReplayReport, source: string): ReplayView {
  return {
    source,
    rows: dispatches.map(({ run, seq, at, event, tool, brief, status, why, handlers }) => ({
      key: `${run}:${seq}`,
      at,
      subject: [event, tool].filter(Boolean).join(' '),
      brief,
      status,
      before: overallText(handlers, 'before'),
      after: overallText(handlers, 'after'),
      ...(why === undefined ? {} : { why }),
      handlers: handlers.map(handlerRow),
    })),
    missing: missing.map(path => hookRef(path).name),
  };
}

function handlerRow({
  hookPath,
  registeredAs,
  file,
  line,
  status,
  before,
  after,
  notes,
}: ReplayedHandler): ReplayHandlerRow {
  return {
    hook: hookRef(hookPath).name,
    registeredAs,
    file,
    ...(line === undefined ? {} : { line }),
    status,
    before: textOf(before),
    after: textOf(after),
    ...(before === undefined ? {} : { beforeValue: before }),
    ...(after === undefined ? {} : { afterValue: after }),
    notes,
  };
}

function textOf(verdict: HandlerVerdict | undefined): string {
  return verdict === undefined ? 'not asked' : outcomeText(verdict.outcome);
}
