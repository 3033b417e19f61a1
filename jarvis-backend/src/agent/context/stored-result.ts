import type { TranscriptStore } from '../sessions/transcript-store.ts'
import { callsIn } from '../settles.ts'
import { pageOf } from './cut-result.ts'

/**
 * A part of a stored result, for the model of that session. The text is the redacted one that was stored.
 * @param offset in characters, from 0
 * @returns undefined where the session has no such result, or an MCP client asked for it: that one is not the model's to see
 */
export function storedResult(
  store: Pick<TranscriptStore, 'resultOf' | 'entriesOfRun'>,
  sessionId: string,
  toolUseId: string,
  offset: number,
): { toolName: string; text: string; offset: number; total: number; next?: number } | undefined {
  const entry = store.resultOf(sessionId, toolUseId)
  if (entry === undefined) return undefined
  const call = store
    .entriesOfRun(entry.runId)
    .flatMap((one) => (one.type === 'assistant' && one.madeBy !== 'client' ? callsIn(one) : []))
    .find((one) => one.toolUseId === toolUseId)
  if (call === undefined) return undefined
  return { toolName: call.toolName, ...pageOf(entry.result, offset), offset, total: entry.result.length }
}
