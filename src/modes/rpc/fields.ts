import type { ImageContent } from '@mariozechner/pi-ai';
import { isRecord } from '../../base/json/is-record';

/** A received command; members other than `type` are not validated. The answer has the same `id`, whatever it is. */
export interface RpcCommand {
  readonly type: string;
  readonly id?: unknown;
  readonly [member: string]: unknown;
}

/** Parses one line. Throws an error with a message for the sender. */
export function readCommand(line: string): RpcCommand {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch (error) {
    throw new Error(`Failed to parse command: ${error instanceof Error ? error.message : String(error)}`, {
      cause: error,
    });
  }
  if (!isRecord(value)) throw new Error('Failed to parse command: it is not a JSON object');
  const { type = 'undefined' } = value;
  return { ...value, type: typeof type === 'string' ? type : JSON.stringify(type) };
}

/** A member that must be a text. Throws an error that names the member. */
export function textField(command: RpcCommand, name: string): string {
  const value = command[name];
  if (typeof value !== 'string') throw new Error(`${command.type}: "${name}" must be a string`);
  return value;
}

/** A text member; undefined when it is missing or null. */
export function optionalTextField(command: RpcCommand, name: string): string | undefined {
  return command[name] === undefined || command[name] === null ? undefined : textField(command, name);
}

export function flagField(command: RpcCommand, name: string): boolean {
  const value = command[name];
  if (typeof value !== 'boolean') throw new Error(`${command.type}: "${name}" must be true or false`);
  return value;
}

/** A boolean member; false when it is missing or null. */
export function optionalFlag(command: RpcCommand, name: string): boolean {
  return command[name] === undefined || command[name] === null ? false : flagField(command, name);
}

export function oneOfField<T extends string>(command: RpcCommand, name: string, allowed: readonly T[]): T {
  const value = textField(command, name);
  const found = allowed.find(candidate => candidate === value);
  if (found === undefined) throw new Error(`${command.type}: "${name}" must be one of ${allowed.join(', ')}`);
  return found;
}

/** The images of a prompt; none when the member is missing. */
export function imagesField(command: RpcCommand): readonly ImageContent[] {
  const { images: given } = command;
  if (given === undefined || given === null) return [];
  if (!Array.isArray(given) || !given.every(isImage)) {
    throw new Error(`${command.type}: "images" must be a list of {type: "image", data, mimeType}`);
  }
  return given;
}

function isImage(value: unknown): value is ImageContent {
  if (!isRecord(value)) return false;
  const { type, data, mimeType } = value;
  return type === 'image' && typeof data === 'string' && typeof mimeType === 'string';
}
