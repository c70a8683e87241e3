import type { Context } from '@mariozechner/pi-ai';
import type { PiAi } from '../../agent/models/pi-ai-module';
import { codingAgentModule, type ShippedHost } from './coding-agent';
import {
  AGENT_CORE_NAMES,
  LEGACY_AI_NAMES,
  LEGACY_OAUTH_NAMES,
  LEGACY_PROVIDER_NAMES,
  LEGACY_TUI_NAMES,
} from './export-names';
import { LazyModule, type ModulePart } from './lazy-module';
import { notOffered, notOfferedMembers } from './not-offered';
import { giveOwnLines } from './own-lines';
import { SHELL_HOOKS } from '../shell/shell-hook';
import { VirtualModules } from './virtual-modules';

/** The npm scopes under which pi's packages were published; all lead to the same modules here. */
const SCOPES = ['@mariozechner', '@oh-my-pi', '@gsd', '@earendil-works'];

/** Entry points of `pi-coding-agent` in all versions. */
const CODING_AGENT_SUBPATHS = [
  '',
  '/hooks',
  '/extensibility/hooks',
  '/extensibility/extensions',
  '/extensions',
  '/core/hooks',
  '/core/extensions',
];

/** The modules that hooks may import from this extension, by every specifier that one of the dialects names. */
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
  modules.set(shell, new LazyModule({ specifier: shell, parts: [{ load: () => import('../shell/run-shell-hooks') }] }));
  for (const [specifier, load] of Object.entries({ ...TYPEBOX, ...ZOD })) {
    modules.set(specifier, new LazyModule({ specifier, parts: [{ load }] }));
  }
  return new VirtualModules(modules);
}

/** Both generations of TypeBox, each with its own subpaths. */
const TYPEBOX: Readonly<Record<string, () => Promise<object>>> = {
  '@sinclair/typebox': () => import('@sinclair/typebox'),
  '@sinclair/typebox/type': () => import('@sinclair/typebox/type'),
  // Only the newer TypeBox has this part; files for today's pi get the newer TypeBox under the older name.
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

/** oh-my-pi's name of its zod. Under its own name, a hook finds the zod that is installed next to it. */
const ZOD: Readonly<Record<string, () => Promise<object>>> = { '@oh-my-pi/omptype/zod': () => import('zod') };

/**
 * The real pi-ai by entry point: the same instance that the agent uses, plus names of older versions. For hooks its
 * root is `compat`, as in pi, so that the registry of APIs and the catalog also have their older names.
 */
function aiModules(): Readonly<Record<string, LazyModule>> {
  const root = '@mariozechner/pi-ai';
  const former = notOfferedMembers(root, LEGACY_AI_NAMES);
  const oauth = oauthPart();
  const compat = new LazyModule({ specifier: root, values: former, parts: [compatPart(), oauth] });
  return {
    '': compat,
    '/compat': compat,
    '/models': new LazyModule({
      specifier: `${root}/models`,
      parts: [{ load: () => import('@mariozechner/pi-ai/models') }],
    }),
    '/oauth': new LazyModule({ specifier: `${root}/oauth`, values: former, parts: [oauth] }),
    '/providers/all': new LazyModule({
      specifier: `${root}/providers/all`,
      values: notOfferedMembers(root, LEGACY_PROVIDER_NAMES),
      parts: [{ load: async () => (await import('../../agent/models/pi-ai')).loadProviders() }],
    }),
  };
}

function compatPart(): ModulePart {
  return {
    load: async () => {
      const { loadPiAi } = await import('../../agent/models/pi-ai');
      // Older versions exported the `Type` of TypeBox, too.
      const [ai, { Type }] = await Promise.all([loadPiAi(), import('typebox')]);
      const supportsXhigh = (model: never): boolean => ai.getSupportedThinkingLevels(model).includes('xhigh');
      return { Type, ...ai, ...forContexts(ai), supportsXhigh };
    },
  };
}

/**
 * `streamAnthropic` and the like: pi-ai now expects system messages; hooks may still pass prompt and tools separately.
 */
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
    names: LEGACY_OAUTH_NAMES,
    load: () => (loading ??= import('./legacy/legacy-oauth').then(({ legacyOAuth }) => legacyOAuth())),
  };
}

/** The real pi-tui, plus the key helpers of its first versions, and its screen under the name that it had until 0.73. */
function tuiModule(): LazyModule {
  const load = async (): Promise<object> => {
    const [tui, { legacyKeys }] = await Promise.all([import('@mariozechner/pi-tui'), import('./legacy/legacy-keys')]);
    giveOwnLines(tui);
    const former = notOfferedMembers('@mariozechner/pi-tui', LEGACY_TUI_NAMES);
    return { ...legacyKeys(tui), TUI: tui.TuiMainScreen, ...former, ...tui };
  };
  return new LazyModule({ specifier: '@mariozechner/pi-tui', parts: [{ load }] });
}

/** Only stand-ins, because hooks import only types from this package. */
function agentCoreModule(): LazyModule {
  const specifier = '@mariozechner/pi-agent-core';
  return new LazyModule({ specifier, values: notOfferedMembers(specifier, AGENT_CORE_NAMES) });
}

/** oh-my-pi's helpers need Bun, which is not here: a hook gets an error when it uses one, not when it is loaded. */
function utilsModule(): LazyModule {
  const specifier = '@oh-my-pi/pi-utils';
  return new LazyModule({ specifier, unknown: name => notOffered(specifier, name) });
}
