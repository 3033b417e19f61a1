import { type Model, ModelError } from '../agent/model.ts'
import { learnedInMemory } from './learned.ts'
import type { ModelOptions, ModelServer } from './model-api.ts'
import { modelApis } from './model-apis.ts'
import { withoutTags } from './without-tags.ts'

type Served = ModelServer & Omit<ModelOptions, 'name'>

/** A model of a server. Reasoning that the server puts into tags becomes thinking. */
export function servedModel({ provider, kind, learned = learnedInMemory(), unfilled, ...options }: Served): Model {
  if (unfilled !== undefined) return unfilledModel(`${provider}/${options.model}`, unfilled)
  return withoutTags(modelApis[kind].model({ ...options, name: provider, learned }), learned)
}

/** A model whose key is not complete, so nothing is sent to its server. */
const unfilledModel = (id: string, why: string): Model => ({
  id,
  generate: () => Promise.reject(new ModelError('model_auth', why, { isRetryable: false })),
})
