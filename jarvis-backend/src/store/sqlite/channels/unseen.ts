import { webPushId } from '../../../channels/web-push/ports.ts'
import { unseenDevices } from '../../../channels/web-push/unseen.ts'
import type { Database } from '../database.ts'
import { createRecipientStore } from './recipients.ts'
import { createSubscriptionStore } from './subscriptions.ts'

/** The browsers in a database that get messages about cards and were not seen for 90 days. */
export const unseenIn = (database: Database, now: number) =>
  unseenDevices(createRecipientStore(database).list(webPushId), createSubscriptionStore(database), now)
