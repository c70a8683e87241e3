import * as vscode from 'vscode';
import type { ChangeTracker } from '../../agent/changes/tracker';
import { createStreamFn } from '../../agent/models/requests/stream';
import { sessionDirFor } from '../../agent/session/library/session-list';
import { createBuiltinTools } from '../../agent/tools';
import { defined } from '../../base/defined';
import { RipgrepLocator } from '../../agent/tools/search/ripgrep';
import { openChild } from '../../session/child-session/open-child';
import type { WindowPorts } from '../../chat/ports';
import type { HookInfo } from '../../hook-contract/hook-info';
import type { HookHost } from '../../hook-run/host/host';
import type { OpenChild } from '../../startup/child-sessions';
import { sessionDirFrom, sessionDirOf, type SettingsPlace, type SettingsSource } from '../../startup/live-settings';
import type { LiveResources } from '../../startup/resources';
import { codecOf } from '../editor-context/codec-of';
import { editorTools } from '../language-models/editor-tools';
import { toolsWithoutFolder } from './no-folder';
import type { WindowServices } from './window-services';

type OwnPorts = Pick<
  WindowPorts,
  'hooks' | 'mcp' | 'startsOnSwitch' | 'callRecords' | 'dialogs' | 'editor' | 'context' | 'log' | 'shutdown'
> & {
  readonly resources: LiveResources;
  readonly changes: ChangeTracker;
};

/** What the conversations of a window need: the given parts, and others made from the folder and settings of the window. */
export function portsFor(
  { folder, place, settings, vscodeSettings, prompt, models, writeRecords }: WindowServices,
  own: OwnPorts,
): WindowPorts {
  const { agentDir, cwd } = place;
  const ripgrep = new RipgrepLocator(vscode.env.appRoot);
  const tools = toolsIn(place, { ripgrep, settings, writeRecords });
  return {
    ...own,
    cwd,
    ...defined({ variables: place.variables }),
    sessionDir: sessionDirFrom(process.env, cwd) ?? sessionDirOf(settings.current, cwd) ?? sessionDirFor(agentDir, cwd),
    models,
    ripgrep,
    stream: createStreamFn(models),
    settings,
    changes: own.changes,
    builtInTools: folder === undefined ? toolsWithoutFolder(tools) : tools,
    optionalTools: () => editorTools(vscodeSettings.value.editorTools, own.mcp?.list() ?? []),
    promptOptions: tools => prompt.for(tools, own.resources.forPrompt),
    mode: 'tui',
    showsTodos: true,
    keepsCommands: true,
    hookCounts: () => countHooks(own.hooks),
  };
}

function toolsIn(
  { cwd, variables }: SettingsPlace,
  {
    ripgrep,
    settings,
    writeRecords,
  }: Pick<WindowServices, 'writeRecords'> & { readonly ripgrep: RipgrepLocator; readonly settings: SettingsSource },
): ReturnType<typeof createBuiltinTools> {
  const { shellPath, shellCommandPrefix: commandPrefix } = settings.current;
  const autoResizeImages = (): boolean => settings.current.images.autoResize;
  return createBuiltinTools({
    cwd,
    ripgrep,
    shellPath,
    commandPrefix,
    variables,
    autoResizeImages,
    writeRecords,
    codecOf,
  });
}

/** Opens sessions that hooks make. Only for a window with a folder: without one, a session would have no working tools. */
export function childOpener({ settings, models, writeRecords }: WindowServices): OpenChild {
  const ripgrep = new RipgrepLocator(vscode.env.appRoot);
  const opening = {
    stream: createStreamFn(models),
    builtInTools: (place: SettingsPlace) => toolsIn(place, { ripgrep, settings, writeRecords }),
  };
  return (child, request) => openChild(opening, child, request);
}

function countHooks(hooks: HookHost): ReturnType<WindowPorts['hookCounts']> {
  const infos = hooks.infos();
  const count = (wanted: HookInfo['state']['type']): number =>
    infos.filter(({ state }) => state.type === wanted).length;
  // While a change waits for approval, the version before it runs if there is one. Only code that runs has a dialect.
  const approved = infos.filter(({ state, dialect }) => state.type === 'waiting' && dialect !== undefined);
  return {
    live: count('live') + approved.length,
    broken: count('stale'),
    failed: count('failed'),
    stopped: count('stopped'),
    heldBack: count('heldBack'),
    waiting: count('waiting'),
  };
}
