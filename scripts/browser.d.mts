export interface FoundBrowser {
  readonly executablePath: string;
  readonly env: Record<string, string>;
  readonly args: string[];
  readonly origin: string;
}
export function findBrowser(options?: { npmOnly?: boolean }): Promise<FoundBrowser>;
