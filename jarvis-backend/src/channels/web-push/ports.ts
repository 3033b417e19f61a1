import type { Delivery } from '../channel.ts'

/** The id of the channel for browsers. */
export const webPushId = 'webpush'

/** The address and keys of one browser's push subscription. The address is never shown, because anyone who knows it can send to the browser. */
export type Subscription = { endpoint: string; p256dh: string; auth: string }

/**
 * A stored subscription. `id`: the recipient's id. `lastSentAt`: the time when a push service last accepted a message, Unix ms. `seenAt`: the time
 * when the browser itself last contacted JARVIS, Unix ms.
 */
export type StoredSubscription = Subscription & { id: string; lastSentAt?: number; seenAt?: number }

/** Subscriptions, one for each recipient. A subscription is removed together with its recipient. */
export interface SubscriptionStore {
  /** Adds a subscription, and replaces an earlier one of its recipient. */
  add(subscription: Subscription & { id: string }): void
  get(id: string): StoredSubscription | undefined
  byEndpoint(endpoint: string): StoredSubscription | undefined
  /** Records that a push service accepted a message. */
  sent(id: string, at: number): void
  /** Records that the browser contacted JARVIS. */
  seen(id: string, at: number): void
}

/** The urgency with which a sleeping device is woken (RFC 8030, section 5.3). */
export type Urgency = 'high' | 'normal' | 'low'

/** Sends messages to push services. */
export interface PushSender {
  readonly publicKey: string
  /**
   * Sends a message. Never rejects. @param ttlS time for which the service keeps the message for an offline device, seconds; `topic`: the message
   * replaces a kept one with the same topic
   */
  send(
    to: Subscription,
    message: { payload: string; ttlS: number; topic: string; urgency: Urgency },
    signal?: AbortSignal,
  ): Promise<Delivery>
}
