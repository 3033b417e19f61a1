import type { Registry } from 'house'
import type { ApiTokens } from '../auth/api-tokens.ts'
import type { Grants } from '../calls/confirmations/grants.ts'
import type { Journal } from '../calls/ports.ts'
import type { Offboarding } from '../house.ts'
import { personOfJob } from '../jobs/jobs.ts'
import { pauseJob } from '../jobs/switches.ts'
import { firstOwnerId } from '../protocol/index.ts'
import { createForeignAccountStore } from '../store/sqlite/access/foreign-accounts.ts'
import { createPasskeyStore } from '../store/sqlite/access/passkeys.ts'
import type { Database } from '../store/sqlite/database.ts'
import { createJobStore } from '../store/sqlite/jobs.ts'
import { createShareStore } from '../store/sqlite/sessions/shares.ts'
import { createSettings } from '../store/sqlite/settings.ts'

/**
 * Ends or hands over what belongs to a person who is removed, in the transaction of the removal, each with its line of the journal: tokens, grants,
 * passkeys, accounts of other services, whatever channels reach them, and shared conversations end; jobs are paused until somebody takes them over; sessions stay. Cards are withdrawn by whoever watches them.
 */
export function createLeave(parts: {
  database: Database
  journal: Journal
  tokens: Pick<ApiTokens, 'list' | 'revoke'>
  grants: Pick<Grants, 'list' | 'revoke'>
  offboarding: Pick<Registry<Offboarding>, 'list'>
  now(): number
}) {
  const { database, journal, tokens, grants, now } = parts
  const passkeys = createPasskeyStore(database)
  const accounts = createForeignAccountStore(database)
  const jobs = createJobStore(database)
  const shares = createShareStore(database)
  const switches = { settings: createSettings(database), journal, transactions: database }
  const isOf = (person: string, holder = firstOwnerId) => holder === person
  return (person: string, by: string): void => {
    for (const { name, person: holder } of tokens.list()) if (isOf(person, holder)) tokens.revoke(name, by)
    // Nobody answers any more for what they let run.
    for (const { id, requestedBy, by: maker } of grants.list())
      if (isOf(person, requestedBy.person) || maker === person) grants.revoke(id, by)
    for (const { id, name } of passkeys.list(person)) {
      passkeys.remove(id, person)
      journal.append('signer', { type: 'passkey', change: 'removed', person, id, name })
    }
    for (const { id, issuer, subject, person: holder } of accounts.list()) {
      if (holder !== person) continue
      accounts.remove(id)
      journal.append('person', { change: 'account_unlinked', account: id, issuer, subject, person, by })
    }
    for (const { endFor } of parts.offboarding.list()) endFor(person, 'its person was removed')
    for (const of of shares.about(person)) {
      shares.end(of.sessionId, of.person)
      journal.append('session', { ...of, change: 'unshared', by })
    }
    for (const job of jobs.list()) {
      if (job.isShipped || !isOf(person, personOfJob(job).person)) continue
      pauseJob(switches, jobs, job.id, by, 'Whoever it belongs to was removed. Resume it, and it is yours.', now())
    }
  }
}
