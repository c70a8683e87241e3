import type { HasKey, Models } from '../../agent/models/choice/model-names';
import { findModelMeant, ModelWishError, type FoundModel, type ModelWish } from '../../agent/models/choice/model-wish';
import { UsageError } from '../usage-error';

export type { FoundModel, ModelWish } from '../../agent/models/choice/model-wish';

/** As {@link findModelMeant}. @throws {UsageError} where that throws */
export function findModel(wish: ModelWish, models: Models, hasKey: HasKey): FoundModel | undefined {
  try {
    return findModelMeant(wish, models, hasKey);
  } catch (error) {
    throw error instanceof ModelWishError ? new UsageError(error.message) : error;
  }
}
