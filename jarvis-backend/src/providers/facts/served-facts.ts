import type { ModelFacts } from 'protocol'
import { askedServer } from '../ask-server.ts'
import { type Fields, fieldsIfAny } from '../fields.ts'
import { isSame } from '../listing.ts'
import type { AskedServer, ModelServer } from '../model-api.ts'
import { modelApis } from '../model-apis.ts'
import { isCloud } from '../places.ts'
import { listedFacts, llamaFacts, ollamaFacts } from './listed-facts.ts'

type Server = Omit<ModelServer, 'provider'> & { model: string }

/**
 * Reads the facts of one model from its server's list, and from the special addresses of Ollama, LM Studio and llama.cpp. Costs nothing.
 * @returns undefined if the server does not answer
 * @throws only the signal's reason
 */
export async function servedFacts(server: Server, signal: AbortSignal): Promise<ModelFacts | undefined> {
  const asked = askedServer(server, signal)
  const [listing, own] = await Promise.all([modelApis[server.kind].list(asked), ownFacts(server, asked)])
  if (listing.kind !== 'listed') return own
  const listed = listing.models.find(({ id }) => isSame(id, server.model))?.facts
  return { ...listed, ...own }
}

async function ownFacts({ kind, baseUrl, model }: Server, { ask }: AskedServer): Promise<ModelFacts | undefined> {
  if (modelApis[kind].isOfLocalServers !== true || baseUrl === undefined || isCloud({ kind, baseUrl })) return undefined
  const at = async (path: string, body?: object): Promise<Fields | undefined> => {
    const answer = await ask(new URL(path, baseUrl).href, { body })
    return 'kind' in answer ? undefined : fieldsIfAny(answer.body)
  }
  const [loaded, studio, props] = await Promise.all([at('/api/ps'), at('/api/v0/models'), at('/props')])
  // Only Ollama answers `/api/ps` with a list `models`. So only Ollama gets the POST to `/api/show`; other servers get only GET requests.
  if (Array.isArray(loaded?.models)) {
    const now = loaded.models.map((one) => fieldsIfAny(one) ?? {})
    const found = now.find(({ name, model: id }) => [name, id].some((one) => isSame(String(one), model)))
    const length = found?.context_length
    const shown = await at('/api/show', { model })
    return ollamaFacts(shown ?? {}, typeof length === 'number' && length > 0 ? length : undefined)
  }
  const entries: unknown[] = Array.isArray(studio?.data) ? studio.data : []
  const entry = entries.map(fieldsIfAny).find((one) => one !== undefined && isSame(String(one.id), model))
  if (entry?.type !== undefined) return listedFacts(entry)
  return props?.default_generation_settings === undefined ? undefined : llamaFacts(props)
}
