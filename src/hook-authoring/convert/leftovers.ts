import { isOlderThanExtensions } from '../../hooks/dialects';
import { takenBy, type Role, type Roles, type WrittenCall } from '../syntax/roles';
import {
  arrayOf,
  isFunction,
  propertyName,
  propertyNamed,
  memberName,
  nameOf,
  nodeAt,
  stringOf,
  unwrapped,
  type SyntaxNode,
} from '../syntax/syntax-node';
import { moduleLoadedBy } from '../syntax/loaded-module';
import { KEY_OF_HELPER } from '../../hooks/load/modules/legacy/legacy-key-names';
import { inputChanges } from '../syntax/input-changes';
import type { SyntaxTree } from '../syntax/syntax-tree';
import type { Dialect } from '../../hooks/dialects/dialect';
import { EVENT_NAMES, isOnlyOf } from '../../hooks/events/event-table';
import { takesContext } from './passes/commands';
import { GAVE_NULL } from './passes/null-to-undefined';
import { answersIn } from './passes/results';
import { replacementOf } from './replaced-events';

/** A place in converted code that gets a remark. */
export interface Leftover {
  readonly node: SyntaxNode;
  readonly message: string;
  /** `look`: the code was not converted, or now does something else. `note`: it works in Hookline, but not in pi. */
  readonly severity: 'look' | 'note';
}

/** Members of `ctx` that have no equivalent now, or only one that cannot be reached from that place. */
const CTX: Readonly<Record<string, string>> = {
  saveEntry:
    'Custom entry types have no counterpart: pi.appendEntry stores { customType, data }, which old sessions do not have.',
  rebuildContext: 'A hook can no longer rebuild the context; it is built for each request.',
  entries: 'ctx.entries counts the header and raw entries; ctx.sessionManager.getBranch() has neither.',
  exec: 'exec is a method of pi now, which is not in scope here: pass pi to this function.',
  setModel: 'setModel is a method of pi now, which is not in scope here: pass pi to this function.',
  setThinkingLevel: 'setThinkingLevel is a method of pi now, which is not in scope here: pass pi to this function.',
  thinkingLevel: 'pi.getThinkingLevel() returns it now, and pi is not in scope here: pass pi to this function.',
  args: 'The typed text is the first argument of a command handler now, which is not in scope here: pass it to this function.',
  argsRaw:
    'The typed text is the first argument of a command handler now, which is not in scope here: pass it to this function.',
  argv: 'The typed text is the first argument of a command handler now, which is not in scope here: pass it to this function.',
};
const PI: Readonly<Record<string, string>> = {
  send: 'pi.send with attachments has no counterpart: pi.sendUserMessage takes text and images.',
  command:
    'This command is registered in a way that could not be rewritten: use pi.registerCommand, whose handler gets (args, ctx).',
  logger: 'pi.logger no longer exists: use console or ctx.ui.notify.',
};
/** Events of older dialects and forks. */
const EVENTS: Readonly<Record<string, readonly [Leftover['severity'], string]>> = {
  session: [
    'look',
    'The conversion could not find out what this handler does at each step of a session. There is one event per step now, from session_start to session_shutdown.',
  ],
  branch: [
    'look',
    'The event "branch" no longer exists: use session_before_fork, which names the entry in event.entryId.',
  ],
  session_before_new: ['look', 'A new session is now session_before_switch with the reason "new".'],
  session_new: ['look', 'A new session is now session_start with the reason "new".'],
  session_switch: ['look', 'A switch is now session_start with the reason "new" or "resume".'],
  session_branch: ['look', 'A branch is now session_start with the reason "fork".'],
  session_fork: ['look', 'A fork is now session_start with the reason "fork".'],
  ...Object.fromEntries(
    [...EVENT_NAMES]
      .filter(name => isOnlyOf(name, 'omp'))
      .map(name => [
        name,
        ['note', `Only oh-my-pi has the event "${name}". Hookline still sends it, but pi does not.`] as const,
      ]),
  ),
};
/** Members that events no longer have. */
const EVENT_MEMBERS: Readonly<Record<string, string>> = {
  entries: 'event.entries counts the header: ctx.sessionManager.getBranch() does not.',
  targetTurnIndex: 'event.entryId names the entry, not an index.',
  entryIndex: 'event.entryId names the entry, not an index.',
  cutPoint: 'event.preparation.firstKeptEntryId names the first kept entry, not an index.',
  resolveApiKey:
    'ctx.modelRegistry.getApiKeyForProvider returns the key now; ctx is not in scope here: pass it to this function.',
};
/** Members of the older events that `session_start` replaces. */
const START_MEMBERS: Readonly<Record<string, string>> = {
  ...EVENT_MEMBERS,
  entryId: 'session_start does not name the entry of a fork: store event.entryId of session_before_fork.',
};
const COMPACT_MEMBERS = new Set(['cutPoint', 'boundaryStart']);
const GONE_TYPES = /^(?:ContextMessage|V2Entry|SessionEvent|Session\w+Reason|CompactionEntryV1)$/;

