import { randomBytes } from 'node:crypto'
import type { DeviceKeyChange } from '../channels/web-push/signed-buttons.ts'
import { sealedOrMade } from '../config/sealed-file.ts'
import { createDecisions } from '../signing/decisions.ts'
import type { SignerType } from '../signing/enrolment.ts'
import { createPasskeys, type PasskeyChange } from '../signing/passkeys.ts'
import { createRelyingParty } from '../signing/relying-party.ts'
import { createSigners, sealOf } from '../signing/signers.ts'
import { createSshKeys, type SshKeyChange } from '../signing/ssh-keys.ts'
import { createChallengeStore } from '../store/sqlite/access/challenges.ts'
import { createPasskeyStore } from '../store/sqlite/access/passkeys.ts'
import { createSignInStore } from '../store/sqlite/access/people.ts'
import { createSignerKeyStore } from '../store/sqlite/access/signer-keys.ts'
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
  const keys = createSignerKeyStore(database)
  const place = createRelyingParty(publicUrl)
  // Beside the database, so that whoever writes into the database alone enrols nobody.
  const sealKey = () => {
    const key = sealedOrMade(secrets, dataDir, 'signers-key', () => randomBytes(32).toString('hex'))
    hide(key)
    return key
  }
  const signers = createSigners(proof, sealKey)
  function recordSigner(type: SignerType, change: PasskeyChange | SshKeyChange | DeviceKeyChange) {
    const isSealed = change.change === 'added' && !('signedBy' in change)
    journal.append('signer', { type, ...change, ...(isSealed && { seal: sealOf(sealKey(), { type, ...change }) }) })
  }
  const passkeys = createPasskeys({
    ...{ store, place, now, durably: database.durably },
    record: (change) => recordSigner('passkey', change),
    endSignIns: createSignInStore(database).endOf,
    hadPasskeys: (person) => proof.hadSigner('passkey', person),
  })
  const sshKeys = createSshKeys({
    ...{ store: keys, passkeys: store, signers, place, now, durably: database.durably },
    record: (change) => recordSigner('ssh', change),
    hadKeys: (person) => proof.hadSigner('ssh', person),
  })
  const challenges = createChallengeStore(database)
  const head = journalHead(database)
  const decisions = createDecisions({
    store: challenges,
    passkeys: store,
    keys,
    signers,
    place,
    decisionOf: proof.decision,
    approvalsOf: proof.approvals,
    head,
    now,
    copied: ({ person, id, name }, why) => recordSigner('passkey', { change: 'refused', person, id, name, why }),
  })
  return {
    ...{ passkeys, sshKeys, decisions },
    /** For other keys that sign. */
    signing: { keys, signers, challenges, head, record: recordSigner },
  }
}

export type ComposedSigning = ReturnType<typeof composePasskeys>['signing']
