import { reaches } from '../auth/reach.ts'
import { JournalPage, JournalQuery, JournalVerification, type PersonRef } from '../protocol/index.ts'
import { sendText } from './handle.ts'
import { get, type Route } from './route.ts'

/** `/api/journal`: pages, verification and export. */
export const journalRoutes = (journal: {
  page(query: JournalQuery): Promise<JournalPage>
  verify(): Promise<JournalVerification>
  lines(): AsyncGenerator<string>
  sees(person: PersonRef, sessionId: string): boolean
}): Route[] => [
  get(
    '/journal',
    'Entries, newest first. Whoever may only look gets no words of conversations that are closed to them.',
    { role: 'viewer', token: 'read', query: JournalQuery, reply: JournalPage },
    async ({ query, identity: { person } }) => {
      const { items, ...page } = await journal.page(query)
      if (reaches(person, undefined)) return { items, ...page }
      return {
        ...page,
        items: items.map((entry) => {
          const body = entry.body as Readonly<Record<string, unknown>>
          const { sessionId } = body
          const isOpen = typeof sessionId === 'string' && journal.sees(person, sessionId)
          return isOpen ? entry : { ...entry, body: factsOf(body) }
        }),
      }
    },
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

/** What an entry says that is nobody's words: which call or thing, of whom, and what became of it. */
const facts: ReadonlySet<string> = new Set(
  `toolUseId sessionId runId callId toolName target tier rule requestedBy by role person name decision outcome decidedBy
   isError durationMs at number of bindingHash hash before from to change state kind grant card job agent path runbook plan
   approvedBy via proof invitation was what signIn method count channel token server type id expiresAt until`.split(
    /\s+/,
  ),
)
const factsOf = (body: Readonly<Record<string, unknown>>) =>
  Object.fromEntries(
    Object.entries(body).filter(([key, value]) => facts.has(key) && (key !== 'plan' || typeof value === 'string')),
  )
