export interface TestPlace {
  readonly root: string;
  readonly home: string;
  readonly workspace: string;
  readonly serverDataDir: string;
  readonly extensionsDir: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  remove(): void;
}
export function makeTestPlace(options?: { workspace?: string | undefined; name?: string | undefined }): TestPlace;
export function withoutKeys(): Record<string, undefined>;
