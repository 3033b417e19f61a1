import type { ToolSpec } from './model.ts'

/** Matches the name of a tool that is told in a description. */
const toolName = /\b[a-z]+(?:_[a-z0-9]+)+\b/g

/**
 * Returns tools whose descriptions name no tool that is not among them, so that a model with few tools is not led to others. Sentences about such tools are left
 * out; a description keeps its first sentence.
 * @param known the names of all tools
 */
export function withOwnNames(offered: readonly ToolSpec[], known: ReadonlySet<string>): readonly ToolSpec[] {
  const own = new Set(offered.map(({ name }) => name))
  const leadsAway = (text: string) => (text.match(toolName) ?? []).some((name) => known.has(name) && !own.has(name))
  if (!offered.some(({ description }) => leadsAway(description))) return offered
  return offered.map((spec) => {
    if (!leadsAway(spec.description)) return spec
    const sentences = spec.description.split(/(?<=[.!?])\s+/)
    const description = sentences.filter((sentence, at) => at === 0 || !leadsAway(sentence)).join(' ')
    return { ...spec, description }
  })
}
