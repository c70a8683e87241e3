import { join, resolve } from 'node:path';
import type { Log } from '../../base/log';
import type { ApprovalSettings } from '../../gate/approval-settings';
import { FILE_TOOLS } from '../../gate/rules/rule';
import type { ApprovalRule } from '../../hook-contract/approvals/approval-rule';
import { RULES_FILE, RuleStore } from '../../gate/rules/rule-store';
import { stateFolders } from '../../gate/approval-store/second-place';
import { approvalPlaces } from '../../startup/approval-places';
import type { CodePlace } from '../../startup/hook-setup';
import type { SettingsPlace, SettingsSource } from '../../startup/live-settings';
import { plainReadingFor } from '../../startup/plain-reading';
import type { ParentLink } from '../../startup/parent/parent-link';
import type { CliOptions } from '../arguments/options';

export interface ProcessApprovalsParts {
  readonly options: Pick<CliOptions, 'allowedPaths'>;
  readonly place: Pick<SettingsPlace, 'agentDir' | 'includeProject'>;
  readonly settings: Pick<SettingsSource, 'current'>;
  /** Absolute path of the folder in which the program was started. */
  readonly startedIn: string;
  readonly code: Pick<CodePlace, 'storageDir' | 'stateDir'>;
  /** The process whose hook started this one, which then decides about calls; undefined if there is none. */
  readonly parent: ParentLink | undefined;
  readonly log: Log;
}

/** The settings of the built-in gate on the command line: the user's rules, and rules from flags for this run. */
export async function processApprovals(parts: ProcessApprovalsParts): Promise<ApprovalSettings> {
  const { options, place, settings, startedIn, code, parent, log } = parts;
  const { agentDir, includeProject } = place;
  const store = await RuleStore.open(join(agentDir, RULES_FILE), log);
  const ofFlags = options.allowedPaths.map((path): ApprovalRule => {
    const pattern = resolve(startedIn, path).replaceAll('\\', '/');
    return { tool: FILE_TOOLS, match: { type: 'path', pattern, code: true } };
  });
  const places = approvalPlaces([agentDir, code.storageDir, ...stateFolders(code.stateDir)]);
  return {
    rules: {
      get current() {
        return [...ofFlags, ...store.current];
      },
      add: rule => store.add(rule),
    },
    places: () => places,
    placeAnswers: () => ({ code: 'ask', build: 'ask', outside: 'ask' }),
    plainReading: plainReadingFor({
      choice: () => store.plainReading,
      isTrusted: includeProject,
      settings: () => settings.current,
    }),
    selfAsking: () => [],
    above: parent && ((call, state, signal) => parent.decide(call, state, signal)),
  };
}
