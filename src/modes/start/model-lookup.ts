import type { HasKey, Models } from '../../agent/models/choice/model-names';
import {
  findRequestedModel,
  ModelRequestError,
  type FoundModel,
  type ModelRequest,
} from '../../agent/models/choice/model-request';
import { UsageError } from '../usage-error';

export type { FoundModel, ModelRequest } from '../../agent/models/choice/model-request';

/** As {@link findRequestedModel}. @throws {UsageError} where that throws */
export function findModel(request: ModelRequest, models: Models, hasKey: HasKey): FoundModel | undefined {
  try {
    return findRequestedModel(request, models, hasKey);
  } catch (error) {
    throw error instanceof ModelRequestError ? new UsageError(error.message) : error;
  }
}
