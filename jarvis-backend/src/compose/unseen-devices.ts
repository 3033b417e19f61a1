import { webPushId } from '../channels/web-push/ports.ts'
import { unseenDevices } from '../channels/web-push/unseen.ts'
import { createRecipientStore } from '../store/sqlite/channels/recipients.ts'
import { createSubscriptionStore } from '../store/sqlite/channels/subscriptions.ts'
import type { Database } from '../store/sqlite/database.ts'

/** Browsers in a database that are told of cards and were not here for 90 days. */
export const unseenIn = (database: Database, now: number) =>
  unseenDevices(createRecipientStore(database).list(webPushId), createSubscriptionStore(database), now)
