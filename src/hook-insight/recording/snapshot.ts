import { put, type Json } from '../../base/json/json';

/** A copy, with a mark if it was cut at its limit. */
export interface Snapshot {
  readonly value: Json;
  readonly capped: boolean;
}

/** Characters kept of one recorded value. */
export const RECORD_LIMIT = 64 * 1024;
const DEEPEST = 24;
/** Stands for a member that is computed on first reading, and was not read. */
export const UNREAD = '[not read by the hook]';

/**
 * Copies what a hook got or gave into plain data of at most about `limit` characters: the work is bounded by the limit,
 * not by the size of the value. Values without a JSON form are named in brackets; lazy members of the value that were
 * not read are not computed. Never throws.
 */
export function snapshot(value: unknown, limit = RECORD_LIMIT): Snapshot {
  const camera = new Camera(limit);
  return { value: camera.shoot(value, 0) ?? null, capped: camera.capped };
}

class Camera {
  capped = false;
  private readonly above = new Set<object>();

  constructor(private left: number) {}

  /** Undefined: leave the member out. */
  shoot(value: unknown, depth: number): Json | undefined {
    switch (typeof value) {
      case 'string':
        return this.text(value);
      case 'number':
        this.left -= 4;
        return Number.isFinite(value) ? value : String(value);
      case 'boolean':
        this.left -= 4;
        return value;
      case 'bigint':
        return this.text(`${value}n`);
      case 'function':
        return this.text(`[function ${value.name}]`);
      case 'symbol':
        return this.text(value.toString());
      case 'undefined':
        return undefined;
      case 'object':
        return value === null ? null : this.object(value, depth);
    }
  }

  private text(value: string): string {
    if (value.length <= this.left) {
      this.left -= value.length + 2;
      return value;
    }
    this.capped = true;
    const kept = Math.max(0, this.left);
    this.left = 0;
    return `${value.slice(0, kept)}… [${value.length - kept} more characters]`;
  }

  private object(value: object, depth: number): Json {
    if (this.above.has(value)) return '[circular]';
    if (depth > DEEPEST) {
      this.capped = true;
      return '[too deep]';
    }
    this.above.add(value);
    try {
      return this.known(value, depth) ?? this.members(value, depth);
    } catch {
      return '[cannot be read]'; // Proxies and getters of hooks may throw.
    } finally {
      this.above.delete(value);
    }
  }

  private known(value: object, depth: number): Json | undefined {
    if (Array.isArray(value)) return this.list(value, value.length, depth);
    if (value instanceof Set) return { '[Set]': this.list(value, value.size, depth) };
    if (value instanceof Map) return { '[Map]': this.list(value, value.size, depth) };
    if (value instanceof Date) return this.text(Number.isNaN(value.getTime()) ? 'Invalid Date' : value.toISOString());
    if (value instanceof RegExp) return this.text(String(value));
    if (value instanceof Error) return this.text(value.stack ?? `${value.name}: ${value.message}`);
    if (value instanceof Promise) return '[Promise]';
    if (value instanceof AbortSignal) return value.aborted ? '[AbortSignal, aborted]' : '[AbortSignal]';
    if (ArrayBuffer.isView(value) || value instanceof ArrayBuffer) return `[${value.byteLength} bytes]`;
    return undefined;
  }

  private list(values: Iterable<unknown>, length: number, depth: number): Json {
    const copies: Json[] = [];
    for (const value of values) {
      if (this.left <= 0) {
        this.capped = true;
        copies.push(`[${length - copies.length} more elements]`);
        break;
      }
      this.left -= 2;
      copies.push(this.shoot(value, depth + 1) ?? null);
    }
    return copies;
  }

  private members(value: object, depth: number): Json {
    const copy: Record<string, Json> = {};
    const names = Object.keys(value);
    for (const [place, name] of names.entries()) {
      if (this.left <= 0) {
        this.capped = true;
        copy['…'] = `[${names.length - place} more members]`;
        break;
      }
      this.left -= name.length + 4;
      const member = this.member(value, name, depth);
      if (member !== undefined) put(copy, name, member);
    }
    return copy;
  }

  private member(value: object, name: string, depth: number): Json | undefined {
    if (depth === 0 && Object.getOwnPropertyDescriptor(value, name)?.get !== undefined) return UNREAD;
    if (name === 'data' && 'mimeType' in value) return imageText(value);
    return this.shoot(Reflect.get(value, name), depth + 1);
  }
}

/** Images are sent as base64; their data is of no use in a record. */
function imageText(part: object): string {
  const data: unknown = Reflect.get(part, 'data');
  const bytes = typeof data === 'string' ? Math.round((data.length * 3) / 4) : 0;
  return `[${String(Reflect.get(part, 'mimeType'))}, ${bytes} bytes]`;
}
