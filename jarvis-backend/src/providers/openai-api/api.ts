import { pagesOf } from '../listing.ts'
import { bearer, type ModelApi } from '../model-api.ts'
import { withGoogles } from './googles-list.ts'

/** The parts that the Chat Completions API and the Responses API share. */
export const openAiApi: Omit<ModelApi, 'model'> = {
  address: 'https://api.openai.com/v1',
  keyHeaders: bearer,
  list: async (server) => withGoogles(await pagesOf(server, `${server.address}/models`, 'after'), server),
  usualPath: '/v1',
}
