import { JournalPage, JournalQuery, JournalVerification } from '../protocol/index.ts'
import { sendText } from './handle.ts'
import { get, type Route } from './route.ts'

/** `/api/journal`: pages, verification and export. */
export const journalRoutes = (journal: {
  page(query: JournalQuery): Promise<JournalPage>
  verify(): Promise<JournalVerification>
  lines(): AsyncGenerator<string>
}): Route[] => [
  get(
    '/journal',
    'Entries, newest first.',
    { role: 'viewer', token: 'read', query: JournalQuery, reply: JournalPage },
    ({ query }) => journal.page(query),
  ),
  get(
    '/journal/verify',
    'Checks the chain of all entries.',
    { role: 'viewer', token: 'read', reply: JournalVerification },
    () => journal.verify(),
  ),
  get(
    '/journal/export',
    'The whole journal as JSON lines.',
    { role: 'operator', media: ['application/x-ndjson'] },
    async ({ response }) => {
      response.attachment('jarvis-journal.jsonl').type('application/x-ndjson')
      await sendText(journal.lines(), response)
    },
  ),
]
