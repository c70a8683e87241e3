'use strict';
const vscode = require('vscode');

const SHOWN = 'shown';

exports.activate = async context => {
  if (context.workspaceState.get(SHOWN)) return;
  const hookline = vscode.extensions.getExtension('hookline.hookline');
  const container = hookline?.packageJSON.contributes?.viewsContainers?.activitybar?.[0];
  if (container === undefined) return;
  await vscode.commands.executeCommand(`workbench.view.extension.${container.id}`);
  await context.workspaceState.update(SHOWN, true);
};
