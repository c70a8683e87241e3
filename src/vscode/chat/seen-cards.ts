import { DisposableStore } from '../../base/disposable';
import type { Conversations } from '../../chat/window/conversations';
import type { ChatView } from './chat-view';
import type { QuestionCards } from '../questions/question-view';

/** Whether the side bar or an editor tab is visible and shows a conversation. */
export function isSeenIn({ isVisible }: ChatView, conversations: Conversations, id: string): boolean {
  return (isVisible && conversations.shown.id === id) || conversations.editorTabOf(id) === 'visible';
}

/** A card is seen while the conversation in which the question is can be seen. */
export function cardsIn(view: ChatView, conversations: Conversations): QuestionCards {
  return {
    isSeen: ({ conversationId }) => isSeenIn(view, conversations, conversationId),
    onDidChange: listener => {
      const subscriptions = new DisposableStore();
      subscriptions.add(view.onDidChangeVisibility(listener));
      subscriptions.add(conversations.onDidChange(listener));
      return subscriptions;
    },
  };
}
