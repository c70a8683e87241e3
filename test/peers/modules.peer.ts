import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { types } from 'node:util';
import { HookSource } from '../../src/hook-load/graph/hook-source';
import { modulesForFiles } from '../../src/hook-load/modules/modules-for-file';
import { shippedModules } from '../../src/hook-load/modules/shipped-modules';
import type { VirtualModules } from '../../src/hook-load/modules/virtual-modules';
import { DARK_PALETTE, HookTheme } from '../../src/hook-contract/ui/theme';
import { describePeer, piToday, TODAY } from './peers';
import { RUNTIME_EXPORTS } from '../../src/hook-run/tool-call/runtime-exports';

/** Names that throw when they are used, by what they would need. */
const REFUSED: Readonly<Record<string, string>> = {
  "pi's own program": `AgentSession AgentSessionRuntime CredentialSynchronizationError DefaultPackageManager
    ExtensionRunner InteractiveMode ModelRegistry RpcClient createAgentSessionFromServices createAgentSessionRuntime createAgentSessionServices
    discoverAndLoadExtensions main runPrintMode runRpcMode wrapRegisteredTool wrapRegisteredTools`,
  'extensions built into pi': 'createCodemodeExtension createMcpExtension createToolSearchExtension',
  "dialogs and rows of pi's own screen": `ArminComponent BashExecutionComponent BranchSummaryMessageComponent
    CompactionSummaryMessageComponent ExtensionEditorComponent ExtensionInputComponent ExtensionSelectorComponent
    FooterComponent LoginDialogComponent ModelSelectorComponent OAuthSelectorComponent SessionSelectorComponent
    SettingsSelectorComponent ShowImagesSelectorComponent SkillInvocationMessageComponent ThemeSelectorComponent
    ThinkingSelectorComponent TreeSelectorComponent UserMessageSelectorComponent`,
  'an agent of their own': `Agent DEFAULT_AGENT_IDENTITY agentLoop agentLoopContinue runAgentLoop runAgentLoopContinue
    runToolCall setDefaultStreamFn streamProxy`,
  'PowerShell, which is a part by itself': `createLocalPowerShellOperations createPowerShellTool
    createPowerShellToolDefinition getPowerShellConfig isPowerShellToolResult`,
};

const refused = new Set(Object.values(REFUSED).flatMap(names => names.split(/\s+/)));

describePeer('the modules that extensions import', TODAY, folder => {
  let theirs: Readonly<Record<string, readonly string[]>>;
  let ours: VirtualModules;

  before(async () => {
    theirs = namesOf(folder);
    const modules = shippedModules({
      runtime: RUNTIME_EXPORTS,
      agentDir: () => '/agent',
      theme: () => new HookTheme('dark', DARK_PALETTE),
    });
    await modules.loadAll(() => true);
    const text = 'import "@earendil-works/pi-coding-agent";';
    ours = modulesForFiles(modules, { settingOf: () => undefined, needsOf: () => undefined })({
      path: '/h.ts',
      group: 'extensions',
      sources: [HookSource.of('/h.ts', text)],
    });
  });

  it('are all there, under both scopes', () => {
    assert.ok(Object.keys(theirs).length > 15);
    for (const specifier of Object.keys(theirs)) assert.ok(ours.has(specifier), specifier);
  });

  it('have every value, or say why not when it is used', () => {
    const wrong: string[] = [];
    for (const [specifier, names] of Object.entries(theirs)) {
      const module = ours.get(specifier) as Readonly<Record<string, unknown>>;
      for (const name of names) {
        const isStandIn = types.isProxy(module[name]);
        if (refused.has(name)) {
          // Built meanwhile: it may be taken from the list.
          if (name in module && isStandIn) assert.throws(() => (module[name] as () => void)(), /not available/, name);
        } else if (!(name in module) || isStandIn) wrong.push(`${specifier}: ${name}`);
      }
    }
    assert.deepEqual(wrong, []);
  });

  it('give TypeBox in the same version', () => {
    for (const name of ['typebox', '@sinclair/typebox', 'typebox/value', '@sinclair/typebox/value']) {
      const missing = theirs[name]?.filter(value => !(value in ours.get(name)));
      assert.deepEqual(missing, [], name);
    }
  });
});

/** Names of the values of each module that the real pi hands to extensions, read off its bundle in a process of its own. */
function namesOf(folder: string): Readonly<Record<string, readonly string[]>> {
  const chunks = join(folder, 'dist', 'bundle', 'chunks');
  const chunk = readdirSync(chunks).find(name => /^virtual-modules-\w+\.js$/.test(name));
  assert.ok(chunk !== undefined, 'the bundle holds the modules');
  const script = `const { VIRTUAL_MODULES } = await import(process.argv[1]);
    console.log(JSON.stringify(Object.fromEntries(Object.entries(VIRTUAL_MODULES).map(([name, module]) => [name, Object.keys(module)]))));
    process.exit(0);`;
  const args = ['--input-type=module', '-e', script, join(chunks, chunk)];
  const env = { ...process.env, ...piToday(folder).env };
  const text = execFileSync(process.execPath, args, { encoding: 'utf8', env, timeout: 60_000 });
  return JSON.parse(text) as Readonly<Record<string, readonly string[]>>;
}
