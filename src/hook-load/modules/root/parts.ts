import { homedir } from 'node:os';
import { join } from 'node:path';
import type { ChildSessions } from '../../../hook-contract/child-session';
import type { ModulePart } from '../lazy-module';
import type { ShippedTheme } from '../themes';
import type { RuntimeRegistry } from './models';

/** What the exports of the root of `pi-coding-agent` need from the product around them. */
export interface RootHost {
  readonly agentDir: () => string;
  readonly theme: () => ShippedTheme;
  /** The folder in which conversations work; the home folder when absent. */
  readonly cwd?: () => string;
  /** The installation folder of the product, with its documents; {@link cwd} when absent. */
  readonly packageDir?: () => string;
  /** Puts a text on the user's clipboard; when absent, a program of the operating system is used. */
  readonly copy?: (text: string) => Promise<void>;
  /** The registry of the conversations; absent where hooks have none. */
  readonly models?: () => RuntimeRegistry;
  /** Makes sessions of an agent; absent where there are no conversations. */
  readonly sessions?: () => ChildSessions | undefined;
}

/** What today's `pi-coding-agent` exports beside the hook runtime, grouped by the files that must be loaded for it. */
export function rootParts(host: RootHost): readonly ModulePart[] {
  return [...sessionParts(host), ...modelParts(host), ...textParts(host), ...systemParts(host)];
}

function sessionParts({ agentDir, cwd = homedir, sessions = () => undefined }: RootHost): readonly ModulePart[] {
  return [
    {
      names: ['createAgentSession', 'createExtensionRuntime', 'DefaultResourceLoader'],
      load: async () => {
        const { createAgentSessionFor, ...others } = await import('./agent-session');
        return { createAgentSession: createAgentSessionFor({ sessions, cwd, agentDir }), ...others };
      },
    },
    {
      names: ['SessionManager'],
      load: async () => ({
        SessionManager: (await import('./sessions/session-manager')).sessionManagerFor({ agentDir, cwd }),
      }),
    },
    {
      names: [
        'buildContextEntries',
        'buildSessionContext',
        'buildSessionProjection',
        'getLatestCompactionEntry',
        'migrateSessionEntries',
        'parseSessionEntries',
        'sessionEntryToContextMessages',
      ],
      load: () => import('./sessions/session-functions'),
    },
    {
      names: ['SettingsManager'],
      load: async () => ({
        SettingsManager: (await import('./settings/settings-manager')).settingsManagerFor(agentDir, cwd),
      }),
    },
    {
      names: [
        'collectEntriesForBranchSummary',
        'compact',
        'findTurnStartIndex',
        'generateBranchSummary',
        'generateSummary',
        'generateSummaryWithUsage',
        'getLastAssistantUsage',
        'prepareBranchEntries',
      ],
      load: () => import('./sessions/summaries'),
    },
    {
      names: ['ProjectTrustStore', 'hasTrustRequiringProjectResources'],
      load: async () => {
        const [{ projectTrustStore }, { hasProtectedParts }, { default: lockfile }] = await Promise.all([
          import('./settings/trust'),
          import('../../../agent/settings/trust-file'),
          import('proper-lockfile'),
        ]);
        return { ProjectTrustStore: projectTrustStore(lockfile), hasTrustRequiringProjectResources: hasProtectedParts };
      },
    },
    {
      names: [
        'createSyntheticSourceInfo',
        'discoverContextFiles',
        'formatSkillsForPrompt',
        'loadProjectContextFiles',
        'loadSkills',
        'loadSkillsFromDir',
        'parseSkillBlock',
      ],
      load: async () => {
        const { loadSkillsWith, ...others } = await import('./skills');
        const discoverContextFiles = (folder = cwd(), user = agentDir()): object[] =>
          others.loadProjectContextFiles({ cwd: folder, agentDir: user });
        const loadSkills = (options: Parameters<typeof loadSkillsWith>[1]): unknown =>
          loadSkillsWith(agentDir, options);
        return { ...others, discoverContextFiles, loadSkills };
      },
    },
  ];
}

function modelParts({ agentDir, models }: RootHost): readonly ModulePart[] {
  return [
    {
      names: ['ModelRuntime', 'readStoredCredential', 'resolveCliModel', 'resolveModelScopeWithDiagnostics'],
      load: async () => {
        const [own, { textOfFile }] = await Promise.all([import('./models'), import('./sessions/sync-session')]);
        const { modelRuntimeFor, resolveCliModel, resolveModelScopeWithDiagnostics, storedCredentialIn } = own;
        const readStoredCredential = (provider: string, path = join(agentDir(), 'auth.json')): unknown =>
          storedCredentialIn(textOfFile(path), provider);
        const ModelRuntime = modelRuntimeFor(models);
        return { ModelRuntime, readStoredCredential, resolveCliModel, resolveModelScopeWithDiagnostics };
      },
    },
    ...olderModelParts(models, () => join(agentDir(), 'auth.json')),
    { names: ['parseArgs'], load: () => import('./arguments') },
    {
      names: ['convertToPng', 'detectSupportedImageMimeTypeFromFile', 'formatDimensionNote', 'resizeImage'],
      load: () => import('./images'),
    },
  ];
}

/** None where hooks have no registry: the names then say that they are not available. */
function olderModelParts(registry: RootHost['models'], authPath: () => string): readonly ModulePart[] {
  if (registry === undefined) return [];
  return [
    {
      names: ['AuthStorage', 'ModelRegistry', 'discoverAuthStorage', 'discoverModels'],
      load: async () => (await import('./older-models')).olderModels({ registry, authPath }),
    },
  ];
}

function textParts({ theme }: RootHost): readonly ModulePart[] {
  return [
    {
      names: ['generateDiffString', 'generateUnifiedPatch', 'renderDiff'],
      load: async () => {
        const { renderDiffWith, ...others } = await import('./terminal/diffs');
        return { ...others, renderDiff: (diff: string) => renderDiffWith(theme, diff) };
      },
    },
    {
      names: ['highlightCode'],
      load: async () => {
        const { highlightCodeWith } = await import('./terminal/highlight');
        return { highlightCode: (code: string, language?: string) => highlightCodeWith(theme, code, language) };
      },
    },
    {
      names: ['Theme'],
      load: async () => {
        const [{ colorToHex }, { themeClass }] = await Promise.all([
          import('@mariozechner/pi-tui'),
          import('./terminal/theme-class'),
        ]);
        return { Theme: themeClass(colorToHex) };
      },
    },
    {
      names: ['truncateToVisualLines'],
      load: async () => {
        const [tui, { truncateToVisualLinesWith }] = await Promise.all([
          import('@mariozechner/pi-tui'),
          import('./terminal/terminal-text'),
        ]);
        return { truncateToVisualLines: truncateToVisualLinesWith.bind(undefined, tui) };
      },
    },
  ];
}

function systemParts({ cwd = homedir, packageDir = cwd, copy }: RootHost): readonly ModulePart[] {
  return [
    {
      names: ['copyToClipboard', 'getShellConfig', 'getDocsPath', 'getExamplesPath', 'getPackageDir', 'getReadmePath'],
      load: async () => {
        const { copyWithProgram, getShellConfig, packagePaths } = await import('./system');
        return { copyToClipboard: copy ?? copyWithProgram, getShellConfig, ...packagePaths(packageDir) };
      },
    },
  ];
}
