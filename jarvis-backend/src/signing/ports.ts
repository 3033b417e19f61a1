/** A passkey as stored. Bytes are base64url. */
export type StoredPasskey = {
  /** Id of the credential. */
  id: string
  /** Id of its person. */
  person: string
  /** Random bytes by which authenticators know the person; the same for all passkeys of one. */
  userHandle: string
  name: string
  /** SPKI, DER. */
  key: string
  /** The same key as the authenticator wrote it. */
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
  /** @returns false where the credential is there already */
  add(passkey: StoredPasskey): boolean
  get(id: string): StoredPasskey | undefined
  /** Oldest first. */
  list(person: string): StoredPasskey[]
  /** @returns false where that person has no such passkey */
  rename(id: string, person: string, name: string): boolean
  /** @returns false where that person has no such passkey */
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
  /** @returns false where it was used before, or is not there */
  use(id: string, at: number): boolean
  /** Forgets those that were not used and have expired. */
  forget(now: number): void
}

/** A key that signs for a person and is no passkey. `key`: base64url, of SSH its blob, of a device SPKI in DER. */
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
  /** @returns false where the id is there already */
  add(key: StoredSignerKey): boolean
  get(id: string): StoredSignerKey | undefined
  /** Oldest first. */
  list(person: string, type: StoredSignerKey['type']): StoredSignerKey[]
  remove(id: string): boolean
  used(id: string, at: number): void
}
