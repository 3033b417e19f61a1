import type { PairedChat } from '../channel.ts'
import type { Recipient } from '../ports.ts'

/** The private chat of a recipient; undefined if nobody is paired, or the person may not talk there. @param thread empty: the chat itself */
export function pairedChat({ user, chat, talks, isGroup }: Recipient, thread: string): PairedChat | undefined {
  if (user === '' || chat === '' || !talks || isGroup) return undefined
  return { user, chat, ...(thread !== '' && { thread }) } as PairedChat
}
