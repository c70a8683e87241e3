import { basename, dirname, join } from 'node:path';
import type { AgentId } from '../protocol/agent-call';
import { ALL_SETUPS, setupOf } from './agents';
import type { AgentSetup, SwitchPlace } from './agents/agent-setup';

/** A part of an agent's configuration that keeps it from calling hooks. */
export interface SwitchOff extends SwitchPlace {
  readonly agent: AgentId;
  /** Path of the file, as it was given. */
  readonly file: string;
}

/** What in a file with this path and text turns the hooks of an agent off, wherever its folder is; empty for every other file. */
export function switchesOff(path: string, text: string): readonly SwitchOff[] {
  const [folder, name] = [basename(dirname(path)), basename(path)];
  const found = ALL_SETUPS.find(setup =>
    setup.folder.name === folder ? hasSwitches(setup, name) : setup.variables?.includes(name) === true,
  );
  return found === undefined ? [] : switchesOf(found.id, path, text);
}

/** Whether a file with this name, in a folder of the agent, can turn its hooks off. */
export function hasSwitches(setup: AgentSetup, name: string): boolean {
  return [...setup.settings, ...(setup.variables ?? [])].includes(name) || setup.isProfile?.(name) === true;
}

/** Where a project has the files in which switches of an agent always count, relative to it. */
export function switchFilesOfProject({ folder, settings, variables = [] }: AgentSetup): readonly string[] {
  return [...[...settings, ...variables].map(name => join(folder.name, name)), ...variables];
}

/** What in the text of a settings file of an agent turns its hooks off. */
export function switchesOf(agent: AgentId, file: string, text: string): readonly SwitchOff[] {
  try {
    return setupOf(agent)
      .switches(text)
      .map(place => ({ agent, file, ...place }));
  } catch {
    return []; // The agent cannot read it, either.
  }
}
