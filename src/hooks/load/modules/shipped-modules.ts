import type { Context } from '@mariozechner/pi-ai';
import type { PiAi } from '../../../agent/models/pi-ai-module';
import { codingAgentModule, type ShippedHost } from './coding-agent';
import {
  AGENT_CORE_NAMES,
  FORMER_AI_NAMES,
  FORMER_AI_OAUTH_NAMES,
  LATER_AI_NAMES,
  LATER_PROVIDER_NAMES,
} from './export-names';
import { LazyModule, type ModulePart } from './lazy-module';
import { notOffered, notOfferedMembers } from './not-offered';
import { SHELL_HOOKS } from './shell-hooks-name';
import { VirtualModules } from './virtual-modules';

/** Under which names the packages of pi were published; all mean the same modules here. */
const SCOPES = ['@mariozechner', '@oh-my-pi', '@gsd', '@earendil-works'];

/** Entry points of `pi-coding-agent` in the packages of any time. */
const CODING_AGENT_SUBPATHS = [
  '',
  '/hooks',
  '/extensibility/hooks',
  '/extensibility/extensions',
  '/extensions',
  '/core/hooks',
  '/core/extensions',
];

/** The modules that hooks may import from this extension, by every specifier that a description names. */
export function shippedModules(host: ShippedHost): VirtualModules {
  const modules = new Map<string, LazyModule>();
  const codingAgent = codingAgentModule(host);
  const ai = aiModules();
  const [tui, core, utils] = [tuiModule(), agentCoreModule(), utilsModule()];
  for (const scope of SCOPES) {
    for (const subpath of CODING_AGENT_SUBPATHS) modules.set(`${scope}/pi-coding-agent${subpath}`, codingAgent);
    for (const [subpath, module] of Object.entries(ai)) modules.set(`${scope}/pi-ai${subpath}`, module);
    modules.set(`${scope}/pi-tui`, tui);
    modules.set(`${scope}/pi-agent-core`, core);
    modules.set(`${scope}/pi-utils`, utils);
  }
  const shell = SHELL_HOOKS;
  modules.set(
    shell,
    new LazyModule({ specifier: shell, parts: [{ load: () => import('../../shell/run-shell-hooks') }] }),
  );
  for (const [specifier, load] of Object.entries(TYPEBOX)) {
    modules.set(specifier, new LazyModule({ specifier, parts: [{ load }] }));
  }
  return new VirtualModules(modules);
}

/** Models of 1.5.2 may be of other types than `chat`, the only one here. */
const MODEL_TYPES = {
  getModelType: (model: { readonly type?: string }): string => model.type ?? 'chat',
  isModelType: (model: { readonly type?: string }, type: string): boolean => (model.type ?? 'chat') === type,
};

/** Both generations of TypeBox, each with the subpaths of its own. */
const TYPEBOX: Readonly<Record<string, () => Promise<object>>> = {
  '@sinclair/typebox': () => import('@sinclair/typebox'),
  '@sinclair/typebox/type': () => import('@sinclair/typebox/type'),
  // Only the newer TypeBox has this part; files of today's pi get all of that under this name.
  '@sinclair/typebox/compile': () => import('typebox/compile'),
  '@sinclair/typebox/value': () => import('@sinclair/typebox/value'),
  '@sinclair/typebox/compiler': () => import('@sinclair/typebox/compiler'),
  '@sinclair/typebox/errors': () => import('@sinclair/typebox/errors'),
  '@sinclair/typebox/system': () => import('@sinclair/typebox/system'),
  '@sinclair/typebox/parser': () => import('@sinclair/typebox/parser'),
  '@sinclair/typebox/syntax': () => import('@sinclair/typebox/syntax'),
  typebox: () => import('typebox'),
  'typebox/type': () => import('typebox/type'),
  'typebox/value': () => import('typebox/value'),
  'typebox/compile': () => import('typebox/compile'),
  'typebox/error': () => import('typebox/error'),
  'typebox/format': () => import('typebox/format'),
  'typebox/guard': () => import('typebox/guard'),
  'typebox/schema': () => import('typebox/schema'),
  'typebox/system': () => import('typebox/system'),
};