/** Finds the places that the conversion could not rewrite, in the order of the source. */
export function leftoversIn(roles: Roles, dialect: Dialect): readonly Leftover[] {
  const { tree } = roles;
  const found = [
    ...tree.nodes.flatMap(node => ofNode(roles, dialect, node)),
    ...roles.calls.flatMap(call => [...ofCall(tree, dialect, call), ...ofCommand(roles, dialect, call)]),
    ...keptContexts(roles),
    ...[...roles.patterns].flatMap(([pattern, role]) => {
      return [...takenBy(pattern)].flatMap(([name, property]) => {
        const isDialog = role.type === 'ui' && dialect.none === null && GAVE_NULL.test(name);
        const message = isDialog
          ? `A canceled ${name} now gives undefined, not null.`
          : messageFor(role, name, dialect);
        return look(property, message);
      });
    }),
  ];
  return found.sort((a, b) => a.node.start - b.node.start);
}

function look(node: SyntaxNode, message: string | undefined): readonly Leftover[] {
  return message === undefined ? [] : [{ node, message, severity: 'look' }];
}

/** Names of key helpers that are taken out of pi-tui by `const { isEnter } = require('…')` or `await import('…')`. */
function takenKeyHelpers(tree: SyntaxTree, pattern: SyntaxNode): readonly Leftover[] {
  const init = unwrapped(nodeAt(tree.parent(pattern), 'init'));
  const loading = init?.type === 'AwaitExpression' ? unwrapped(nodeAt(init, 'argument')) : init;
  if (!/^@[\w-]+\/pi-tui$/.test(stringOf(moduleLoadedBy(loading)) ?? '')) return [];
  return arrayOf(pattern, 'properties').flatMap(property => {
    const name = propertyName(property) ?? '';
    const key = KEY_OF_HELPER[name];
    return look(property, key && `pi-tui has no ${name} now: use matchesKey(data, '${key}').`);
  });
}

