import { listedFacts } from '../facts/listed-facts.ts'
import { fieldsIfAny } from '../fields.ts'
import { mostPages } from '../listing.ts'
import type { AskedServer, ListedModel, Listing } from '../model-api.ts'
import { isSent } from '../signers/index.ts'

/**
 * Adds facts to a list of Google's models. Google's list in OpenAI's form has only names; Google's own list has facts about the same models. Lists
 * of other servers are returned unchanged.
 */
export async function withGoogles(listing: Listing, server: AskedServer): Promise<Listing> {
  if (!/\/v1(?:alpha|beta)?\/openai$/.test(server.address) || !isSent(server.apiKey)) return listing
  if (listing.kind !== 'listed' && listing.kind !== 'unsure') return listing
  const found = await googlesOwn(server, server.apiKey)
  const facts = new Map(found.map((model) => [model.id, model.facts]))
  if (listing.kind !== 'listed') return found.length > 0 ? { kind: 'listed', models: found } : listing
  const plain = (id: string) => id.replace(/^models\//, '')
  return {
    kind: 'listed',
    models: listing.models.map(({ id, facts: own }) => ({ id, facts: { ...facts.get(plain(id)), ...own } })),
  }
}

/** Reads Google's own list. Stops at the first page that cannot be read. */
async function googlesOwn({ address, ask }: AskedServer, apiKey: string): Promise<ListedModel[]> {
  const base = `${address.replace(/\/openai$/, '')}/models?pageSize=1000`
  const found: ListedModel[] = []
  let token = ''
  for (let page = 1; page <= mostPages; page++) {
    const url = token === '' ? base : `${base}&pageToken=${encodeURIComponent(token)}`
    const answer = await ask(url, { headers: { 'x-goog-api-key': apiKey }, hasKey: false })
    if ('kind' in answer) break
    const { models = [], nextPageToken } = fieldsIfAny(answer.body) ?? {}
    if (!Array.isArray(models)) break
    found.push(...models.flatMap(googlesIn))
    if (typeof nextPageToken !== 'string' || nextPageToken === '' || nextPageToken === token) break
    token = nextPageToken
  }
  return found
}

/** Reads one entry. Google also lists models that make pictures or embeddings; these are left out. */
function googlesIn(entry: unknown): ListedModel[] {
  const { name, supportedGenerationMethods: methods } = fieldsIfAny(entry) ?? {}
  if (typeof name !== 'string' || (Array.isArray(methods) && !methods.includes('generateContent'))) return []
  return [{ id: name.replace(/^models\//, ''), facts: listedFacts(entry) }]
}
