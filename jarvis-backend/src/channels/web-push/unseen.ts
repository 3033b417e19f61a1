import { isLongUnseen } from 'protocol'
import type { Recipient } from '../ports.ts'
import type { SubscriptionStore } from './ports.ts'

/** The last time that a browser was here, Unix ms. */
export const seenAtOf = (subscriptions: Pick<SubscriptionStore, 'get'>, { id, createdAt }: Recipient): number =>
  Math.max(createdAt, subscriptions.get(id)?.seenAt ?? 0)

/** The browsers that are told of cards and were not here for 90 days. */
export const unseenDevices = (
  devices: readonly Recipient[],
  subscriptions: Pick<SubscriptionStore, 'get'>,
  now: number,
): Recipient[] => devices.filter((device) => isLongUnseen(seenAtOf(subscriptions, device), now))
