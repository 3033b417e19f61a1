import { askedServer } from './ask-server.ts'
import { isSame } from './listing.ts'
import type { ModelServer, NotListed } from './model-api.ts'
import { modelApis } from './model-apis.ts'

/** `served`: the server accepts the key and has the model. `unknown_model`: the server has no such model; `models` are the names that it lists. */
export type ModelAnswer = { kind: 'served' } | NotListed

/** Maximum number of models in the result. OpenRouter lists several hundred. */
const mostNamed = 1_000

/** Checks that a server accepts the key and has the model. Uses the server's list of models, which costs nothing. @throws only the signal's reason */
export async function askAboutModel(
  server: Omit<ModelServer, 'provider'> & { model: string },
  signal: AbortSignal,
): Promise<ModelAnswer> {
  const { kind, model } = server
  const api = modelApis[kind]
  const asked = askedServer(server, signal)
  if (api.find !== undefined && model !== '') {
    const found = await api.find(asked, model)
    if (!('kind' in found)) return { kind: 'served' }
    if (found.kind !== 'unknown_model') return found
  }
  const listing = await api.list(asked)
  if (listing.kind === 'unknown_model') return { kind: 'unsure', why: 'it lists no models (404)' }
  if (listing.kind !== 'listed') return listing
  const ids = listing.models.map(({ id }) => id)
  if (ids.some((id) => isSame(id, model))) return { kind: 'served' }
  if (model !== '' && isAzure(server))
    return { kind: 'unsure', why: 'it lists its models and not the deployments that are asked for by name' }
  return { kind: 'unknown_model', models: ids.slice(0, mostNamed) }
}

const isAzure = ({ baseUrl }: Pick<ModelServer, 'baseUrl'>): boolean =>
  baseUrl !== undefined &&
  /\.(?:openai\.azure|services\.ai\.azure|cognitiveservices\.azure)\.com$/.test(new URL(baseUrl).hostname)
