import { randomBytes } from 'node:crypto'
import { sealedOrMade } from '../config/sealed-file.ts'
import { createDecisions } from '../signing/decisions.ts'
import { createPasskeys } from '../signing/passkeys.ts'
import { createRelyingParty } from '../signing/relying-party.ts'
import { createSigners, sealOf } from '../signing/signers.ts'
import { createChallengeStore } from '../store/sqlite/access/challenges.ts'
import { createPasskeyStore } from '../store/sqlite/access/passkeys.ts'
import { journalHead } from '../store/sqlite/journal/journal.ts'
import type { Foundation } from './foundation.ts'

/** Wires passkeys and signed decisions: who has which key, where passkeys work, and what was signed. */
export function composePasskeys(
  {
    database,
    dataDir,
    hide,
    journal,
    now,
    secrets,
  }: Pick<Foundation, 'database' | 'dataDir' | 'hide' | 'journal' | 'now' | 'secrets'>,
  publicUrl: string | undefined,
) {
  const { proof } = journal
  const store = createPasskeyStore(database)
  const place = createRelyingParty(publicUrl)
  // Beside the database, so that whoever writes into the database alone enrols nobody.
  const sealKey = () => {
    const key = sealedOrMade(secrets, dataDir, 'signers-key', () => randomBytes(32).toString('hex'))
    hide(key)
    return key
  }
  const signers = createSigners(proof, sealKey)
  const passkeys = createPasskeys({
    ...{ store, place, now, durably: database.durably },
    record(change) {
      const type = 'passkey'
      const isSealed = change.change === 'added' && change.signedBy === undefined
      journal.append('signer', { type, ...change, ...(isSealed && { seal: sealOf(sealKey(), { type, ...change }) }) })
    },
    hadPasskeys: (person) => proof.hadSigner('passkey', person),
  })
  const decisions = createDecisions({
    store: createChallengeStore(database),
    passkeys: store,
    signers,
    place,
    decisionOf: proof.decision,
    head: journalHead(database),
    now,
  })
  return { passkeys, decisions }
}
