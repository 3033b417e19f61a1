import { pipeline } from 'node:stream/promises'
import { Router } from 'express'
import { type JournalEntry, JournalQuery, type JournalVerification, type Page } from '../protocol/index.ts'
import { operatorOnly, read } from './handle.ts'

export function journalRoutes(journal: {
  page(query: JournalQuery): Promise<Page<JournalEntry>>
  verify(): Promise<JournalVerification>
  lines(): AsyncGenerator<string>
}): Router {
  const router = Router()
  router.get('/', async (request, response) => {
    response.json(await journal.page(read(JournalQuery, request.query)))
  })
  router.get('/verify', async (_request, response) => {
    response.json(await journal.verify())
  })
  router.get('/export', operatorOnly, async (_request, response) => {
    response.attachment('jarvis-journal.jsonl').type('application/x-ndjson')
    try {
      await pipeline(journal.lines(), response)
    } catch (error) {
      // Who stopped reading has no use for an answer.
      if (!response.destroyed) throw error
    }
  })
  return router
}
