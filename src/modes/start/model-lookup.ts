import type { HasKey, Models } from '../../agent/models/choice/model-names';
import {
  findRequestedModel,
  ModelRequestError,
  type FoundModel,
  type ModelRequest,
} from '../../agent/models/choice/model-request';
import { UsageError } from '../arguments/usage-error';

export type { FoundModel, ModelRequest } from '../../agent/models/choice/model-request';

/** Like {@link findRequestedModel}, but throws a {@link UsageError} when no model can be found. */
export function findModel(request: ModelRequest, models: Models, hasKey: HasKey): FoundModel | undefined {
  try {
    return findRequestedModel(request, models, hasKey);
  } catch (error) {
    throw error instanceof ModelRequestError ? new UsageError(error.message) : error;
  }
}
