import { systemClock } from 'node-kit/clock'
import { Links } from '../auth/links.ts'
import { People } from '../auth/people.ts'
import type { SignInStore } from '../auth/sign-ins.ts'
import { Grants } from '../calls/confirmations/grants.ts'
import { policyPath, readPolicy } from '../config/policy-file.ts'
import type { Offboarding } from '../house.ts'
import { offboardingOf } from '../offboarding/offboarding.ts'
import { SqliteLinkStore } from '../store/sqlite/access/links.ts'
import { SqlitePersonStore, SqliteSignInStore } from '../store/sqlite/access/people.ts'
import { SqliteGrantStore } from '../store/sqlite/calls/grants.ts'
import { SqliteRecipientStore } from '../store/sqlite/channels/recipients.ts'
import type { Database } from '../store/sqlite/database.ts'
import type { KeptJournal } from '../store/sqlite/journal/kept.ts'
import { tokensIn } from './token.ts'

/** The people of an open data dir, and the links that were made for them. */
export function peopleIn(
  dataDir: string,
  journal: KeptJournal,
  database: Database,
): { people: People; links: Links; signIns: SignInStore } {
  const signIns = new SqliteSignInStore(database)
  const grants = new Grants({
    store: new SqliteGrantStore(database),
    journal,
    proof: journal.proof,
    transactions: database,
    clock: systemClock,
    changed: () => {},
    report: (_error, message) => console.error(message),
  })
  const recipients = new SqliteRecipientStore(database)
  const channels: Offboarding = {
    name: 'channels',
    endAccess(person) {
      const theirs = recipients.list().filter((one) => one.person === person && one.user !== '')
      for (const { id } of theirs) recipients.remove(id)
      if (theirs.length > 0) journal.append('channel', { change: 'pairings_void', person, count: theirs.length })
    },
  }
  const leaving = offboardingOf({
    database,
    journal,
    grants,
    now: Date.now,
    tokens: tokensIn(journal, database),
  })
  const policy = readPolicy(policyPath(dataDir), 'policy.yaml')
  const people = new People({
    store: new SqlitePersonStore(database),
    durably: database.durably,
    record: (change) => void journal.append('person', change),
    ownRoles: () => (policy.kind === 'read' ? Object.keys(policy.file.roles ?? {}) : []),
    endSignIns: (person) => signIns.endAll(person),
    endChannels: (person, why) => channels.endAccess?.(person, why),
    endOwning: (person) => links.void(person, 'Whoever made it is no owner any more.'),
    leave(person, by) {
      for (const { leave } of leaving) leave?.(person, by)
      channels.endAccess?.(person, 'its person was removed')
    },
    changed: () => {},
    now: Date.now,
  })
  const links = new Links({
    store: new SqliteLinkStore(database),
    people,
    durably: database.durably,
    record: (change) => void journal.append('person', change),
    changed: () => {},
    now: Date.now,
  })
  return { people, links, signIns }
}
