import type { Fact } from 'protocol'
import { callLine, type FactMaker, mayChange, oneLine } from './fact-maker.ts'

const longestOutcome = 200

/**
 * Makes facts about changes and their outcomes, and about calls whose outcome is not known. When such an outcome is found out, the fact becomes a
 * change.
 */
export const callFacts: FactMaker = {
  kinds: ['change', 'unknown'],
  make(before, entries) {
    const facts = new Map(before.map((fact) => [fact.id, fact]))
    const put = (fact: Fact) => {
      // Moves the fact to the end, because the newest outcome counts.
      facts.delete(fact.id)
      facts.set(fact.id, fact)
    }
    const changing = new Map<string, string>()
    for (const entry of entries) {
      const { at } = entry
      if (entry.type === 'tool_use' && mayChange(entry))
        changing.set(entry.toolUseId, callLine(entry.toolName, entry.toolInput))
      else if (entry.type === 'tool_result') {
        const { toolUseId: id } = entry
        const of = changing.get(id)
        if (of === undefined || entry.isRehearsal) continue
        const text = oneLine(entry.summary, longestOutcome)
        put({
          kind: entry.isUnknown ? 'unknown' : 'change',
          id,
          of,
          text: entry.isError ? `failed: ${text}` : text,
          at,
        })
      } else if (entry.type === 'reconciled') {
        const { toolUseId: id, toolName } = entry
        const of = facts.get(id)?.of ?? changing.get(id) ?? toolName
        const text = oneLine(entry.text, longestOutcome)
        put({ kind: 'change', id, of, text: entry.outcome === 'failed' ? `failed: ${text}` : text, at })
      }
    }
    return [...facts.values()]
  },
}
