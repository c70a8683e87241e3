export const ROOT: string;
export const ARTIFACTS: string;
export const OUT: string;
export const DIST: string;
export function cacheFolder(): string;
