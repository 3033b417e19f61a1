/** One browser or program in which a person is signed in, identified by its token. Times in Unix ms. */
export type SignInRow = {
  id: string
  person: string
  /** SHA-256 of the token. */
  hash: string
  address: string
  /** The user agent, unchecked. */
  client: string
  /** `password`, `passkey`, … */
  method: string
  /** The passkey with which the sign-in was made. */
  passkey?: string
  createdAt: number
  lastSeenAt: number
  /** The sign-in ends at this time in any case. */
  endsAt: number
}

export interface SignInStore {
  add(row: SignInRow): void
  get(id: string): SignInRow | undefined
  /** A person's sign-ins, newest use first. */
  list(person: string): SignInRow[]
  seen(id: string, at: number): void
  /** @returns false if it had ended before */
  end(id: string): boolean
  /** @param except the sign-in that continues */
  endAll(person: string, except?: string): void
  /** Ends the sign-ins that were made with a passkey. @param except the sign-in that continues */
  endOf(passkey: string, except?: string): void
  /** Deletes expired sign-ins, and those that were not used since `unseenSince`. */
  prune(at: number, unseenSince: number): void
}

/** The time at which a sign-in ends if it is not used again. @param idleMs time without use after which a sign-in ends */
export const idleEndOf = ({ lastSeenAt, endsAt }: Pick<SignInRow, 'lastSeenAt' | 'endsAt'>, idleMs: number): number =>
  Math.min(endsAt, lastSeenAt + idleMs)

/** The prefix of the ids. A token's `jti` is the id of its row. Tokens of older releases, and tokens signed by hand, have another `jti` or none. */
export const signInPrefix = 'sin'
