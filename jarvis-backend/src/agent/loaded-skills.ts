import type { EntryOf } from 'protocol'
import { callsIn } from 'protocol/settles'
import type { StoredEntry } from './sessions/transcript-store.ts'

/** The tool that loads skills. */
const loader = 'use_skill'

/**
 * True if a result is the text of a skill or of one of its files. Such a result is not shortened, and stays in the conversation until its turn is
 * folded.
 */
export function isSkillText({ result, data }: Pick<EntryOf<'tool_result'>, 'result' | 'data'>): boolean {
  const { skill, gave } = (data ?? {}) as { skill?: { name: string }; gave?: string }
  return (gave === 'body' || gave === 'file') && result.startsWith(`<skill name="${skill?.name}"`)
}

/** The name of the skill whose text is in a result. @param entry a result for which `isSkillText` holds */
export const skillOf = ({ data }: Pick<EntryOf<'tool_result'>, 'data'>): string =>
  (data as { skill: { name: string } }).skill.name

/** Hashes of the skills whose text is in these entries, by name: skills that a person named, and skills that the model loaded. */
export function loadedSkills(entries: readonly StoredEntry[]): Map<string, string> {
  const loaded = new Map<string, string>()
  const loads = new Set<string>()
  for (const entry of entries) {
    if (entry.type === 'skill') loaded.set(entry.name, entry.hash)
    else if (entry.type === 'assistant') {
      for (const { toolName, toolUseId } of callsIn(entry)) if (toolName === loader) loads.add(toolUseId)
    } else if (entry.type === 'tool_result' && !entry.isError && loads.has(entry.toolUseId)) {
      const { skill, gave } = (entry.data ?? {}) as { skill?: { name: string; hash: string }; gave?: string }
      if (skill !== undefined && gave === 'body') loaded.set(skill.name, skill.hash)
    }
  }
  return loaded
}
