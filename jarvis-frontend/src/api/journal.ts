import type { Query } from 'protocol/client'
import { download } from './download.ts'
import { call, file } from './http.ts'

/** A journal query. The keys are those of `GET /api/journal`. */
export type JournalFilter = Partial<
  Record<'kind' | 'toolName' | 'actor' | 'sessionId' | 'toolUseId' | 'tier' | 'outcome' | 'signed' | 'words', string>
> & {
  /** The first and the last day, as `2026-11-30`, in this browser's time. */
  from?: string
  to?: string
}

/** A page of the journal, newest first. @param before the `next` of an earlier page */
export const readJournal = ({ from, to, ...filter }: JournalFilter, before?: string, limit = 60) =>
  call('GET /api/journal', {
    query: {
      // The filter stands in the page's address, so it may be wrong. The server says so.
      ...(filter as Query<'GET /api/journal'>),
      from: midnight(from),
      to: midnight(to, 1),
      limit,
      ...(before !== undefined && { before: Number(before) }),
    },
  })

/** The start of a day in this browser's time, or of a day after it, Unix ms; undefined if it is no day. */
function midnight(day = '', daysLater = 0): number | undefined {
  const date = new Date(`${day}T00:00`)
  date.setDate(date.getDate() + daysLater)
  const at = date.getTime()
  return Number.isNaN(at) || at < 0 ? undefined : at
}
export const verifyJournal = () => call('GET /api/journal/verify')
export const exportJournal = () => download(file('GET /api/journal/export'), 'jarvis-journal.jsonl')
