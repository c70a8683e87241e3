import { createHash } from 'node:crypto';
import { Type, type Static } from '@sinclair/typebox';
import { Value } from '@sinclair/typebox/value';
import { areSame } from '../../base/are-same';

/** `publisher.name` of the companion extension that contains the palette entries. It is generated and never published. */
export const COMPANION_ID = 'hookline.hook-commands';

const LONGEST_TITLE = 120;

/** A hook command that the palette shows. */
export interface PaletteCommand {
  readonly name: string;
  readonly description: string;
}

/** The hook commands of one workspace; `hash` comes from {@link workspaceHash}. */
export interface WorkspaceCommands {
  readonly hash: string;
  readonly commands: readonly PaletteCommand[];
}

/** Identifies a workspace in names of files, context keys and commands. Undefined is a window without a folder. */
export function workspaceHash(folder: string | undefined): string {
  return createHash('sha256')
    .update(folder ?? '')
    .digest('hex')
    .slice(0, 12);
}

/** The context key that is true in windows of this workspace while its hook commands are listed. */
export function contextKeyOf(hash: string): string {
  return `pi.hooks.${hash}`;
}

/**
 * The VS Code commands that run a hook command. The first is the same in every workspace. The palette uses the second when
 * workspaces have different commands of the same name.
 */
export function commandIdsOf(name: string, hash: string): readonly [everywhere: string, here: string] {
  return [`pi.hook.${name}`, `pi.hook.${name}.${hash}`];
}

/** The title of a command in the palette after "Hookline: ", on one line. */
export function paletteTitle({ name, description }: PaletteCommand): string {
  const text = oneLine(description);
  const title = text === '' ? `/${oneLine(name)}` : `/${oneLine(name)} — ${text}`;
  return title.length <= LONGEST_TITLE ? title : `${title.slice(0, LONGEST_TITLE - 1).trimEnd()}…`;
}

/**
 * The manifest of the companion extension. All workspaces of a profile share one companion extension; `when` clauses hide
 * the entries of other workspaces. Several extensions would not work, because VS Code takes a command's title from the
 * extension that declares it last. It has no `main`, so none of it runs, and it can be replaced without a window reload.
 */
export function companionManifest(workspaces: readonly WorkspaceCommands[]): Readonly<Record<string, unknown>> {
  const [publisher, name] = COMPANION_ID.split('.');
  const entries = entriesOf(workspaces);
  const titles = new Map(entries.map(entry => [entry.command, entry.title]));
  return {
    publisher,
    name,
    // The version never changes, because each new version would leave an unused folder on disk.
    version: '1.0.0',
    displayName: 'Hookline: Commands of Your Hooks',
    description:
      'Lists the commands of your hooks in the Command Palette. Hookline writes it when they change; it runs no code. ' +
      'Disable it to keep them out of the palette. Without Hookline, it shows nothing, and you can uninstall it.',
    engines: { vscode: '*' },
    extensionKind: ['workspace'],
    capabilities: { untrustedWorkspaces: { supported: true }, virtualWorkspaces: true },
    contributes: {
      commands: [...titles].map(([command, title]) => ({ command, title, category: 'Hookline' })),
      menus: { commandPalette: entries.map(({ command, when }) => ({ command, when })) },
    },
  };
}

const Contributions = Type.Object({
  contributes: Type.Object({
    commands: Type.Array(Type.Object({ command: Type.String(), title: Type.String() })),
    menus: Type.Object({
      commandPalette: Type.Array(Type.Object({ command: Type.String(), when: Type.String() })),
    }),
  }),
});

/** Whether the manifest of the installed companion shows exactly these commands in this workspace. */
export function showsExactly(manifest: unknown, { hash, commands }: WorkspaceCommands): boolean {
  if (!Value.Check(Contributions, manifest)) return false;
  const { contributes }: Static<typeof Contributions> = manifest;
  const titles = new Map(contributes.commands.map(({ command, title }) => [command, title]));
  const when = contextKeyOf(hash);
  const shown = contributes.menus.commandPalette.filter(item => item.when === when);
  const wanted = commands.map(paletteTitle).sort();
  return areSame(shown.map(({ command }) => titles.get(command) ?? '').sort(), wanted);
}

interface Entry {
  readonly command: string;
  readonly title: string;
  readonly when: string;
}

function entriesOf(workspaces: readonly WorkspaceCommands[]): Entry[] {
  const titlesOfName = new Map<string, Set<string>>();
  for (const command of workspaces.flatMap(workspace => workspace.commands)) {
    const titles = titlesOfName.get(command.name) ?? new Set();
    titlesOfName.set(command.name, titles.add(paletteTitle(command)));
  }
  return workspaces.flatMap(({ hash, commands }) =>
    commands.map(command => {
      const [everywhere, here] = commandIdsOf(command.name, hash);
      const isContested = (titlesOfName.get(command.name)?.size ?? 0) > 1;
      return { command: isContested ? here : everywhere, title: paletteTitle(command), when: contextKeyOf(hash) };
    }),
  );
}

function oneLine(text: string): string {
  // eslint-disable-next-line no-control-regex -- this pattern finds control characters
  return text.replace(/[\s\u0000-\u001f\u007f]+/g, ' ').trim();
}
