import type { JournalPage, JournalVerification } from 'jarvis-backend/protocol'
import { download } from './download.ts'
import { call } from './http.ts'

/** What is asked of the journal; keys as `GET /api/journal` takes them. */
export type JournalFilter = Partial<
  Record<'kind' | 'toolName' | 'actor' | 'sessionId' | 'toolUseId' | 'tier' | 'outcome', string>
>

/** Newest first. `before`: a `next` of the page before. */
export function readJournal(filter: JournalFilter, before?: string, limit = 60): Promise<JournalPage> {
  const query = new URLSearchParams({ ...filter, limit: String(limit), ...(before !== undefined && { before }) })
  return call('GET', `/api/journal?${query}`)
}
export const verifyJournal = () => call<JournalVerification>('GET', '/api/journal/verify')
export const exportJournal = () => download('/api/journal/export', 'jarvis-journal.jsonl')
