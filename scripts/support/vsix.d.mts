export function packVsix(options: { readonly folder: string; readonly vsix: string }): void;
