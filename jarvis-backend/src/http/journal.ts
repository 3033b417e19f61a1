import { Router } from 'express'
import { type JournalPage, JournalQuery, type JournalVerification } from '../protocol/index.ts'
import { operatorOnly, read, sendText } from './handle.ts'

/** `/api/journal`: pages, verification and export (operators only). */
export function journalRoutes(journal: {
  page(query: JournalQuery): Promise<JournalPage>
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
    await sendText(journal.lines(), response)
  })
  return router
}