/**
 * The real pi-ai, the same instance as the agent's, with the names that it once had; by entry point. For hooks its root is
 * `compat`, as in pi, so that the registry of APIs and the catalog are there under their older names too.
 */
function aiModules(): Readonly<Record<string, LazyModule>> {
  const root = '@mariozechner/pi-ai';
  const former = notOfferedMembers(root, [...FORMER_AI_NAMES, ...LATER_AI_NAMES]);
  const oauth = oauthPart();
  const module = (subpath: string, ...parts: readonly ModulePart[]): LazyModule =>
    new LazyModule({ specifier: root + subpath, parts });
  const compat = new LazyModule({ specifier: root, values: former, parts: [compatPart(), oauth] });
  return {
    '': compat,
    '/compat': compat,
    // Its root without `compat` holds all that `models` does.
    '/models': module('/models', { load: async () => ({ ...MODEL_TYPES, ...(await import('@mariozechner/pi-ai')) }) }),
    '/oauth': new LazyModule({ specifier: `${root}/oauth`, values: former, parts: [oauth] }),
    '/providers/all': new LazyModule({
      specifier: `${root}/providers/all`,
      values: notOfferedMembers(root, LATER_PROVIDER_NAMES),
      parts: [{ load: () => import('@mariozechner/pi-ai/providers/all') }],
    }),
  };
}

function compatPart(): ModulePart {
  return {
    load: async () => {
      const { loadPiAi } = await import('../../../agent/models/pi-ai');
      const ai = await loadPiAi();
      const supportsXhigh = (model: never): boolean => ai.getSupportedThinkingLevels(model).includes('xhigh');
      return { ...MODEL_TYPES, ...ai, ...forContexts(ai), supportsXhigh };
    },
  };
}

/** `streamAnthropic` and the like: they take system messages now, hooks may still give prompt and tools beside them. */
function forContexts(ai: PiAi): Record<string, unknown> {
  const streams = Object.entries(ai).flatMap(([name, value]): [string, unknown][] => {
    if (!/^stream(?!Simple$)./.test(name) || typeof value !== 'function') return [];
    const forContext = (model: unknown, context: Context, ...rest: readonly unknown[]): unknown =>
      Reflect.apply(value, undefined, [model, ai.normalizeContext(context), ...rest]);
    return [[name, forContext]];
  });
  return Object.fromEntries(streams);
}

function oauthPart(): ModulePart {
  let loading: Promise<object> | undefined;
  return {
    names: FORMER_AI_OAUTH_NAMES,
    load: () => (loading ??= import('./legacy/former-oauth').then(({ formerOAuth }) => formerOAuth())),
  };
}

/** What pi-tui 1.5.2 has beyond ours and nobody needs outside of pi's own program. */
const LATER_TUI_NAMES = [
  ...['colorToOkhsl', 'okhslColor', 'oklabToOkhslLightness', 'formatProgramStatus', 'isAppleTerminalSession'],
  'setImageTranscoder',
];

/**
 * The real pi-tui with the key helpers of its first generation, its screen under the name it had until 0.73, and what 1.5.2
 * adds.
 */
function tuiModule(): LazyModule {
  const load = async (): Promise<object> => {
    const [tui, { legacyKeys }, { laterTui }] = await Promise.all([
      import('@mariozechner/pi-tui'),
      import('./legacy/legacy-keys'),
      import('./root/later-tui'),
    ]);
    const absent = notOfferedMembers('@mariozechner/pi-tui', LATER_TUI_NAMES);
    return { ...legacyKeys(tui), TUI: tui.TuiMainScreen, ...absent, ...laterTui(), ...tui };
  };
  return new LazyModule({ specifier: '@mariozechner/pi-tui', parts: [{ load }] });
}

/** Hooks import its types only. */
function agentCoreModule(): LazyModule {
  const specifier = '@mariozechner/pi-agent-core';
  return new LazyModule({ specifier, values: notOfferedMembers(specifier, AGENT_CORE_NAMES) });
}

/** oh-my-pi's helpers need Bun: a hook gets an error when it uses one, not when it is loaded. */
function utilsModule(): LazyModule {
  const specifier = '@oh-my-pi/pi-utils';
  return new LazyModule({ specifier, unknown: name => notOffered(specifier, name) });
}
