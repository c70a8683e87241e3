import { basename } from 'node:path';
import * as vscode from 'vscode';
import { CONTRACTS } from '../../guard/agents';
import type { AgentContract } from '../../guard/agents/agent';
import { applyPlan } from '../../guard/config/apply-plan';
import { findAgents, type FoundAgent } from '../../guard/config/find-agents';
import { readGuarded, writeGuarded, type GuardedAgent } from '../../guard/config/guarded-agents';
import { guardStatus } from '../../guard/config/guard-status';
import { planGuard, type FileChange, type GuardPlan } from '../../guard/config/plan-guard';
import { GUARD_GATES, type GuardGate } from '../../guard/protocol/agent-call';
import { messageOf } from '../../base/errors';
import { visibleText } from '../../base/text/visible-text';
import { shortPath } from '../short-path';
import type { TextDocuments } from '../text-documents';
import { installOwnClient, type ExtensionFiles } from './own-client';
import type { AgentOverview } from './agent-overview';
import { gateDetail, gateName } from './guard-words';
import { testedText } from '../hooks-view/tested-words';

export interface GuardSetupParts {
  readonly overview: Pick<AgentOverview, 'place' | 'machine' | 'codex' | 'changed'>;
  readonly texts: TextDocuments;
  readonly extension: ExtensionFiles;
  /** pi's agent folder, absolute. */
  readonly agentDir: string;
}

/** An agent in the list, with what guarding it would change. */
interface Candidate {
  readonly contract: AgentContract;
  readonly found: FoundAgent;
  readonly plan: GuardPlan;
  /** Why nothing can be changed, such as a file that cannot be read; it names the file. */
  readonly problem?: string;
  /** How it is guarded now. */
  readonly guarded: GuardedAgent | undefined;
}

/** The dialogs that put other agents under the guard of hooks, and take them out. Nothing is written before the user's yes. */
export class GuardSetup {
  constructor(private readonly parts: GuardSetupParts) {}

  /** Lets the user choose an agent and how it is guarded, shows the change, and writes it after a yes. */
  async add(): Promise<void> {
    const { overview, extension, agentDir } = this.parts;
    const chosen = await this.choose('add', vscode.l10n.t('Which agent is to be guarded by your hooks?'));
    if (chosen === undefined) return;
    const { contract, found, guarded } = chosen;
    const gate = await pickGate(contract, guarded?.gate ?? 'off');
    if (gate === undefined) return;
    const plan = await this.planOfAdd(chosen);
    if (plan === undefined) return;
    if (plan.changes.length > 0) {
      const question = vscode.l10n.t('Guard {0}?', contract.name);
      const isWanted = await this.confirm(plan.changes, plan.cannotGuard, question, vscode.l10n.t('Guard'));
      if (!isWanted) return;
      // Before the configuration names it.
      await installOwnClient(overview.place, extension, agentDir);
      await applyPlan(plan);
    }
    await writeGuarded(overview.place, contract.id, { scope: guarded?.scope ?? 'user', gate });
    if (contract.id === 'codex') await this.offerTrust(found);
    overview.changed();
    void vscode.window.showInformationMessage(
      vscode.l10n.t('{0} is guarded in sessions that start from now on.', contract.name),
    );
  }

  /** Lets the user choose a guarded agent, and takes exactly what was written for it out again after a yes. */
  async remove(): Promise<void> {
    const chosen = await this.choose('remove', vscode.l10n.t('Which agent is not to be guarded any more?'));
    if (chosen === undefined) return;
    const { contract, plan } = chosen;
    const question = vscode.l10n.t('Stop guarding {0}?', contract.name);
    const yes = vscode.l10n.t('Stop Guarding');
    if (plan.changes.length > 0 && !(await this.confirm(plan.changes, [], question, yes))) return;
    await applyPlan(plan);
    await writeGuarded(this.parts.overview.place, contract.id, undefined);
    this.parts.overview.changed();
    void vscode.window.showInformationMessage(vscode.l10n.t('{0} is not guarded any more.', contract.name));
  }

  /** What guarding the agent changes, with the tools of hooks if the user wants them; undefined when the user chose nothing. */
  private async planOfAdd({ contract, plan, guarded }: Candidate): Promise<GuardPlan | undefined> {
    const { place, machine } = this.parts.overview;
    // As on the command line, the tools are no matter of the whole machine.
    if (guarded?.scope === 'system') return plan;
    const { tools } = await guardStatus({ contract, place, machine });
    if (tools.type === 'yes' || tools.type === 'older') return plan; // They stay, and are brought up to date.
    const wantsTools = await pickTools(contract);
    if (wantsTools !== true) return wantsTools === undefined ? undefined : plan;
    return planGuard({ contract, action: 'add', scope: 'user', tools: 'too', place, machine });
  }

  private async choose(action: 'add' | 'remove', title: string): Promise<Candidate | undefined> {
    const candidates = await this.candidates(action);
    if (candidates.length === 0) {
      void vscode.window.showInformationMessage(
        action === 'remove'
          ? vscode.l10n.t('No other agent is guarded.')
          : vscode.l10n.t(
              'No agent that hooks can guard was found on this machine. Install one of these, then run this command again: {0}.',
              CONTRACTS.map(({ name }) => name).join(', '),
            ),
      );
      return undefined;
    }
    const items = candidates.map(candidate => ({ ...this.itemOf(action, candidate), candidate }));
    const placeHolder = vscode.l10n.t('Nothing is written before you have seen the change');
    const options = { title, placeHolder, matchOnDetail: true, ignoreFocusOut: true };
    const chosen = (await vscode.window.showQuickPick(items, options))?.candidate;
    if (chosen?.problem === undefined) return chosen;
    void vscode.window.showErrorMessage(visibleText(chosen.problem));
    return undefined;
  }

