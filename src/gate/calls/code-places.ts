/** Names of folders and files from which programs run code, in any folder. */
const CODE_NAMES = [
  ...['.git', '.vscode', '.vscode-server', '.devcontainer', '.devcontainer.json', '.husky', '.githooks'],
  ...['.pi', '.omp', '.claude', '.gsd'],
];

/** Forks and builds of VS Code have such folders of their own: `.vscode-oss`, `.vscode-insiders`. */
const CODE_NAME = new RegExp(
  `^(?:${CODE_NAMES.map(name => name.replaceAll('.', '\\.')).join('|')}|\\.vscode-[a-z-]+)$`,
);

/** Files and folders below the home folder that shells, desktop sessions and other programs run or read as settings. */
const CODE_AT_HOME: readonly string[] = [
  // Shells and terminals
  ...['.bashrc', '.bash_profile', '.bash_login', '.bash_logout', '.bash_aliases', '.bashrc.d', '.profile', '.inputrc'],
  ...['.kshrc', '.zshrc', '.zshenv', '.zprofile', '.zlogin', '.zlogout', '.cshrc', '.tcshrc', '.login', '.oh-my-zsh'],
  ...['.config/fish', '.config/powershell', 'Documents/PowerShell', 'Documents/WindowsPowerShell', '.config/nushell'],
  ...['.tmux.conf', '.config/tmux', '.screenrc', '.config/kitty', '.config/alacritty', '.config/wezterm'],
  // Sessions of the desktop and services
  ...['.xprofile', '.xinitrc', '.xsession', '.xsessionrc', '.pam_environment', '.config/autostart', '.config/systemd'],
  ...['.config/environment.d', '.local/share/systemd', '.local/share/applications', 'Library/LaunchAgents'],
  ...['.config/i3', '.config/sway', '.config/hypr', 'AppData/Roaming/Microsoft/Windows/Start Menu/Programs/Startup'],
  // Programs that the shell finds by name
  ...['.local/bin', 'bin', '.cargo', 'go/bin', '.deno/bin', '.bun/bin', '.npm-global', '.nvm', '.pyenv', '.rbenv'],
  // Settings that name programs to run
  ...['.gitconfig', '.config/git', '.ssh', '.gnupg', '.npmrc', '.yarnrc', '.yarnrc.yml', '.config/pip', '.pip', '.m2'],
  ...['.gradle', '.docker', '.kube', '.aws', '.config/gh', '.config/mise', '.config/direnv', '.direnvrc', '.hgrc'],
  ...['.gdbinit', '.lldbinit', '.pdbrc', '.psqlrc', '.irbrc', '.Rprofile'],
  // Editors and agents that are no forks of VS Code
  ...['.vimrc', '.vim', '.config/nvim', '.emacs', '.emacs.d', '.config/emacs', '.config/zed', '.config/JetBrains'],
  ...['.config/helix', '.codex', '.gemini', '.config/opencode', '.cursor', '.windsurf'],
];

/**
 * Settings, profiles and extensions of VS Code and of everything built from it (Insiders, VSCodium, Cursor, code-server,
 * portable copies), which all have the same folders. They run tasks, terminals and language servers by them.
 */
const EDITOR_PLACES: readonly RegExp[] = [
  // <data folder>/User and, on a remote machine, <data folder>/Machine
  /(?:^|\/)(?:\.config|\.local\/share|application support|roaming|user-data)\/(?:[^/]+\/)?(?:user|machine)(?:\/|$)/,
  /(?:^|\/)(?:user|machine)\/(?:(?:settings|keybindings|tasks|launch|mcp|extensions)\.json$|(?:global|workspace)storage\/)/,
  // ~/.cursor/extensions, ~/.local/share/code-server/extensions, ~/.vscode-server/extensions, ~/.cursor/argv.json
  /(?:^|\/)(?:\.[^/]+|\.local\/share\/[^/]+)\/(?:extensions\/|argv\.json$)/,
  /(?:^|\/)(?:\.config|application support|roaming)\/code(?:\/|$)/,
];

/** Whether programs run code from a file or folder with one of these names; `name` is in lower case. */
export function isCodeName(name: string): boolean {
  return CODE_NAME.test(name) || name.endsWith('.code-workspace');
}

/** Whether a path below the home folder, with `/`, is such a place; `fold` makes names comparable on this system. */
export function isCodeAtHome(path: string, fold: (name: string) => string): boolean {
  return CODE_AT_HOME.some(name => path === fold(name) || path.startsWith(`${fold(name)}/`));
}

/** Whether a path outside of the workspace, with `/`, belongs to the settings or extensions of an editor. */
export function isEditorPlace(path: string): boolean {
  const lower = path.toLowerCase();
  return EDITOR_PLACES.some(pattern => pattern.test(lower));
}
