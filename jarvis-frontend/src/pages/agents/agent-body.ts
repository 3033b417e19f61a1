import type { AgentBinding, AgentBody } from 'protocol'

/** Units of a budget. The form has a field for each of them under `day` and under `run`, such as `day tokens`. */
export const units = ['tokens', 'usd', 'calls', 'minutes'] as const

const words = (text: string) => text.split(/[\s,]+/).filter(Boolean)

/**
 * Reads an agent from its form. A field that was left empty is missing in the body.
 * @param before the saved agent
 * @param isMain true: the form has no fields for ceiling, memory and tools, because the main agent has none
 * @returns `problem` if the bindings are not JSON
 */
export function agentBodyOf(
  form: FormData,
  before: AgentBody,
  isMain: boolean,
): { body: AgentBody } | { problem: string } {
  const read = (name: string) => String(form.get(name) ?? '').trim()
  const text = (name: string) => (read(name) === '' ? {} : { [name]: read(name) })
  const number = (name: string) => (read(name) === '' ? {} : { [name]: Number(read(name)) })
  /** An empty list must stay in the body, because a missing list allows everything. */
  const list = (name: string, saved: readonly string[] | undefined) => {
    const named = words(read(name))
    return named.length > 0 || saved?.length === 0 ? { [name]: named } : {}
  }
  const limits = (of: 'day' | 'run') =>
    Object.fromEntries(
      units.flatMap((unit) => (read(`${of} ${unit}`) === '' ? [] : [[unit, Number(read(`${of} ${unit}`))]])),
    )

  let bindings: AgentBinding[]
  try {
    bindings = JSON.parse(read('bindings') || '[]') as AgentBinding[]
  } catch {
    return { problem: 'Bindings: not JSON, as [{"door": "mcp", "token": "films"}].' }
  }
  const run = limits('run')
  const budget = { ...limits('day'), ...(Object.keys(run).length > 0 && { run }) }
  const tools = { ...list('allow', before.tools?.allow), ...list('deny', undefined) }
  const body = {
    ...text('name'),
    ...text('about'),
    ...text('model'),
    ...text('effort'),
    ...number('temperature'),
    ...number('maxTokens'),
    ...(!isMain && { ceiling: read('ceiling'), memory: read('memory') }),
    ...(Object.keys(tools).length > 0 && { tools }),
    ...list('skills', before.skills),
    ...(Object.keys(budget).length > 0 && { budget }),
    ...(bindings.length > 0 && { bindings }),
  } as AgentBody
  return { body }
}
