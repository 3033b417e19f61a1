import type { Incoming, IncomingText } from '../channel.ts'
import type { Received, Recipient } from '../ports.ts'

/** Something that a paired person wrote or pressed in their own private chat. */
export type Arrival<What extends Incoming = IncomingText> = Omit<Received<What>, 'account'> & { to: Recipient }
