import { basename } from 'node:path';
import * as l10n from '@vscode/l10n';
import type { ChangeCoverage } from '../../agent/changes/tracker';
import type { Answer, Asker, DialogKind, EditedText, HookQuestion, OptionMeaning } from '../../hook-contract/ui/ui';
import type { ApprovalAnswer, ApprovalQuestion } from '../../hook-contract/conversation-approvals';
import { isShared } from '../../gate/calls/call-details';
import type { CallDetails } from '../../hook-contract/approvals/asked-call';
import { ruleText, uncoveredArguments } from '../../gate/rules/rule';
import type { ApprovalRule } from '../../hook-contract/approvals/approval-rule';
import type { HookConversation } from '../../hook-contract/conversation-port';
import { denialIn } from '../questions/hook-questions';
import { callInWords } from './call-in-words';
import { editedCall } from './edited-call';
import { defined } from '../../base/defined';
import { shownPath } from '../../base/files/shown-path';

/**
 * Asks the user about a call; whatever is no answer denies. The answer can be a denial with a text for the model. In a
 * program (`rpc`), all offers are options of one question; elsewhere, a second question shows the rules that can be kept.
 * `coverage`: whether what commands change is kept, when that is known. Never rejects.
 */
export async function askForApproval(
  question: ApprovalQuestion,
  conversation: Pick<HookConversation, 'ui' | 'mode'>,
  coverage?: ChangeCoverage,
): Promise<ApprovalAnswer> {
  const { facts, offers, isOfSubagent } = question;
  // A question about a call of a subagent names the call that started it, which has another input.
  const { input, ...place } = question.origin;
  const origin = isOfSubagent ? place : { ...place, ...defined({ input }) };
  const title = titleOf(facts);
  let asker: Asker = { type: 'gate' };
  const put = async (shown: Pick<HookQuestion, 'title' | 'message' | 'dialog' | 'subject'>): Promise<Answer> => {
    let answer: Answer;
    await question.during({ kind: shown.dialog.type, title: shown.title }, async () => {
      const asked = conversation.ui.ask({ ...shown, asker, origin, ...defined({ signal: question.signal }) });
      asker = FOLLOWING;
      answer = await asked;
      // The record has the changed text as the input of the call.
      return isEditedText(answer) ? l10n.t('Allow once') : answer;
    });
    return answer;
  };
  const choices = choicesFor(question, conversation.mode === 'rpc');
  const deny = l10n.t('Deny');
  const dialog: DialogKind = {
    type: 'select',
    options: [...choices.map(({ label }) => label), deny],
    meanings: [...choices.map(({ meaning }) => meaning), 'refuse'],
    cancels: deny,
  };
  for (let problem: string | undefined; ;) {
    const answer = await put({ title, dialog, ...(await aboutCall(question, coverage, problem)) });
    if (typeof answer === 'object' && 'unanswered' in answer) return { type: 'unanswered', why: answer.unanswered };
    if (isEditedText(answer)) {
      const given = await editedCall(facts, answer, question.signal);
      if (given.type !== 'refused') return { type: 'once', ...defined({ edited: given.edited }) };
      problem = given.why;
      continue;
    }
    const choice = choices.find(({ label }) => label === answer);
    if (choice === undefined) return { type: 'deny', ...defined({ says: denialIn(answer) }) };
    if (choice.answer !== undefined) return choice.answer;
    const chosen = await chooseRule(offers, put);
    if (chosen !== undefined) return chosen;
  }
}

function isEditedText(answer: Answer): answer is EditedText {
  return typeof answer === 'object' && 'edited' in answer;
}

/** What the question says about the call. `problem`: why the last answer to it does not count. */
async function aboutCall(
  question: ApprovalQuestion,
  coverage: ChangeCoverage | undefined,
  problem: string | undefined,
): Promise<Pick<HookQuestion, 'message' | 'subject'>> {
  const { facts, isOfSubagent } = question;
  const before = [...(problem === undefined ? [] : [problem]), ...remarksOn(question)];
  const after = facts.kind === 'executes' ? lossText(coverage) : [];
  const { text, diff, note } = await callInWords(facts, question.signal);
  const remarks = [...before, ...(note === undefined ? [] : [note]), ...after];
  return {
    message: [...before, text, ...after].join('\n\n'),
    subject: { type: 'call', call: facts, ...defined({ diff }), remarks, isOfSubagent },
  };
}

/** An option that allows a call; one without an answer opens the question for the rule. */
interface Choice {
  readonly label: string;
  readonly meaning: OptionMeaning;
  readonly answer?: ApprovalAnswer;
}

function choicesFor({ facts, offers }: ApprovalQuestion, isFlat: boolean): readonly Choice[] {
  const forSession = facts.command === undefined ? offers.slice(0, 1) : offers;
  const always = offers.map((rule): Choice => ({
    label: l10n.t('Allow always here: {0}', ruleInWords(rule)),
    meaning: 'allowAlways',
    answer: { type: 'always', rule },
  }));
  const further: Choice = { label: l10n.t('Allow always here…'), meaning: 'goesOn' };
  return [
    { label: l10n.t('Allow once'), meaning: 'allowOnce', answer: { type: 'once' } },
    ...forSession.map((rule): Choice => ({
      label: l10n.t('Allow in this session: {0}', ruleInWords(rule)),
      meaning: 'allowInSession',
      answer: { type: 'session', rule },
    })),
    ...(isFlat || offers.length === 0 ? always : [further]),
  ];
}

