import type { SessionConfigOption, SessionConfigSelectGroup, SessionModeState } from '@agentclientprotocol/sdk';
import * as l10n from '@vscode/l10n';
import type { Api, Model } from '@mariozechner/pi-ai';
import { supportedLevels } from '../../../agent/thinking-levels';
import { APPROVAL_MODES, isApprovalMode, type ApprovalMode } from '../../../hook-contract/approvals/approval-mode';
import type { Conversation } from '../../../session/conversation';
import { invalidParams } from '../connection/acp-error';

/** The value of the model option while none is chosen. It cannot be chosen. */
const NO_MODEL = 'none';

const MODES: Readonly<Record<ApprovalMode, { readonly name: string; readonly description: string }>> = {
  ask: { name: l10n.t('Ask'), description: l10n.t('You are asked before anything is written, run or sent') },
  edits: {
    name: l10n.t('Edits'),
    description: l10n.t('Files of the workspace are changed without a question; you are asked about everything else'),
  },
  auto: { name: l10n.t('Auto'), description: l10n.t('Only your hooks decide; without hooks, everything runs') },
  plan: { name: l10n.t('Plan'), description: l10n.t('The agent only reads, and presents a plan') },
};

/** The approval mode of a conversation, as clients that do not know config options take it. */
export function modesOf(conversation: Conversation): SessionModeState {
  const availableModes = APPROVAL_MODES.map(id => ({ id, ...MODES[id] }));
  return { currentModeId: modeOf(conversation), availableModes };
}

function modeOf({ approvals }: Conversation): ApprovalMode {
  return approvals?.mode ?? 'auto';
}

/** What a client may set for a conversation: mode, model, and how much the model thinks if it does. */
export function configOptionsOf(conversation: Conversation): SessionConfigOption[] {
  return [modeOption(conversation), ...modelOption(conversation), ...levelOption(conversation)];
}

/** The values that are chosen for the options. Cheap to compare, while making the options looks up a key for each model. */
export function chosenOptions(conversation: Conversation): readonly unknown[] {
  const { model, effectiveLevel } = conversation.state;
  return [modeOf(conversation), model && valueOf(model), effectiveLevel];
}

function modeOption(conversation: Conversation): SessionConfigOption {
  return {
    type: 'select',
    id: 'mode',
    name: l10n.t('Who decides about tool calls'),
    category: 'mode',
    currentValue: modeOf(conversation),
    options: APPROVAL_MODES.map(value => ({ value, ...MODES[value] })),
  };
}

/** Absent where no model can be used. One in use that cannot be used any more is still listed. */
function modelOption({ ports: { models }, state: { model } }: Conversation): SessionConfigOption[] {
  const usable = models.getAvailable();
  const isListed =
    model === undefined || usable.some(({ provider, id }) => provider === model.provider && id === model.id);
  const offered = isListed ? usable : [model, ...usable];
  if (offered.length === 0) return [];
  const providers = [...new Set(offered.map(({ provider }) => provider))];
  const options = providers.map((provider): SessionConfigSelectGroup => ({
    group: provider,
    name: models.getProviderDisplayName(provider),
    options: offered
      .filter(each => each.provider === provider)
      .map(each => ({ value: valueOf(each), name: each.name })),
  }));
  // The protocol wants a current value, and that it is listed.
  if (model === undefined) {
    const none = l10n.t('none');
    options.unshift({ group: NO_MODEL, name: none, options: [{ value: NO_MODEL, name: none }] });
  }
  const currentValue = model === undefined ? NO_MODEL : valueOf(model);
  return [{ type: 'select', id: 'model', name: l10n.t('Model'), category: 'model', currentValue, options }];
}

function valueOf({ provider, id }: Model<Api>): string {
  return `${provider}/${id}`;
}

function levelOption({ state: { model, effectiveLevel } }: Conversation): SessionConfigOption[] {
  const levels = model === undefined ? [] : supportedLevels(model);
  if (levels.length < 2) return [];
  return [
    {
      type: 'select',
      id: 'thought_level',
      name: l10n.t('Thinking level'),
      category: 'thought_level',
      currentValue: effectiveLevel,
      options: levels.map(value => ({ value, name: value })),
    },
  ];
}

/** @throws an error of the protocol that names the option or the value */
export async function setConfigOption(conversation: Conversation, id: string, value: unknown): Promise<void> {
  switch (id) {
    case 'mode':
      setMode(conversation, value);
      return;
    case 'model':
      return setModel(conversation, value);
    case 'thought_level':
      setLevel(conversation, value);
      return;
    default:
      throw invalidParams(`configId: there is no option "${id}".`);
  }
}

function setMode({ approvals }: Conversation, mode: unknown): void {
  if (!isApprovalMode(mode)) throw invalidParams(`There is no mode ${JSON.stringify(mode)}.`);
  if (approvals?.setMode(mode) !== true) throw invalidParams(`The mode cannot be "${mode}" here.`);
}

async function setModel({ ports, models }: Conversation, value: unknown): Promise<void> {
  const model = ports.models.getAvailable().find(candidate => valueOf(candidate) === value);
  if (model === undefined || !(await models.set(model))) {
    throw invalidParams(`value: there is no usable model ${JSON.stringify(value)}.`);
  }
}

function setLevel({ state, models }: Conversation, value: unknown): void {
  const level = supportedLevels(state.model).find(candidate => candidate === value);
  if (level === undefined) throw invalidParams(`value: the model has no thinking level ${JSON.stringify(value)}.`);
  models.setThinkingLevel(level);
}
