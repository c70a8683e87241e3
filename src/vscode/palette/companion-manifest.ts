import { createHash } from 'node:crypto';
import { Type, type Static } from '@sinclair/typebox';
import { Value } from '@sinclair/typebox/value';

/** `publisher.name` of the extension that carries the palette entries; generated here, never published. */
export const COMPANION_ID = 'hookline.hook-commands';

const LONGEST_TITLE = 120;

/** A hook command as the palette shows it. */
export interface PaletteCommand {
  readonly name: string;
  readonly description: string;
}

/** The commands of one workspace, under the hash that stands for it. */
export interface WorkspaceCommands {
  readonly hash: string;
  readonly commands: readonly PaletteCommand[];
}

/** Stands for a workspace in names of files, context keys and commands; undefined is a window without a folder. */
export function workspaceHash(folder: string | undefined): string {
  return createHash('sha256')
    .update(folder ?? '')
    .digest('hex')
    .slice(0, 12);
}

/** The context key that is true in windows of this workspace, while its hooks have commands. */
export function contextKeyOf(hash: string): string {
  return `pi.hooks.${hash}`;
}

/**
 * Names under which a hook command can be run and bound to a key. The first is the same in every workspace; the second
 * is what the palette uses where workspaces mean different things by one name.
 */
export function commandIdsOf(name: string, hash: string): readonly [everywhere: string, here: string] {
  return [`pi.hook.${name}`, `pi.hook.${name}.${hash}`];
}

/** What is in the palette behind "Hookline: ", in one line. */
export function paletteTitle({ name, description }: PaletteCommand): string {
  const text = oneLine(description);
  const title = text === '' ? `/${oneLine(name)}` : `/${oneLine(name)} — ${text}`;
  return title.length <= LONGEST_TITLE ? title : `${title.slice(0, LONGEST_TITLE - 1).trimEnd()}…`;
}

/**
 * The manifest of the companion extension. One serves all workspaces of a profile, because
 * VS Code takes a command's title from whoever declares it last: entries of other workspaces are there, behind `when`.
 * It has no `main`, so nothing of it ever runs and it can be replaced without reloading the window.
 */
export function companionManifest(workspaces: readonly WorkspaceCommands[]): Readonly<Record<string, unknown>> {
  const [publisher, name] = COMPANION_ID.split('.');
  const entries = entriesOf(workspaces);
  const titles = new Map(entries.map(entry => [entry.command, entry.title]));
  return {
    publisher,
    name,
    // Always the same: each new version would leave a dead folder behind.
    version: '1.0.0',
    displayName: 'Hookline: Commands of Your Hooks',
    description:
      'Lists the commands of your hooks in the Command Palette. Hookline writes it when they change; it runs no code. ' +
      'Disable it to keep them out of the palette.',
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

/** True when an installed manifest, given as VS Code has it, shows exactly these commands in this workspace. */
export function showsExactly(manifest: unknown, { hash, commands }: WorkspaceCommands): boolean {
  if (!Value.Check(Contributions, manifest)) return false;
  const { contributes }: Static<typeof Contributions> = manifest;
  const titles = new Map(contributes.commands.map(({ command, title }) => [command, title]));
  const when = contextKeyOf(hash);
  const shown = contributes.menus.commandPalette.filter(item => item.when === when);
  const wanted = commands.map(paletteTitle).sort();
  return sameTexts(shown.map(({ command }) => titles.get(command) ?? '').sort(), wanted);
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
  // eslint-disable-next-line no-control-regex -- control characters are what is to be taken out
  return text.replace(/[\s\u0000-\u001f\u007f]+/g, ' ').trim();
}

function sameTexts(left: readonly string[], right: readonly string[]): boolean {
  return left.length === right.length && left.every((text, index) => text === right[index]);
}
