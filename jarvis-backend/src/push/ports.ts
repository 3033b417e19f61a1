/** The address and keys of one browser's push subscription. */
export type Subscription = { endpoint: string; p256dh: string; auth: string }

export type StoredDevice = Subscription & {
  id: string
  /** Its owner. */
  sub: string
  label: string
  hidesNames: boolean
  createdAt: number
  lastSentAt?: number
  problem?: string
}

export interface PushStore {
  /** Adds a device, or replaces the one with the same endpoint. */
  add(device: StoredDevice): void
  list(sub?: string): StoredDevice[]
  /** @returns false where that person has no such device */
  remove(id: string, sub?: string): boolean
  sent(id: string, at: number, problem: string | undefined): void
}

/**
 * `gone`: the browser ended its subscription. `busy`: a later attempt may succeed, after `retryAfterMs` where the service named a pause.
 * `failed`: no later attempt can succeed.
 */
export type Delivery =
  | { kind: 'sent' }
  | { kind: 'gone' }
  | { kind: 'busy'; why: string; retryAfterMs?: number }
  | { kind: 'failed'; why: string }

/** Sends messages to push services. */
export interface PushSender {
  readonly publicKey: string
  /** @param ttlS how long the service keeps the message for an offline device; `topic` replaces a message that it still keeps. Never rejects. */
  send(to: Subscription, message: { payload: string; ttlS: number; topic: string }): Promise<Delivery>
}
