import type { Model } from '../agent/model.ts'
import { learnedInMemory } from './learned.ts'
import type { ModelOptions, ModelServer } from './model-api.ts'
import { modelApis } from './model-apis.ts'
import { withoutTags } from './without-tags.ts'

type Served = ModelServer & Omit<ModelOptions, 'name'>

/** A model of a server. Reasoning that the server puts into tags becomes thinking. */
export function servedModel({ provider, kind, learned = learnedInMemory(), ...options }: Served): Model {
  return withoutTags(modelApis[kind].model({ ...options, name: provider, learned }), learned)
}