  private async candidates(action: 'add' | 'remove'): Promise<readonly Candidate[]> {
    const { place, machine } = this.parts.overview;
    const [found, guarded] = await Promise.all([findAgents(CONTRACTS, machine), readGuarded(place)]);
    const candidates = found.map(async (each): Promise<Candidate | undefined> => {
      const contract = CONTRACTS.find(({ id }) => id === each.id);
      if (contract === undefined) return undefined;
      const own = guarded[each.id];
      const about = { contract, found: each, guarded: own };
      try {
        return { ...about, plan: await planGuard({ contract, action, scope: own?.scope ?? 'user', place, machine }) };
      } catch (error) {
        return { ...about, plan: { agent: contract.id, changes: [], cannotGuard: [] }, problem: messageOf(error) };
      }
    });
    const all = (await Promise.all(candidates)).filter(each => each !== undefined);
    if (action === 'add') return all;
    return all.filter(({ plan, guarded: own }) => plan.changes.length > 0 || own !== undefined);
  }

  private itemOf(
    action: 'add' | 'remove',
    { contract, found, plan, problem, guarded }: Candidate,
  ): vscode.QuickPickItem {
    const { testedVersion } = contract;
    const isGuarded = guarded !== undefined;
    const files = plan.changes.map(({ file }) => shortPath(file)).join(', ');
    const state = isGuarded ? vscode.l10n.t('guarded') : vscode.l10n.t('not guarded');
    const writes = files === '' ? [] : [vscode.l10n.t('Changes {0}.', files)];
    const limits = action === 'add' ? plan.cannotGuard : [];
    return {
      label: `$(${isGuarded ? 'shield' : 'circle-slash'}) ${contract.name}`,
      description: [state, testedText({ version: found.version, tested: found.tested, testedVersion })].join(' · '),
      detail: visibleText(problem ?? [...writes, ...limits].join(' ')),
    };
  }

  /** Shows each change as a diff, and asks; `limits` are sentences to know before the answer. */
  private async confirm(
    changes: readonly FileChange[],
    limits: readonly string[],
    question: string,
    yes: string,
  ): Promise<boolean> {
    for (const change of changes) await this.showChange(change);
    const files = changes.map(({ file }) => vscode.l10n.t('This file is written: {0}', file));
    const backups = changes.flatMap(({ backup }) =>
      backup.does === 'write' ? vscode.l10n.t('What it holds now is kept in {0}.', basename(backup.file)) : [],
    );
    const detail = visibleText([...files, ...backups, '', ...limits].join('\n').trim());
    return (await vscode.window.showWarningMessage(question, { modal: true, detail }, yes)) === yes;
  }

  private async showChange({ file, before = '', after = '' }: FileChange): Promise<void> {
    const name = basename(file);
    const [left, right] = [this.parts.texts.add(before, name), this.parts.texts.add(after, name)];
    await vscode.commands.executeCommand('vscode.diff', left, right, vscode.l10n.t('{0}: now ↔ afterwards', name));
  }

  /** Codex runs a new hook only when it trusts it. */
  private async offerTrust(codex: FoundAgent): Promise<void> {
    const trust = await this.parts.overview.codex.get();
    if ((await trust.isGiven(codex)) !== false) return;
    const yes = vscode.l10n.t('Trust');
    const detail = vscode.l10n.t(
      'Codex skips hooks that it does not trust, and runs every call. Only the entries of Hookline are trusted.',
    );
    const question = vscode.l10n.t('Is Codex to trust the hooks that Hookline wrote?');
    const answer = await vscode.window.showWarningMessage(question, { modal: true, detail }, yes);
    if (answer === yes) await trust.give(codex);
  }
}

/** Whether the agent is to get the tools of hooks; undefined when the user chose nothing. */
async function pickTools({ name }: AgentContract): Promise<boolean | undefined> {
  const items = [
    {
      label: vscode.l10n.t('Only guard it'),
      detail: vscode.l10n.t('{0} has its own tools, and your hooks guard their calls', name),
      wantsTools: false,
    },
    {
      label: vscode.l10n.t('Guard it, and add the tools of your hooks'),
      detail: vscode.l10n.t('An MCP server offers {0} the tools that hooks register', name),
      wantsTools: true,
    },
  ];
  const title = vscode.l10n.t('Is {0} to get the tools of your hooks?', name);
  const placeHolder = vscode.l10n.t('Your hooks guard it in any case');
  return (await vscode.window.showQuickPick(items, { title, placeHolder, ignoreFocusOut: true }))?.wantsTools;
}

async function pickGate({ name }: AgentContract, current: GuardGate): Promise<GuardGate | undefined> {
  const items = GUARD_GATES.map(gate => ({
    label: `$(${gate === current ? 'check' : 'blank'}) ${gateName(gate)}`,
    detail: gateDetail(gate),
    gate,
  }));
  const title = vscode.l10n.t('Is the built-in gate to guard {0} as well?', name);
  const placeHolder = vscode.l10n.t('Your hooks guard it in any case');
  return (await vscode.window.showQuickPick(items, { title, placeHolder, ignoreFocusOut: true }))?.gate;
}
