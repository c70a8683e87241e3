import * as vscode from 'vscode';
import { ruleInWords } from '../../session/approvals/ask-for-approval';
import type { PlainReadingChoice } from '../../gate/commands/plain-reading';
import { READING_COMMANDS } from '../../gate/commands/reading-form';
import { readRuleText, ruleText } from '../../gate/rules/rule';
import type { ApprovalRule } from '../../hook-contract/approvals/approval-rule';
import type { RuleStore } from '../../gate/rules/rule-store';
import { showFailure } from '../show-failure';
import { showFile } from '../show-file';

type RuleItem = vscode.QuickPickItem & { readonly rule?: ApprovalRule | 'plainReading' };

/**
 * Lists the approval rules, after the commands that run without a rule because they only read. Enter edits a rule; its
 * button removes it.
 */
export async function showRules(rules: RuleStore): Promise<void> {
  for (;;) {
    const chosen = await pickRule(rules);
    if (chosen === undefined) return;
    if (chosen === 'plainReading') {
      await choosePlainReading(rules);
      continue;
    }
    const text = await vscode.window.showInputBox({
      title: vscode.l10n.t('Edit the rule'),
      prompt: vscode.l10n.t('End with “…” to match any ending. For files, use a pattern such as src/**'),
      value: ruleText(chosen),
      validateInput: given =>
        readRuleText(chosen, given) === undefined
          ? vscode.l10n.t(
              'This is not a rule: write the tool, a colon, and the beginning of one command, or a pattern.',
            )
          : undefined,
    });
    const edited = text === undefined ? undefined : readRuleText(chosen, text);
    if (edited !== undefined) await rules.replace(chosen, edited);
  }
}

/** Resolves with what to edit, or undefined when the user closes the list. */
async function pickRule(rules: RuleStore): Promise<RuleItem['rule']> {
  const pick = vscode.window.createQuickPick<RuleItem>();
  const remove: vscode.QuickInputButton = {
    iconPath: new vscode.ThemeIcon('trash'),
    tooltip: vscode.l10n.t('Remove this rule'),
  };
  const open: vscode.QuickInputButton = {
    iconPath: new vscode.ThemeIcon('go-to-file'),
    tooltip: vscode.l10n.t('Open the file with the rules'),
  };
  const show = (): void => {
    pick.items = [
      plainReadingItem(rules),
      ...(rules.current.length === 0
        ? [{ label: vscode.l10n.t('No rules. To add one, choose “Allow always here…” when Hookline asks you.') }]
        : rules.current.map(rule => itemFor(rule, remove))),
    ];
  };
  pick.title = vscode.l10n.t('Approval rules');
  pick.placeholder = vscode.l10n.t('What runs without a question; Enter edits a rule');
  pick.matchOnDescription = true;
  pick.matchOnDetail = true;
  if (rules.current.length > 0 || !rules.plainReading.enabled) pick.buttons = [open];
  show();
  try {
    return await new Promise<RuleItem['rule']>(resolve => {
      pick.onDidTriggerItemButton(({ item: { rule } }) => {
        if (rule !== undefined && rule !== 'plainReading') rules.remove(rule).catch(showFailure).finally(show);
      });
      pick.onDidTriggerButton(() => {
        showFile(rules.file, {}).catch(showFailure);
        resolve(undefined);
      });
      pick.onDidAccept(() => resolve(pick.selectedItems[0]?.rule));
      pick.onDidHide(() => resolve(undefined));
      pick.show();
    });
  } finally {
    pick.dispose();
  }
}

function plainReadingItem({ plainReading }: RuleStore): RuleItem {
  const running = READING_COMMANDS.filter(name => runsUnasked(name, plainReading));
  return {
    label: `$(book) ${vscode.l10n.t('Commands that only read…')}`,
    description: vscode.l10n.t('{0} of {1} run without a question', running.length, READING_COMMANDS.length),
    detail: running.join(', '),
    rule: 'plainReading',
  };
}

/** Lets the user choose which commands run without a question while they only read. */
async function choosePlainReading(rules: RuleStore): Promise<void> {
  const items = READING_COMMANDS.map(name => ({ label: name, picked: runsUnasked(name, rules.plainReading) }));
  const chosen = await vscode.window.showQuickPick(items, {
    canPickMany: true,
    title: vscode.l10n.t('Commands that only read'),
    placeHolder: vscode.l10n.t('Selected commands run without a question in Ask and Edits, while they only read'),
  });
  if (chosen === undefined) return;
  const names = new Set(chosen.map(({ label }) => label));
  await rules.choosePlainReading({ enabled: names.size > 0, asks: READING_COMMANDS.filter(name => !names.has(name)) });
}

function runsUnasked(name: string, { enabled, asks }: PlainReadingChoice): boolean {
  return enabled && !asks.includes(name);
}

function itemFor(rule: ApprovalRule, remove: vscode.QuickInputButton): RuleItem {
  return {
    label: ruleText(rule),
    description: rule.folder ?? vscode.l10n.t('in every folder'),
    detail: ruleInWords(rule),
    buttons: [remove],
    rule,
  };
}
