import { codingAgentModule, type ShippedHost } from './coding-agent';
import { AGENT_CORE_NAMES, FORMER_AI_NAMES, FORMER_AI_OAUTH_NAMES } from './export-names';
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
  const [ai, oauth, tui, core, utils] = [aiModule(), oauthModule(), tuiModule(), agentCoreModule(), utilsModule()];
  for (const scope of SCOPES) {
    for (const subpath of CODING_AGENT_SUBPATHS) modules.set(`${scope}/pi-coding-agent${subpath}`, codingAgent);
    modules.set(`${scope}/pi-ai`, ai);
    modules.set(`${scope}/pi-ai/oauth`, oauth);
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

/** Both generations of TypeBox, each with the subpaths of its own. */
const TYPEBOX: Readonly<Record<string, () => Promise<object>>> = {
  '@sinclair/typebox': () => import('@sinclair/typebox'),
  '@sinclair/typebox/type': () => import('@sinclair/typebox/type'),
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

/** The real pi-ai, the same instance as the agent's, with the names that it once had. */
function aiModule(): LazyModule {
  const specifier = '@mariozechner/pi-ai';
  const formerOAuth: ModulePart = {
    names: FORMER_AI_OAUTH_NAMES,
    load: async () => {
      const oauth: Record<string, unknown> = { ...(await import('@mariozechner/pi-ai/oauth')) };
      return Object.fromEntries(FORMER_AI_OAUTH_NAMES.map(name => [name, oauth[name]]));
    },
  };
  const everything: ModulePart = {
    load: async () => {
      const { loadPiAi } = await import('../../../agent/models/pi-ai');
      const ai = await loadPiAi();
      const supportsXhigh = (model: never): boolean => ai.getSupportedThinkingLevels(model).includes('xhigh');
      return { ...ai, supportsXhigh };
    },
  };
  return new LazyModule({
    specifier,
    values: notOfferedMembers(specifier, FORMER_AI_NAMES),
    parts: [everything, formerOAuth],
  });
}

function oauthModule(): LazyModule {
  const load = (): Promise<object> => import('@mariozechner/pi-ai/oauth');
  return new LazyModule({ specifier: '@mariozechner/pi-ai/oauth', parts: [{ load }] });
}

/** The real pi-tui with the key helpers of its first generation. */
function tuiModule(): LazyModule {
  const load = async (): Promise<object> => {
    const [tui, { legacyKeys }] = await Promise.all([import('@mariozechner/pi-tui'), import('./legacy-keys')]);
    return { ...legacyKeys(tui), ...tui };
  };
  return new LazyModule({ specifier: '@mariozechner/pi-tui', parts: [{ load }] });
}

/** Hooks import its types only. */
function agentCoreModule(): LazyModule {
  const specifier = '@mariozechner/pi-agent-core';
  return new LazyModule({ specifier, values: notOfferedMembers(specifier, AGENT_CORE_NAMES) });
}

/** oh-my-pi's helpers need Bun: a hook that uses one is told so when it does, not when it is loaded. */
function utilsModule(): LazyModule {
  const specifier = '@oh-my-pi/pi-utils';
  return new LazyModule({ specifier, unknown: name => notOffered(specifier, name) });
}
