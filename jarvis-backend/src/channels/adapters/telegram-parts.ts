import type { Message, Update } from './telegram-incoming.ts'

/** Time within which the remaining parts arrive, ms: of an album (`albumMs`) and of a long text (`textMs`). */
const albumMs = 500
const textMs = 3_000
/** Time between two polls for the remaining parts, ms. */
export const partMs = 500
/** Telegram's apps cut a long text at 4,096 characters, or a little earlier at the end of a line or word. Nothing in the parts marks the cut. */
const mostChars = 4_096
const nearlyMost = 3_500

/** Time to wait for more parts of the last message, ms; 0: the message is complete. */
export function openForMs(updates: readonly Update[]): number {
  const message = updates.at(-1)?.message
  if (message?.media_group_id !== undefined) return albumMs
  // Orders are short, so a long text that begins like an order is not the first part of a text that a person pasted.
  return message !== undefined && isCut(message) && !beginsOrder(whole(updates).at(-1)?.message) ? textMs : 0
}

/** Joins the messages of an album or of a long text, which Telegram delivers one by one. The joined message is handled with the last part. */
export function whole(updates: readonly Update[]): Update[] {
  const made: Update[] = []
  let last: Message | undefined
  for (const update of updates) {
    const first = made.at(-1)?.message
    const { message } = update
    const joined = first && last && message && isOfOne(first, message) ? joinedTo(first, last, message) : undefined
    last = message
    if (joined === undefined) made.push(update)
    else made[made.length - 1] = { ...update, message: joined }
  }
  return made
}

const isCut = ({ text }: Message) => text !== undefined && text.length >= nearlyMost
const beginsOrder = (message: Message | undefined) => message?.text?.startsWith('/') === true
const isForwarded = ({ forward_origin, via_bot }: Message) => forward_origin !== undefined || via_bot !== undefined

const isOfOne = (first: Message, message: Message) =>
  message.chat.id === first.chat.id &&
  message.from?.id === first.from?.id &&
  message.message_thread_id === first.message_thread_id

/** Joins a message to the one before. @returns undefined if it is not a part of the one before */
function joinedTo(first: Message, last: Message, message: Message): Message | undefined {
  if (message.media_group_id !== undefined) {
    if (message.media_group_id !== first.media_group_id) return undefined
    const caption = first.caption ?? message.caption
    return { ...first, album: [...(first.album ?? [first]), message], ...(caption !== undefined && { caption }) }
  }
  const isRest =
    isCut(last) &&
    message.text !== undefined &&
    !beginsOrder(first) &&
    !beginsOrder(message) &&
    isForwarded(message) === isForwarded(first) &&
    (message.date - last.date) * 1_000 <= 2 * textMs
  if (!isRest) return undefined
  // Telegram removes the white space at which an app cut the text. If the cut was inside a word, there was no white space.
  const between = last.text?.length === mostChars ? '' : '\n'
  return { ...first, text: `${first.text}${between}${message.text}` }
}
