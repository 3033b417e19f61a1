import { isLongUnseen } from 'protocol'
import type { Recipient } from '../ports.ts'
import type { SubscriptionStore } from './ports.ts'

/** The last time that a browser contacted JARVIS, Unix ms; the time of its subscription if it has not done so since. */
export const seenAtOf = (subscriptions: Pick<SubscriptionStore, 'get'>, { id, createdAt }: Recipient): number =>
  Math.max(createdAt, subscriptions.get(id)?.seenAt ?? 0)

/** The browsers that have not contacted JARVIS for 90 days. */
export const unseenDevices = (
  devices: readonly Recipient[],
  subscriptions: Pick<SubscriptionStore, 'get'>,
  now: number,
): Recipient[] => devices.filter((device) => isLongUnseen(seenAtOf(subscriptions, device), now))
