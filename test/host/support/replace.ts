import * as vscode from 'vscode';

/** Puts another value in the place of a member until the returned function is called. */
export function replace<T extends object, K extends keyof T>(target: T, name: K, value: T[K]): () => void {
  const own = Object.getOwnPropertyDescriptor(target, name);
  Object.defineProperty(target, name, { value, configurable: true, writable: true, enumerable: true });
  return () => {
    if (own === undefined) Reflect.deleteProperty(target, name);
    else Object.defineProperty(target, name, own);
  };
}

/** Lets VS Code refuse to close tabs until the returned function is called. */
export function refuseToClose(): () => void {
  const close = () => Promise.reject(new Error('the tab stays'));
  const groups = Object.create(vscode.window.tabGroups, { close: { value: close } }) as vscode.TabGroups;
  return replace(vscode.window, 'tabGroups', groups);
}
