import { firstOwnerId } from 'protocol'
import type { ApiTokens } from '../auth/api-tokens.ts'
import type { Grants } from '../calls/confirmations/grants.ts'
import type { Journal } from '../calls/ports.ts'
import type { Offboarding } from '../house.ts'
import { personOfJob } from '../jobs/job.ts'
import { JobSwitches } from '../jobs/switches.ts'
import { SqliteForeignAccountStore } from '../store/sqlite/access/foreign-accounts.ts'
import { SqlitePasskeyStore } from '../store/sqlite/access/passkeys.ts'
import type { Database } from '../store/sqlite/database.ts'
import { SqliteJobStore } from '../store/sqlite/jobs.ts'
import { SqliteShareStore } from '../store/sqlite/sessions/shares.ts'
import { SqliteSettings } from '../store/sqlite/settings.ts'

/**
 * Ends what belongs to a removed person. Tokens, grants, passkeys, accounts of other services and shares of conversations end. Jobs are paused until
 * somebody takes them over. Sessions stay. The journal records each end. The watchers of cards withdraw the person's cards.
 */
export function offboardingOf(parts: {
  database: Database
  journal: Journal
  tokens: Pick<ApiTokens, 'list' | 'revoke'>
  grants: Pick<Grants, 'list' | 'revoke'>
  now(): number
}): Offboarding[] {
  const { database, journal, tokens, grants, now } = parts
  const passkeys = new SqlitePasskeyStore(database)
  const accounts = new SqliteForeignAccountStore(database)
  const jobs = new SqliteJobStore(database)
  const shares = new SqliteShareStore(database)
  const switches = new JobSwitches({
    store: jobs,
    settings: new SqliteSettings(database),
    journal,
    transactions: database,
    now,
  })
  const isOf = (person: string, holder = firstOwnerId) => holder === person
  return [
    {
      name: 'tokens',
      leave(person, by) {
        for (const { name, person: holder } of tokens.list()) if (isOf(person, holder)) tokens.revoke(name, by)
      },
    },
    {
      name: 'grants',
      leave(person, by) {
        for (const { id, requestedBy, by: maker } of grants.list())
          if (isOf(person, requestedBy.person) || maker === person) grants.revoke(id, by)
      },
    },
    {
      name: 'passkeys',
      leave(person) {
        for (const { id, name } of passkeys.list(person)) {
          passkeys.remove(id, person)
          journal.append('signer', { type: 'passkey', change: 'removed', person, id, name })
        }
      },
    },
    {
      name: 'accounts',
      leave(person, by) {
        for (const { id, issuer, subject, person: holder } of accounts.list()) {
          if (holder !== person) continue
          accounts.remove(id)
          journal.append('person', { change: 'account_unlinked', account: id, issuer, subject, person, by })
        }
      },
    },
    {
      name: 'shares',
      leave(person, by) {
        for (const of of shares.about(person)) {
          shares.end(of.sessionId, of.person)
          journal.append('session', { ...of, change: 'unshared', by })
        }
      },
    },
    {
      name: 'jobs',
      leave(person, by) {
        for (const job of jobs.list()) {
          if (job.isShipped || !isOf(person, personOfJob(job).person)) continue
          switches.pause(job.id, by, 'Whoever it belongs to was removed. Resume it, and it is yours.')
        }
      },
    },
  ]
}