const FOLLOWING: Asker = { type: 'gate', follows: true };

/** Shows the rule before it is kept; undefined when the user goes back. A denial with a text denies the call. */
async function chooseRule(
  offers: readonly ApprovalRule[],
  put: (shown: Pick<HookQuestion, 'title' | 'message' | 'dialog'>) => Promise<Answer>,
): Promise<ApprovalAnswer | undefined> {
  const labels = offers.map(rule => `${l10n.t('Allow always: {0}', ruleInWords(rule))}\n${ruleText(rule)}`);
  const back = l10n.t('Back');
  const answer = await put({
    title: l10n.t('Which rule do you want to keep?'),
    message: l10n.t(
      'It applies in this folder until you remove it. To see all rules, run “{0}”.',
      'Hookline: Manage Approval Rules…',
    ),
    dialog: {
      type: 'select',
      options: [...labels, back],
      meanings: [...labels.map((): OptionMeaning => 'allowAlways'), 'goesOn'],
      usual: back,
    },
  });
  const says = denialIn(answer);
  if (says !== undefined) return { type: 'deny', says };
  const rule = offers[labels.findIndex(label => label === answer)];
  return rule && { type: 'always', rule };
}

/** What a rule allows. */
export function ruleInWords({ tool, match }: Pick<ApprovalRule, 'tool' | 'match'>): string {
  switch (match.type) {
    case 'any':
      return l10n.t('all calls of {0}', tool);
    case 'prefix':
      return l10n.t('commands that begin with “{0}”, with any arguments', match.words.join(' '));
    case 'exact':
      return l10n.t('exactly this command');
    case 'path':
      return match.pattern === '**'
        ? l10n.t('changes to files in this folder')
        : l10n.t('changes to {0}', match.pattern);
  }
}

function titleOf({ kind, file, toolName }: CallDetails): string {
  if (kind === 'executes') return l10n.t('Run this command?');
  if (kind === 'reads') return l10n.t('Read outside of the workspace?');
  if (kind !== 'writes') return l10n.t('Run the tool {0}?', toolName);
  const name = file === undefined ? '' : basename(file.real);
  return toolName === 'write' ? l10n.t('Write {0}?', name) : l10n.t('Change {0}?', name);
}

/** How many arguments a remark names. */
const MOST_NAMED = 5;

/** What makes this call more than usual, where something does. */
function remarksOn({ facts, heldBack, isOfSubagent, isChanged }: ApprovalQuestion): readonly string[] {
  const { file, cwd } = facts;
  const lines: string[] = [];
  const uncovered = uncoveredArguments(facts);
  if (uncovered.length > 0) {
    const named = [...uncovered.slice(0, MOST_NAMED), ...(uncovered.length > MOST_NAMED ? ['…'] : [])].join(' ');
    lines.push(
      l10n.t(
        'This can write any file or run a program, so no rule for the beginning of the command covers it: {0}',
        named,
      ),
    );
  }
  const path = file === undefined ? '' : shownPath(file.real, cwd);
  if (file?.isHook === true) lines.push(l10n.t('Hookline runs this file as a hook: {0}', path));
  else if (file?.place === 'code') lines.push(l10n.t('Programs run code from this location: {0}', path));
  if (file?.place === 'build' && file.use === 'write') {
    lines.push(l10n.t('Code from this file runs with your next build or start: {0}', path));
  }
  if (file !== undefined && isShared(file)) {
    lines.push(l10n.t('This file has another name (a hard link), and the change applies there, too: {0}', path));
  }
  if (file?.place === 'outside') lines.push(l10n.t('This is outside of the workspace: {0}', file.real));
  if (file?.place === 'unclear') lines.push(l10n.t('Hookline cannot resolve this path: {0}', path));
  if (isChanged) {
    lines.push(l10n.t('You allowed this tool earlier. Since then, its server changed what it says about the tool.'));
  }
  if (isOfSubagent) lines.push(l10n.t('An agent that a hook started requests this.'));
  if (heldBack.length > 0) {
    const names = [...new Set(heldBack.map(path => basename(path)))].join(', ');
    lines.push(
      l10n.t('This folder is not trusted, so these hooks are held back and do not look at the call: {0}', names),
    );
  }
  return lines;
}

/** The warning for a command whose changes cannot be reverted. */
function lossText(coverage: ChangeCoverage | undefined): readonly string[] {
  switch (coverage?.type) {
    case 'noRepository':
      return [l10n.t('What this command changes cannot be reverted: the folder is not in a git repository.')];
    case 'off':
      return [l10n.t('What this command changes cannot be reverted: {0}.', coverage.why)];
    case 'on':
    case 'unknown':
    case undefined:
      return [];
  }
}
