import { randomBytes, timingSafeEqual } from 'node:crypto';

/** A secret that nobody can guess, as 64 hexadecimal digits. */
export function newSecret(): string {
  return randomBytes(32).toString('hex');
}

/** Compares in a time that does not depend on where the texts differ. */
export function isSameSecret(given: string, wanted: string): boolean {
  const [one, other] = [Buffer.from(given), Buffer.from(wanted)];
  return one.length === other.length && timingSafeEqual(one, other);
}
