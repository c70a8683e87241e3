import { DisposableStore } from '../../base/disposable';
import type { Conversations } from '../../chat/window/conversations';
import type { ChatView } from '../chat/chat-view';
import type { QuestionCards } from '../questions/question-view';

/** A card is seen while the side bar or an editor tab is visible and shows the conversation in which the question is. */
export function cardsIn(view: ChatView, conversations: Conversations): QuestionCards {
  return {
    isSeen: ({ conversationId: id }) =>
      (view.isVisible && conversations.shown.id === id) || conversations.editorTabOf(id) === 'visible',
    onDidChange: listener => {
      const subscriptions = new DisposableStore();
      subscriptions.add(view.onDidChangeVisibility(listener));
      subscriptions.add(conversations.onDidChange(listener));
      return subscriptions;
    },
  };
}
