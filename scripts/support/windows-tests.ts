/** Folders of `test` with unit tests that need no network; they run in Node for Windows. */
export const ON_WINDOWS: readonly string[] = [
  ...['changes', 'prompt', 'resources', 'session', 'settings', 'tools'].map(name => `agent/${name}`),
  ...['base', 'components', 'demo-model', 'export', 'gate', 'guard', 'protocol', 'startup', 'transcript', 'windows'],
  ...['hook-contract', 'hook-insight', 'hook-load', 'hook-run', 'packages/approval'],
];

const BASH = 'needs bash, which Wine lacks';
const ESBUILD = 'needs esbuild for Windows';
const GIT = 'needs git, which Wine lacks';
const LINKS = 'needs links, which Wine lacks';
const LINUX_PATHS = 'compares with paths of Linux';
const SH = 'its programs are scripts of sh';
const TCP = 'connects with TCP, which Wine cannot';

/** Why a file or folder below those does not run there. */
export const NOT_ON_WINDOWS: Readonly<Record<string, string>> = {
  'agent/tools/index.spec.ts': BASH,
  'agent/tools/shell/bash.spec.ts': BASH,
  'agent/tools/shell/followed-command.spec.ts': BASH,
  'agent/tools/shell/powershell.spec.ts': SH,
  'agent/tools/shell/process.spec.ts': BASH,
  'gate/commands/plain-reading.spec.ts': GIT,
  'guard/agents/cline.spec.ts': LINUX_PATHS,
  'guard/agents/cursor.spec.ts': LINUX_PATHS,
  'guard/agents/droid.spec.ts': LINUX_PATHS,
  'guard/agents/patch.spec.ts': LINUX_PATHS,
  'guard/agents/payloads.spec.ts': LINUX_PATHS,
  'guard/agents/tool-calls.spec.ts': LINUX_PATHS,
  'guard/client/client.spec.ts': SH,
  'guard/config/codex': SH,
  'guard/config/guard-status.spec.ts': SH,
  'guard/config/plan-guard.spec.ts': LINUX_PATHS,
  'guard/config/switched-off.spec.ts': LINUX_PATHS,
  'guard/config/tools.spec.ts': LINUX_PATHS,
  'guard/config/undone-changes.spec.ts': SH,
  'guard/fire': SH,
  'guard/host/bad-input.spec.ts': TCP,
  'guard/host/guard-host.spec.ts': TCP,
  'hook-load/compile/source-map.spec.ts': ESBUILD,
  'hook-load/modules/shipped-modules.spec.ts': ESBUILD,
  'hook-load/ownership/network.spec.ts': TCP,
  'hook-load/ownership/pi-program.spec.ts': SH,
  'hook-load/ownership/saved-hooks.spec.ts': TCP,
  'hook-load/ownership/working-folder.spec.ts': BASH,
  'hook-load/shell/claude.spec.ts': BASH,
  'hook-load/shell/github.spec.ts': BASH,
  'packages/approval/early-looks.spec.ts': LINKS,
  'startup/packages.spec.ts': LINUX_PATHS,
  'startup/parent': 'needs the files of sockets',
  'startup/resources.spec.ts': LINUX_PATHS,
  'startup/special-files.spec.ts': 'needs pipes and sockets in the file system',
  'startup/uninstall.spec.ts': ESBUILD,
};
