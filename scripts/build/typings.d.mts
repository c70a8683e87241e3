export function buildTypings(options?: { readonly outdir?: string }): string;
