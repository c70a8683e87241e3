export function writeUserSettings(serverDataDir: string, settings?: Readonly<Record<string, unknown>>): void;
