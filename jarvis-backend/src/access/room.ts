import { randomBytes } from 'node:crypto'
import type { SignerType } from 'signing/enrolment'
import { createRelyingParty } from 'signing/relying-party'
import { Signers, sealOf } from 'signing/signers'
import { createApiTokens } from '../auth/api-tokens.ts'
import { createTokenUse } from '../auth/token-use.ts'
import type { DeviceKeyChange } from '../channels/web-push/signed-buttons.ts'
import type { Config } from '../config/config.ts'
import { sealedOrMade } from '../config/sealed-file.ts'
import type { Foundation } from '../foundation.ts'
import { defineRoom } from '../house.ts'
import { SqliteChallengeStore } from '../store/sqlite/access/challenges.ts'
import { SqlitePasskeyStore } from '../store/sqlite/access/passkeys.ts'
import { SqliteSignInStore } from '../store/sqlite/access/people.ts'
import { SqliteSignerKeyStore } from '../store/sqlite/access/signer-keys.ts'
import { SqliteApiTokenStore } from '../store/sqlite/access/tokens.ts'
import { journalHead } from '../store/sqlite/journal/journal.ts'
import { Decisions } from './decisions.ts'
import { type PasskeyChange, Passkeys } from './passkeys.ts'
import { type SshKeyChange, SshKeys } from './ssh-keys.ts'

/** The tokens of programs, passkeys, SSH keys and signed decisions. */
export const accessRoom = defineRoom({
  name: 'access',
  open({ foundation, config }: { foundation: Foundation; config: Pick<Config, 'publicUrl'> }) {
    const { database, journal, clock, now, report } = foundation
    const store = new SqliteApiTokenStore(database)
    const apiTokens = createApiTokens({
      store,
      now,
      durably: database.durably,
      record: (change) => void journal.append('token', change),
    })
    const tokenUse = createTokenUse({ store, clock, report })
    const keys = openKeys(foundation, config.publicUrl)
    return { apiTokens, tokenUse, ...keys, signerKeys: keys.signing.keys, close: tokenUse.flush }
  },
})

function openKeys(
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
  const store = new SqlitePasskeyStore(database)
  const keys = new SqliteSignerKeyStore(database)
  const signIns = new SqliteSignInStore(database)
  const place = createRelyingParty(publicUrl)
  // The key is stored outside the database, so that somebody who can write only to the database cannot enrol a key.
  const sealKey = () => {
    const key = sealedOrMade(secrets, { dataDir, name: 'signers-key' }, () => randomBytes(32).toString('hex'))
    hide(key)
    return key
  }
  const signers = new Signers(proof, sealKey)
  function recordSigner(type: SignerType, change: PasskeyChange | SshKeyChange | DeviceKeyChange) {
    const isSealed = change.change === 'added' && !('signedBy' in change)
    journal.append('signer', { type, ...change, ...(isSealed && { seal: sealOf(sealKey(), { type, ...change }) }) })
  }
  const passkeys = new Passkeys({
    store,
    place,
    now,
    durably: database.durably,
    record: (change) => recordSigner('passkey', change),
    endSignIns: (passkey, except) => signIns.endOf(passkey, except),
    hadPasskeys: (person) => proof.hadSigner('passkey', person),
  })
  const sshKeys = new SshKeys({
    store: keys,
    passkeys: store,
    signers,
    place,
    now,
    durably: database.durably,
    record: (change) => recordSigner('ssh', change),
    hadKeys: (person) => proof.hadSigner('ssh', person),
  })
  const challenges = new SqliteChallengeStore(database)
  const head = journalHead(database)
  const decisions = new Decisions({
    store: challenges,
    passkeys: store,
    keys,
    signers,
    place,
    decisionOf: (toolUseId) => proof.decision(toolUseId),
    approvalsOf: (toolUseId, bindingHash) => proof.approvals(toolUseId, bindingHash),
    head,
    now,
    copied: ({ person, id, name }, why) => recordSigner('passkey', { change: 'refused', person, id, name, why }),
  })
  return {
    passkeys,
    sshKeys,
    decisions,
    /** For the rooms that enrol and find other signing keys, such as the device keys of web push. */
    signing: { keys, signers, challenges, head, record: recordSigner },
  }
}

export type ComposedSigning = ReturnType<typeof openKeys>['signing']
