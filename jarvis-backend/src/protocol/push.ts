import { z } from 'zod'

/** Base64url, padded or not. */
const bytes = (count: number) =>
  z.string().regex(new RegExp(`^[\\w-]{${Math.ceil((count * 4) / 3)}}=*$`), `must be ${count} bytes in base64url`)

/** What a browser's `PushSubscription` says of itself, and how much its messages may say. */
export const PushBody = z.strictObject({
  endpoint: z.url({ protocol: /^https$/, error: 'must be an https address' }).max(1_000),
  keys: z.strictObject({ p256dh: bytes(65), auth: bytes(16) }),
  /** What a person knows the device by. */
  label: z.string().trim().min(1).max(60),
  /** Messages name no guest and no node. */
  hidesNames: z.boolean().default(false),
})
export type PushBody = z.output<typeof PushBody>

/** A browser that is told of waiting cards. Unix ms. `problem`: why the newest message did not get through. */
export type PushDevice = {
  id: string
  label: string
  hidesNames: boolean
  createdAt: number
  lastSentAt?: number
  problem?: string
}
/** `publicKey`: what a browser subscribes with. */
export type PushReply = { publicKey: string; items: PushDevice[] }

/**
 * What the browser's worker is sent, at most some hundred bytes. `path`: the page to open, of this origin.
 * `withdraws`: the notification with this tag is taken away.
 */
export type PushMessage = { title: string; body: string; tag: string; path: string; withdraws?: true }
