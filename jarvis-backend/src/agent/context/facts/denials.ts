import { callLine, type FactMaker, oneLine } from './fact-maker.ts'

/** Makes facts about calls that an operator denied. A fact is dropped when the same call runs later. */
export const denialFacts: FactMaker = {
  kinds: ['denied'],
  make(before, entries) {
    let facts = [...before]
    const asked = new Map<string, string>()
    for (const entry of entries) {
      if (entry.type === 'confirm_needed') asked.set(entry.toolUseId, callLine(entry.toolName, entry.toolInput))
      else if (entry.type === 'confirm_resolved' && entry.decision === 'denied' && entry.replacedBy === undefined) {
        const id = entry.callId ?? entry.toolUseId
        const of = asked.get(entry.toolUseId)
        if (of === undefined) continue
        facts = facts.filter((fact) => fact.of !== of)
        const by = entry.speaker ?? entry.by
        const text = entry.note === undefined ? `by ${by}` : `by ${by}: “${oneLine(entry.note, 240)}”`
        facts.push({ kind: 'denied', id, of, text, at: entry.at })
      } else if (entry.type === 'tool_use' && entry.tier === 'red') {
        const of = callLine(entry.toolName, entry.toolInput)
        facts = facts.filter((fact) => fact.of !== of)
      }
    }
    return facts
  },
}
