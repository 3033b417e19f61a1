/** Where and how one browser is reached. */
export type Subscription = { endpoint: string; p256dh: string; auth: string }

export type StoredDevice = Subscription & {
  id: string
  /** Whose it is. */
  sub: string
  label: string
  hidesNames: boolean
  createdAt: number
  lastSentAt?: number
  problem?: string
}

export interface PushStore {
  /** One that is known by its endpoint is replaced. */
  add(device: StoredDevice): void
  list(sub?: string): StoredDevice[]
  /** @returns false where there is none of that person's. */
  remove(id: string, sub?: string): boolean
  sent(id: string, at: number, problem: string | undefined): void
}

/**
 * `gone`: the browser took its subscription back. `busy`: a later attempt may succeed, after `retryAfterMs` where the
 * service named a pause. `failed`: no later attempt will.
 */
export type Delivery =
  | { kind: 'sent' }
  | { kind: 'gone' }
  | { kind: 'busy'; why: string; retryAfterMs?: number }
  | { kind: 'failed'; why: string }

/** The way to the push services. */
export interface PushSender {
  readonly publicKey: string
  /** @param ttlS for how long the service keeps it for a device that is away; `topic` replaces one it still keeps. Never rejects. */
  send(to: Subscription, message: { payload: string; ttlS: number; topic: string }): Promise<Delivery>
}
