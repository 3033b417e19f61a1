import { z } from 'zod'
import { Base64Url } from './passkey.ts'

/** Schema of `count` bytes in base64url, padded or not. */
const bytes = (count: number) =>
  z.string().regex(new RegExp(`^[\\w-]{${Math.ceil((count * 4) / 3)}}=*$`), `must be ${count} bytes in base64url`)

/** A browser's `PushSubscription`, its label, and if its messages hide names. */
export const PushBody = z.strictObject({
  endpoint: z.url({ protocol: /^https$/, error: 'must be an https address' }).max(1_000),
  keys: z.strictObject({ p256dh: bytes(65), auth: bytes(16) }),
  /** A person's name for the device. */
  label: z.string().trim().min(1).max(60),
  /** True: messages name no guest and no node, and contain no button that approves. */
  hidesNames: z.boolean().default(false),
  /**
   * SPKI in DER of a P-256 key whose private half stays in the browser. With it, the browser's notifications can decide light cards, such as one
   * clean start or stop of a guest. Absent: notifications only open the page.
   */
  key: Base64Url.max(200).optional(),
})
export type PushBody = z.output<typeof PushBody>

/** `endpoint`: the endpoint of the browser's present subscription; null: it has none any more; absent: the page did not check. */
export const PushSeenBody = z.strictObject({ endpoint: z.string().max(1_000).nullable().optional() })
export type PushSeenBody = z.output<typeof PushSeenBody>

/** A browser that gets notifications of waiting cards. Times in Unix ms. `problem`: why the newest message failed. */
export const PushDevice = z.object({
  id: z.string(),
  label: z.string(),
  hidesNames: z.boolean(),
  /** Notifications on the device can decide light cards. */
  decides: z.boolean(),
  createdAt: z.number(),
  lastSentAt: z.number().optional(),
  /** When the browser last opened the dashboard. */
  lastSeenAt: z.number(),
  /** The browser has not opened the dashboard for 90 days. */
  isUnseen: z.literal(true).optional(),
  problem: z.string().optional(),
})
export type PushDevice = z.infer<typeof PushDevice>
/** `publicKey`: the VAPID key that browsers subscribe with. */
export const PushReply = z.object({ publicKey: z.string(), items: z.array(PushDevice) })
export type PushReply = z.infer<typeof PushReply>

/**
 * A message to the browser's service worker, 3.8 kB at most. `path`: the page to open on this origin. `withdraws`: the notification with this tag is
 * removed.
 */
export type PushMessage = {
  title: string
  body: string
  tag: string
  path: string
  withdraws?: true
  buttons?: PushButtons & { labels: PushLabels }
}

/** The text that a device signs to decide a card: `before`, the decision in quotes, and `after`. The domain of device signatures is put before it. */
export type PushButtons = { device: string; challenge: string; before: string; after: string }
/** The buttons of a notification, in order. Their labels name the action. */
export type PushLabels = { does: 'approve' | 'deny'; label: string }[]

/** The decision by a button of a notification. `signature`: ECDSA on P-256 with SHA-256, r and s, base64url. */
export const PushDecideBody = z.strictObject({
  device: z.string().max(60),
  challenge: Base64Url.max(60),
  decision: z.enum(['approved', 'denied']),
  signature: Base64Url.max(120),
})
export type PushDecideBody = z.infer<typeof PushDecideBody>
