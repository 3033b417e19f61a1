import { callsIn } from 'protocol/settles'
import type { Attachments } from '../attachments.ts'
import type { TranscriptStore } from '../sessions/transcript-store.ts'
import { pageOf } from './cut-result.ts'

/**
 * Returns a part of a stored result, or of an attached text file, for the model of that session. Secrets were removed from the text before it was
 * stored.
 * @param page.offset in characters, from 0
 * @returns undefined if the session has no such result, or if an MCP client made the call, because the model must not see such results
 */
export function storedResult(
  {
    store,
    attachments,
  }: {
    store: Pick<TranscriptStore, 'resultOf' | 'entriesOfRun'>
    attachments: Pick<Attachments, 'read' | 'textOf'>
  },
  sessionId: string,
  { toolUseId, offset }: { toolUseId: string; offset: number },
): { toolName: string; text: string; offset: number; total: number; next?: number } | undefined {
  const text = attachments.textOf(sessionId, toolUseId)
  if (text !== undefined) {
    const name = attachments.read(sessionId, toolUseId)?.attachment.name ?? 'file'
    return { toolName: `the attached file ${name}`, ...pageOf(text, offset), offset, total: text.length }
  }
  const entry = store.resultOf(sessionId, toolUseId)
  if (entry === undefined) return undefined
  const call = store
    .entriesOfRun(entry.runId)
    .flatMap((one) => (one.type === 'assistant' && one.madeBy !== 'client' ? callsIn(one) : []))
    .find((one) => one.toolUseId === toolUseId)
  if (call === undefined) return undefined
  return { toolName: call.toolName, ...pageOf(entry.result, offset), offset, total: entry.result.length }
}
