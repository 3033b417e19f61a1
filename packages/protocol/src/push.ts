import { z } from 'zod'
import { Base64Url } from './passkey.ts'

/** Schema of `count` bytes in base64url, padded or not. */
const bytes = (count: number) =>
  z.string().regex(new RegExp(`^[\\w-]{${Math.ceil((count * 4) / 3)}}=*$`), `must be ${count} bytes in base64url`)

/** A browser's `PushSubscription`, its label, and how much its messages may reveal. */
export const PushBody = z.strictObject({
  endpoint: z.url({ protocol: /^https$/, error: 'must be an https address' }).max(1_000),
  keys: z.strictObject({ p256dh: bytes(65), auth: bytes(16) }),
  /** A person's name for the device. */
  label: z.string().trim().min(1).max(60),
  /** If true, messages name no guest and no node, and nothing can be approved in them. */
  hidesNames: z.boolean().default(false),
  /** SPKI in DER of a key on P-256 whose private half stays in the browser: its notifications decide light cards. Absent: they open the page. */
  key: Base64Url.max(200).optional(),
})
export type PushBody = z.output<typeof PushBody>

/** `endpoint`: of the subscription that the browser has now, null where it has none any more; absent: not looked at. */
export const PushSeenBody = z.strictObject({ endpoint: z.string().max(1_000).nullable().optional() })
export type PushSeenBody = z.output<typeof PushSeenBody>

/** A browser that is notified of waiting cards. Unix ms. `problem`: why the newest message failed. */
export const PushDevice = z.object({
  id: z.string(),
  label: z.string(),
  hidesNames: z.boolean(),
  /** Notifications of the device decide light cards. */
  decides: z.boolean(),
  createdAt: z.number(),
  lastSentAt: z.number().optional(),
  /** When the browser itself was here. */
  lastSeenAt: z.number(),
  /** It was not for 90 days. */
  isUnseen: z.literal(true).optional(),
  problem: z.string().optional(),
})
export type PushDevice = z.infer<typeof PushDevice>
/** `publicKey`: the VAPID key that browsers subscribe with. */
export const PushReply = z.object({ publicKey: z.string(), items: z.array(PushDevice) })
export type PushReply = z.infer<typeof PushReply>

/**
 * Message to the browser's service worker, 3.8 kB at most. `path`: the page to open on this origin. `withdraws`: remove the
 * notification with this tag.
 */
export type PushMessage = {
  title: string
  body: string
  tag: string
  path: string
  withdraws?: true
  buttons?: PushButtons & { labels: PushLabels }
}

/** The text that a device signs to decide a card: `before`, the decision in quotes, and `after`, with its domain. */
export type PushButtons = { device: string; challenge: string; before: string; after: string }
/** The buttons that a notification has, in order; their labels name the deed. */
export type PushLabels = { does: 'approve' | 'deny'; label: string }[]

/** A pressed button. `signature`: ECDSA on P-256 with SHA-256, r and s, base64url. */
export const PushDecideBody = z.strictObject({
  device: z.string().max(60),
  challenge: Base64Url.max(60),
  decision: z.enum(['approved', 'denied']),
  signature: Base64Url.max(120),
})
export type PushDecideBody = z.infer<typeof PushDecideBody>
