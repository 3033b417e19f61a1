import { JarvisError, JournalPage, JournalQuery, JournalVerification, type PersonRef } from 'protocol'
import type { Shown } from '../auth/closed-words.ts'
import { sendText } from './handle.ts'
import { type Route, route } from './route.ts'

/** `/api/journal`: reads pages of the journal, verifies it and exports it. */
export const journalRoutes = ({
  journal,
  shown,
}: {
  journal: {
    page(query: JournalQuery): Promise<JournalPage>
    verify(): Promise<JournalVerification>
    lines(): AsyncGenerator<string>
  }
  shown(person: PersonRef): Pick<Shown, 'journal' | 'isWhole'>
}): Route[] => [
  route('/journal').get(
    'Entries, newest first. Whoever may only look gets no words of conversations that are closed to them.',
    { role: 'viewer', token: 'read', query: JournalQuery, reply: JournalPage },
    async ({ query, identity }) => {
      const { journal: shownIn, isWhole } = shown(identity.person)
      // A search would tell which words are in a conversation that is closed to the reader.
      if (query.words !== undefined && !isWhole)
        throw new JarvisError('forbidden', 'Only operators and owners search the words of the journal.')
      return shownIn(await journal.page(query))
    },
  ),
  route('/journal/verify').get(
    'Checks the chain of all entries.',
    { role: 'viewer', token: 'read', reply: JournalVerification },
    () => journal.verify(),
  ),
  route('/journal/export').get(
    'The whole journal as JSON lines.',
    { role: 'operator', media: ['application/x-ndjson'] },
    async ({ response }) => {
      response.attachment('jarvis-journal.jsonl').type('application/x-ndjson')
      await sendText(journal.lines(), response)
    },
  ),
]
