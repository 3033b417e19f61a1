import type { AgentBinding, AgentBody } from 'protocol'

/** The units of a budget, each a field of the form under `day` and under `run`: `day tokens`. */
export const units = ['tokens', 'usd', 'calls', 'minutes'] as const

const words = (text: string) => text.split(/[\s,]+/).filter(Boolean)

/**
 * Reads an agent from its form. A field that was left empty is absent in the body.
 * @param before the agent as it is saved
 * @param isMain the ceiling, the memory and the tools of the main agent are not in the form
 * @returns `problem` where the bindings are not JSON
 */
export function agentBodyOf(
  form: FormData,
  before: AgentBody,
  isMain: boolean,
): { body: AgentBody } | { problem: string } {
  const read = (name: string) => String(form.get(name) ?? '').trim()
  const text = (name: string) => (read(name) === '' ? {} : { [name]: read(name) })
  const number = (name: string) => (read(name) === '' ? {} : { [name]: Number(read(name)) })
  /** Keeps an empty list, because an absent list allows everything. */
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
    ...(!isMain && { ceiling: read('ceiling'), memory: read('memory') }),
    ...(Object.keys(tools).length > 0 && { tools }),
    ...list('skills', before.skills),
    ...(Object.keys(budget).length > 0 && { budget }),
    ...(bindings.length > 0 && { bindings }),
  } as AgentBody
  return { body }
}
