/** One browser or program in which a person is signed in, by the token that it was given. Times in Unix ms. */
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
  /** The passkey it was made with. */
  passkey?: string
  createdAt: number
  lastSeenAt: number
  /** Whatever happens, it ends then. */
  endsAt: number
}

export interface SignInStore {
  add(row: SignInRow): void
  get(id: string): SignInRow | undefined
  /** A person's, newest use first. */
  list(person: string): SignInRow[]
  seen(id: string, at: number): void
  /** @returns false where it had ended */
  end(id: string): boolean
  /** @param except the one that goes on */
  endAll(person: string, except?: string): void
  /** Ends those that were made with a passkey. @param except the one that goes on */
  endOf(passkey: string, except?: string): void
  /** Forgets those whose time is over, and those not used since `unseenSince`. */
  prune(at: number, unseenSince: number): void
}

/** When a sign-in ends without another use. @param idleMs how long one lasts without use */
export const idleEndOf = ({ lastSeenAt, endsAt }: Pick<SignInRow, 'lastSeenAt' | 'endsAt'>, idleMs: number): number =>
  Math.min(endsAt, lastSeenAt + idleMs)

/** How the ids begin. A token's `jti` is its row's id; tokens of older releases and those signed by hand have another or none. */
export const signInPrefix = 'sin'
