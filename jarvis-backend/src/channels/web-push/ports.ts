import type { Delivery } from '../channel.ts'

/** The channel of browsers. */
export const webPushId = 'webpush'

/** The address and keys of one browser's push subscription. Whoever knows the address can send there, so it is never shown. */
export type Subscription = { endpoint: string; p256dh: string; auth: string }

/** `id`: the recipient's. `lastSentAt`: when a push service took a message last. `seenAt`: when the browser itself was here. Unix ms. */
export type StoredSubscription = Subscription & { id: string; lastSentAt?: number; seenAt?: number }

/** Subscriptions, each of one recipient. With the recipient goes the subscription. */
export interface SubscriptionStore {
  /** Adds a subscription, in place of the one that its recipient had. */
  add(subscription: Subscription & { id: string }): void
  get(id: string): StoredSubscription | undefined
  byEndpoint(endpoint: string): StoredSubscription | undefined
  /** A message was taken. */
  sent(id: string, at: number): void
  /** The browser was here. */
  seen(id: string, at: number): void
}

/** How soon a device that sleeps is to be woken (RFC 8030, section 5.3). */
export type Urgency = 'high' | 'normal' | 'low'

/** Sends messages to push services. */
export interface PushSender {
  readonly publicKey: string
  /** @param ttlS how long the service keeps the message for an offline device; `topic` replaces a message that it still keeps. Never rejects. */
  send(
    to: Subscription,
    message: { payload: string; ttlS: number; topic: string; urgency: Urgency },
    signal?: AbortSignal,
  ): Promise<Delivery>
}
