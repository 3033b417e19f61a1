import type { Query } from 'protocol/client'
import { download } from './download.ts'
import { call, file } from './http.ts'

/** A journal query. The keys are those of `GET /api/journal`. */
export type JournalFilter = Partial<
  Record<'kind' | 'toolName' | 'actor' | 'sessionId' | 'toolUseId' | 'tier' | 'outcome' | 'signed', string>
>

/** A page of the journal, newest first. @param before the `next` of an earlier page */
export const readJournal = (filter: JournalFilter, before?: string, limit = 60) =>
  call('GET /api/journal', {
    // The filter stands in the page's address, so it may be wrong. The server says so.
    query: { ...(filter as Query<'GET /api/journal'>), limit, ...(before !== undefined && { before: Number(before) }) },
  })
export const verifyJournal = () => call('GET /api/journal/verify')
export const exportJournal = () => download(file('GET /api/journal/export'), 'jarvis-journal.jsonl')
