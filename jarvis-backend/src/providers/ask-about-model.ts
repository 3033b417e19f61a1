import { addressOf, askServer, isSame, type Listing, listServed } from './list-served.ts'
import type { ModelServer } from './served-model.ts'

/**
 * Whether a server knows the key and the model. `unsure`: it answers without telling. `models`: the ones it lists. `refused`: for a reason
 * that is not the key.
 */
export type ModelAnswer =
  | { kind: 'served' }
  | { kind: 'unknown_model'; models: string[] }
  | Exclude<Listing, { kind: 'listed' }>

/** Most models that are returned; OpenRouter lists several hundred. */
const mostNamed = 1_000

/** Reads the server's list of models, which costs nothing and asks no model. @throws only the signal's reason */
export async function askAboutModel(
  server: Omit<ModelServer, 'provider'> & { model: string },
  signal: AbortSignal,
): Promise<ModelAnswer> {
  const { kind, model } = server
  if (kind === 'anthropic' && model !== '') {
    // Aliases are missing from Anthropic's list but can be looked up by name.
    const found = await askServer(server, `${addressOf(server)}/v1/models/${encodeURIComponent(model)}`, signal)
    if (!('kind' in found)) return { kind: 'served' }
    if (found.kind !== 'unknown_model') return found
  }
  const listing = await listServed(server, signal)
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
