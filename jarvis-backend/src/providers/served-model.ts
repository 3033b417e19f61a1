import type { Effort, ModelKind } from 'protocol'
import type { Model } from '../agent/model.ts'
import { anthropicModel } from './anthropic/model.ts'
import { type Learned, learnedInMemory } from './learned.ts'
import { openAiCompatibleModel } from './openai-compatible/model.ts'
import { openAiResponsesModel } from './openai-responses/model.ts'
import { withoutTags } from './without-tags.ts'

/** A provider's server. `provider`: its name in ids. */
export type ModelServer = {
  provider: string
  kind: ModelKind
  apiKey?: string
  baseUrl?: string
  headers?: Readonly<Record<string, string>>
}
type Served = ModelServer & {
  model: string
  maxTokens?: number
  effort?: Effort
  idleTimeoutMs?: number
  learned?: Learned
  /** What the server says of the model's sight; absent or undefined: not known. */
  sees?: () => boolean | undefined
}

/** The longest answer of Claude where nothing is set, tokens. */
const usualClaude = 4_096

/** A model by the API that its server speaks. Reasoning in tags is reasoning. */
export const servedModel = (served: Served): Model => withoutTags(byKind(served), served.learned ?? learnedInMemory())

function byKind({ provider: name, kind, ...options }: Served): Model {
  switch (kind) {
    case 'anthropic':
      return anthropicModel({ name, maxTokens: usualClaude, ...options })
    case 'openai-responses':
      return openAiResponsesModel({ name, ...options })
    case 'openai-chat':
      return needsResponses(options)
        ? openAiResponsesModel({ name, ...options })
        : openAiCompatibleModel({ name, ...options })
    default:
      return kind satisfies never
  }
}

/** OpenAI's own models from gpt-5.4 on reason with tools over the Responses API alone. */
export const needsResponses = ({ baseUrl, model }: Pick<Served, 'baseUrl' | 'model'>): boolean =>
  (baseUrl === undefined || new URL(baseUrl).hostname === 'api.openai.com') &&
  /^gpt-(?:5\.(?:[4-9]|\d\d)|[6-9]|\d\d)/.test(model)
