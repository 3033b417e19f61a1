/** A stored passkey. Bytes are encoded in base64url. */
export type StoredPasskey = {
  /** Id of the credential. */
  id: string
  /** Id of its person. */
  person: string
  /** Random bytes by which authenticators identify the person; the same for all passkeys of a person. */
  userHandle: string
  name: string
  /** The public key, SPKI in DER. */
  key: string
  /** The same public key in the authenticator's form (COSE). */
  cose: string
  rpId: string
  /** Signature counter of the newest use; stays 0 if the authenticator does not count. */
  counter: number
  transports: readonly string[]
  /** True if the passkey's provider copies it to other devices of the person. */
  isSynced: boolean
  createdAt: number
  lastUsedAt?: number
}

export interface PasskeyStore {
  /** @returns false if the credential is already stored */
  add(passkey: StoredPasskey): boolean
  get(id: string): StoredPasskey | undefined
  /** Oldest first. */
  list(person: string): StoredPasskey[]
  /** @returns false if that person has no such passkey */
  rename(id: string, person: string, name: string): boolean
  /** @returns false if that person has no such passkey */
  remove(id: string, person: string): boolean
  used(id: string, counter: number, at: number): void
}

/** A statement that a person was asked to sign. `id`: its challenge. */
export type StoredChallenge = {
  id: string
  toolUseId: string
  person: string
  statement: string
  expiresAt: number
  usedAt?: number
}

export interface ChallengeStore {
  add(challenge: StoredChallenge): void
  get(id: string): StoredChallenge | undefined
  /** Marks a challenge as used. @returns false if it was used before, or does not exist */
  use(id: string, at: number): boolean
  /** Deletes the challenges that have expired and were not used. */
  forget(now: number): void
}

/** A key other than a passkey that signs for a person. `key`: base64url; for SSH the blob of the public key, for a device SPKI in DER. */
export type StoredSignerKey = {
  /** The fingerprint of an SSH key, or the id of a device. */
  id: string
  type: 'ssh' | 'device'
  person: string
  name: string
  key: string
  createdAt: number
  lastUsedAt?: number
}

export interface SignerKeyStore {
  /** @returns false if the id is already stored */
  add(key: StoredSignerKey): boolean
  get(id: string): StoredSignerKey | undefined
  /** Oldest first. */
  list(person: string, type: StoredSignerKey['type']): StoredSignerKey[]
  remove(id: string): boolean
  used(id: string, at: number): void
}
