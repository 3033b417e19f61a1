import { pagesOf } from '../listing.ts'
import { bearer, type ModelApi } from '../model-api.ts'
import { anthropicModel } from './model.ts'

/** Anthropic's Messages API. */
export const anthropicApi: ModelApi = {
  address: 'https://api.anthropic.com',
  model: anthropicModel,
  keyHeaders: (apiKey, host) => ({
    'x-api-key': apiKey,
    'anthropic-version': '2023-06-01',
    // Other services with this API, for example Bedrock, accept a bearer token.
    ...(host !== 'api.anthropic.com' && bearer(apiKey)),
  }),
  list: (server) => pagesOf(server, `${server.address}/v1/models?limit=1000`, 'after_id'),
  // Aliases are missing from Anthropic's list but can be looked up by name.
  find: ({ address, ask }, model) => ask(`${address}/v1/models/${encodeURIComponent(model)}`),
}
