import type { JournalPage, JournalVerification } from 'protocol'
import { download } from './download.ts'
import { call } from './http.ts'

/** A journal query. The keys are those of `GET /api/journal`. */
export type JournalFilter = Partial<
  Record<'kind' | 'toolName' | 'actor' | 'sessionId' | 'toolUseId' | 'tier' | 'outcome' | 'signed', string>
>

/** A page of the journal, newest first. @param before the `next` of an earlier page */
export function readJournal(filter: JournalFilter, before?: string, limit = 60): Promise<JournalPage> {
  const query = new URLSearchParams({ ...filter, limit: String(limit), ...(before !== undefined && { before }) })
  return call('GET', `/api/journal?${query}`)
}
export const verifyJournal = () => call<JournalVerification>('GET', '/api/journal/verify')
export const exportJournal = () => download('/api/journal/export', 'jarvis-journal.jsonl')
