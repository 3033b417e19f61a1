import type { SessionFile } from 'protocol'
import type { TranscriptStore } from './transcript-store.ts'

/** The last call that wrote each file of a session's own folder, by path in the folder. Takes longer the longer the session is. */
export function writersIn(
  store: Pick<TranscriptStore, 'entriesOfTypes'>,
  sessionId: string,
): Map<string, NonNullable<SessionFile['by']>> {
  const tools = new Map<string, string>()
  const found = new Map<string, NonNullable<SessionFile['by']>>()
  for (const entry of store.entriesOfTypes(sessionId, ['tool_use', 'tool_result'])) {
    if (entry.type === 'tool_use') tools.set(entry.toolUseId, entry.toolName)
    if (entry.type !== 'tool_result') continue
    const { toolUseId, seq, files = [] } = entry
    for (const path of files) found.set(path, { toolUseId, toolName: tools.get(toolUseId) ?? '', seq })
  }
  return found
}
