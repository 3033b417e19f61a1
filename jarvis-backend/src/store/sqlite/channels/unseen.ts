import { webPushId } from '../../../channels/web-push/ports.ts'
import { unseenDevices } from '../../../channels/web-push/unseen.ts'
import type { Database } from '../database.ts'
import { SqliteRecipientStore } from './recipients.ts'
import { SqliteSubscriptionStore } from './subscriptions.ts'

/** The browsers in a database that get messages about cards and were not seen for 90 days. */
export const unseenIn = (database: Database, now: number) =>
  unseenDevices(new SqliteRecipientStore(database).list(webPushId), new SqliteSubscriptionStore(database), now)
