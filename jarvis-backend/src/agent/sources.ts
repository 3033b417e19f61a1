import type { ToolInput } from '../protocol/index.ts'
import type { StoredEntry } from './transcript-store.ts'

/** The texts of a conversation by where they came from. `asked`: the arguments of the call that a result answers. */
export type Sources = {
  results: { toolName: string; toolUseId: string; text: string; asked?: ToolInput }[]
  operatorTexts: string[]
}

/**
 * What tools and the cluster had brought into a conversation when the call `toolUseId` was made, in the order it came,
 * and what the operator had said in it.
 * @param source whose call it is: the model reads all but what MCP clients asked for, a client its own results alone.
 */
export function sourcesOf(entries: readonly StoredEntry[], toolUseId: string, source: 'chat' | 'mcp'): Sources {
  const calls = new Map<string, { toolName: string; asked: ToolInput }>()
  const sources: Sources = { results: [], operatorTexts: [] }
  let madeAt = Number.POSITIVE_INFINITY
  for (const entry of entries) {
    if (entry.type !== 'assistant' || (entry.model === 'mcp') !== (source === 'mcp')) continue
    for (const item of entry.content) {
      if (item.type !== 'tool_call') continue
      calls.set(item.toolUseId, { toolName: item.toolName, asked: item.toolInput })
      if (item.toolUseId === toolUseId) madeAt = entry.seq
    }
  }
  for (const entry of entries) {
    if (entry.seq >= madeAt) continue
    if (entry.type === 'tool_result' || entry.type === 'reconciled') {
      const call = calls.get(entry.toolUseId)
      const text = entry.type === 'tool_result' ? entry.result : entry.text
      if (call !== undefined) sources.results.push({ ...call, toolUseId: entry.toolUseId, text })
    } else if (source === 'mcp') {
    } else if (entry.type === 'user') {
      sources.operatorTexts.push(entry.text)
      // Names in it are others' words, as in any result.
      if (entry.context !== undefined) {
        sources.results.push({ toolName: 'cluster_state', toolUseId: entry.messageId, text: entry.context })
      }
    } else if (entry.type === 'recalled') {
      // What the operator wrote down is neither an order given now nor a stranger's text.
      const suspect = entry.items.filter(({ isFromTools }) => isFromTools)
      for (const { text, name } of suspect) sources.results.push({ toolName: 'memory', toolUseId: name, text })
    } else if (entry.type === 'confirm_resolved' && entry.note !== undefined && isOperators(entry.decision)) {
      sources.operatorTexts.push(entry.note)
    }
  }
  return sources
}

/** Only a person approves or denies; the notes of the rest are JARVIS's. */
const isOperators = (decision: string) => decision === 'approved' || decision === 'denied'
