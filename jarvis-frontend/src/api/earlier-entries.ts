import type { Entry } from 'protocol'
import { call } from './http.ts'

/** Reads entries older than `before`, oldest first. The first one starts a run. `hasEarlier`: there are older entries. */
export async function earlierEntries(id: string, before: number): Promise<{ items: Entry[]; hasEarlier: boolean }> {
  const items: Entry[] = []
  for (let from = before; ; from = items[0]?.seq ?? 0) {
    const page = await call('GET /api/sessions/:id/entries', {
      params: { id },
      query: { before: String(from), limit: 200 },
    })
    items.unshift(...page.items)
    if (page.next === undefined || page.items.length === 0) return { items, hasEarlier: false }
    // A page may begin inside a run. Return whole runs only; the next page returns the rest.
    const start = items.findIndex(startsRun)
    if (start >= 0) return { items: items.slice(start), hasEarlier: true }
  }
}

/** True if an entry starts a run: a user message, or a call of an MCP client. */
const startsRun = (entry: Entry) => entry.type === 'user' || (entry.type === 'assistant' && entry.madeBy === 'client')
