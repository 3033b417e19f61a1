import { listedFacts } from './facts/listed-facts.ts'
import { fieldsIfAny } from './fields.ts'
import type { AskedServer, ListedModel, Listing } from './model-api.ts'

/** Maximum number of pages of a list that are read. OpenRouter has several hundred models on one page. */
export const mostPages = 20

/**
 * Reads a list of models page by page, in the form of Anthropic and OpenAI: if `has_more` is true, another page follows after the last id.
 * @param first the URL of the first page
 * @param after the query parameter that takes the last id
 */
export async function pagesOf({ ask }: AskedServer, first: string, after: string): Promise<Listing> {
  const models: ListedModel[] = []
  let url = first
  for (let page = 1; page <= mostPages; page++) {
    const answer = await ask(url)
    if ('kind' in answer) return page === 1 ? answer : { kind: 'listed', models }
    const body = fieldsIfAny(answer.body) ?? {}
    const list = body.data ?? (Array.isArray(answer.body) ? answer.body : body.models)
    if (!Array.isArray(list)) return { kind: 'unsure', why: `it lists no models (${answer.status})` }
    models.push(...list.flatMap(modelIn))
    const last = typeof body.last_id === 'string' ? body.last_id : models.at(-1)?.id
    const next = new URL(first)
    next.searchParams.set(after, last ?? '')
    if (body.has_more !== true || last === undefined || next.href === url) break
    url = next.href
  }
  return { kind: 'listed', models: [...new Map(models.map((model) => [model.id, model])).values()] }
}

function modelIn(entry: unknown): ListedModel[] {
  const { id, model_name: byProxy, name, model } = fieldsIfAny(entry) ?? {}
  const found = [id, byProxy, name, model].find((one) => typeof one === 'string' && one !== '')
  return typeof found === 'string' ? [{ id: found, facts: listedFacts(entry) }] : []
}

/** True if a listed name is the configured model. Ollama accepts names without the tag `:latest`, and Gemini accepts them without `models/`. */
export const isSame = (listed: string, model: string): boolean =>
  [model, `${model}:latest`, `models/${model}`].includes(listed)
