import type { ChannelKind, Incoming, IncomingText } from '../channel.ts'
import type { Recipient } from '../ports.ts'

/**
 * What a paired person wrote or pressed in their own private chat. `advance` notes that it was taken: call it once, in the transaction that
 * stores what follows from it.
 */
export type Arrival<What extends Incoming = IncomingText> = {
  to: Recipient
  kind: ChannelKind
  incoming: What
  advance(): void
}