function ofNode(roles: Roles, dialect: Dialect, node: SyntaxNode): readonly Leftover[] {
  const { tree } = roles;
  const member = memberName(node);
  const object = nodeAt(node, 'object');
  if (member !== undefined && object !== undefined) {
    const role = roles.of(object);
    if (role !== undefined) return look(node, messageFor(role, member, dialect));
    if (memberName(object) === 'preparation' && COMPACT_MEMBERS.has(member)) {
      return look(node, `preparation.${member} no longer exists: use firstKeptEntryId and isSplitTurn.`);
    }
    return [];
  }
  if (node.type === 'ImportSpecifier' && GONE_TYPES.test(nameOf(nodeAt(node, 'imported')))) {
    return look(node, `There is no type ${nameOf(nodeAt(node, 'imported'))} in the newest dialect.`);
  }
  if (node.type === 'ObjectPattern') return takenKeyHelpers(tree, node);
  const from = stringOf(node.type === 'ImportDeclaration' ? nodeAt(node, 'source') : moduleLoadedBy(node)) ?? '';
  if (/^@oh-my-pi\//.test(from)) return look(node, `${from} has no counterpart in pi.`);
  return [];
}

/** The remark about a member of an object from the runtime; undefined when there is nothing to say. */
function messageFor(role: Role, member: string, dialect: Dialect): string | undefined {
  const messages = messagesFor(role, dialect);
  return Object.hasOwn(messages, member) ? messages[member] : undefined;
}

function messagesFor(role: Role, dialect: Dialect): Readonly<Record<string, string | undefined>> {
  switch (role.type) {
    case 'pi':
      return PI;
    case 'ctx':
      return CTX;
    case 'ui':
      return {};
    case 'event':
      return membersOf(role.names, dialect);
  }
}

function membersOf(names: readonly string[], dialect: Dialect): Readonly<Record<string, string | undefined>> {
  if (names.includes('context')) {
    const entries = 'The context event has no entries and no indexes, only messages.';
    return dialect.contextForm === 'wrapped' ? { entries, entryIndex: entries } : {};
  }
  if (names.includes('tool_result')) return { result: 'event.result no longer exists: the text is in event.content.' };
  if (names.includes('session_start')) return START_MEMBERS;
  return names.some(name => name.startsWith('session')) && !names.includes('session') ? EVENT_MEMBERS : {};
}

function ofCall(
  tree: SyntaxTree,
  dialect: Dialect,
  { method, names, nameNode, call, handler }: WrittenCall,
): readonly Leftover[] {
  if (method === 'sendMessage') return ofSendMessage(tree, call);
  if (method !== 'on') return [];
  const events = names.flatMap((name): readonly Leftover[] => {
    const known = EVENTS[name];
    return known === undefined ? [] : [{ node: nameNode ?? call, severity: known[0], message: known[1] }];
  });
  if (events.some(({ severity }) => severity === 'look')) return events;
  if (names.length > 1 && names.some(name => replacementOf(name, false) !== undefined)) {
    return look(call, 'Some of these events occur more often now: check event.reason or event.messageType.');
  }
  if (handler === undefined) {
    const unread = arrayOf(call, 'arguments').length > 1 && isOlderThanExtensions(dialect.id);
    const message = 'This handler is not written in this file, so what it does was not converted.';
    return [...events, ...(unread ? look(call, message) : [])];
  }
  if (names.includes('tool_call') && !dialect.sharesToolInput) return [...events, ...changedInput(tree, handler)];
  if (names.includes('tool_result') && !dialect.changesFailures) return [...events, ...flippedFailure(tree, handler)];
  if (names.includes('turn_end')) return [...events, ...proposedEntries(tree, handler)];
  if (names.includes('context') && dialect.contextForm === 'wrapped') {
    return [...events, ...wrappedMessages(tree, handler)];
  }
  return events;
}

/** A command whose handler still has the context as its only parameter, or returns a status. */
function ofCommand(roles: Roles, dialect: Dialect, { method, call, handler }: WrittenCall): readonly Leftover[] {
  if (method !== 'registerCommand') return [];
  if (dialect.id === 'v2' && handler !== undefined) return returnedStatus(roles, handler);
  const [only, ...more] = arrayOf(handler, 'params');
  const isOld = only !== undefined && more.length === 0;
  if (!isOld || !takesContext({ roles, dialect }, only)) return [];
  return look(call, 'The handler of a command gets (args, ctx) now, but this one takes only the context.');
}

/** Answers of a command that may have a status, which was shown. What a method of the runtime returns has none. */
function returnedStatus(roles: Roles, handler: SyntaxNode): readonly Leftover[] {
  return answersIn(roles.tree, handler).flatMap(answer => {
    const value = unwrapped(answer.type === 'AwaitExpression' ? nodeAt(answer, 'argument') : answer);
    const isOfRuntime = roles.of(nodeAt(nodeAt(value, 'callee'), 'object')) !== undefined;
    return isOfRuntime ? [] : look(answer, 'A returned status is not shown now: use ctx.ui.notify(status).');
  });
}

function ofSendMessage(tree: SyntaxTree, call: SyntaxNode): readonly Leftover[] {
  const [, second] = arrayOf(call, 'arguments');
  const kind = unwrapped(second)?.type;
  if (second === undefined || kind === 'ObjectExpression') return [];
  return look(
    call,
    `{ triggerTurn } says now whether to start a run: ${tree.source(second)} may be a boolean or that object.`,
  );
}

/** Changes of the input, which had no effect in omp, but change the call in ext (docs/dialects.md, C24). */
function changedInput(tree: SyntaxTree, handler: SyntaxNode): readonly Leftover[] {
  const message = 'Changing event.input did nothing in oh-my-pi. From now on it changes the call.';
  return inputChanges(tree, handler).flatMap(node => look(node, message));
}

function flippedFailure(tree: SyntaxTree, handler: SyntaxNode): readonly Leftover[] {
  return answersIn(tree, handler).flatMap(answer =>
    tree.within(answer).flatMap(node => {
      if (node.type !== 'ObjectProperty' || tree.functionAround(node) !== handler) return [];
      if (propertyName(node) === 'isError') {
        return look(node, 'A returned isError was ignored. From now on it turns a success into a failure.');
      }
      return propertyName(node) === 'result' ? look(node, 'Return { content } instead of { result }.') : [];
    }),
  );
}

/** Answers to `turn_end` that had no effect in older dialects, but have one now (docs/dialects.md, P10). */
function proposedEntries(tree: SyntaxTree, handler: SyntaxNode): readonly Leftover[] {
  return answersIn(tree, handler).flatMap(answer => {
    const named = ['entries', 'continue'].some(name => propertyNamed(unwrapped(answer), name) !== undefined);
    return look(answer, named ? 'From now on, what turn_end returns adds entries and requests.' : undefined);
  });
}

/** Functions that call their callback after the handler that passed it has ended. */
const CALLS_LATER = /^(?:setInterval|watch|watchFile|createServer|addListener|addEventListener)$/;

/** Places that use a `ctx` after the event that it belongs to (docs/dialects.md, P7). */
function keptContexts(roles: Roles): readonly Leftover[] {
  const { tree } = roles;
  const message = 'This ctx throws once another session is open: use the one that each handler gets.';
  return tree.nodes.flatMap(node => {
    if (node.type === 'AssignmentExpression' && roles.of(nodeAt(node, 'right'))?.type === 'ctx') {
      const target = nodeAt(node, 'left');
      const binding = target === undefined ? undefined : tree.resolve(target);
      const isOwn = binding !== undefined && tree.functionAround(binding.id) === tree.functionAround(node);
      return isOwn ? [] : look(node, message);
    }
    if (node.type !== 'CallExpression') return [];
    const callee = nodeAt(node, 'callee');
    if (!CALLS_LATER.test(memberName(callee) ?? nameOf(callee))) return [];
    const given = arrayOf(node, 'arguments').filter(isFunction);
    return given.flatMap(inner => {
      const use = tree.within(inner).find(each => each.type === 'Identifier' && isFromOutside(each, inner));
      return use === undefined ? [] : look(use, message);
    });
  });

  function isFromOutside(use: SyntaxNode, inner: SyntaxNode): boolean {
    const binding = tree.resolve(use);
    const isInside = binding !== undefined && binding.id.start >= inner.start && binding.id.end <= inner.end;
    return binding !== undefined && !isInside && roles.of(use)?.type === 'ctx';
  }
}

/** Messages in V2's form that could not be converted. */
function wrappedMessages(tree: SyntaxTree, handler: SyntaxNode): readonly Leftover[] {
  const reads = tree
    .within(handler)
    .find(node => memberName(node) === 'messages' && nodeAt(node, 'object')?.type === 'Identifier');
  const isConverted = reads !== undefined && tree.text.slice(reads.end).startsWith('.map((message): ContextMessage =>');
  if (reads === undefined || isConverted) return [];
  return look(reads, 'The context event has plain messages now, not { message, entryIndex }.');
}
