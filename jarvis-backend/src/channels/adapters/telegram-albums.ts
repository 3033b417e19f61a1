import type { Update } from './telegram-incoming.ts'

/** How long the rest of an album may take to arrive, ms. */
export const albumMs = 500

/** Whether more of an album may follow. */
export const endsInAlbum = (updates: readonly Update[]): boolean =>
  updates.at(-1)?.message?.media_group_id !== undefined

/** Telegram hands an album over as a message for each picture: those that follow each other become one, which is taken with the last of them. */
export function withAlbums(updates: readonly Update[]): Update[] {
  const made: Update[] = []
  for (const update of updates) {
    const first = made.at(-1)?.message
    const { message } = update
    const isMore =
      first !== undefined &&
      message?.media_group_id !== undefined &&
      message.media_group_id === first.media_group_id &&
      message.chat.id === first.chat.id &&
      message.from?.id === first.from?.id
    if (!isMore) {
      made.push(update)
      continue
    }
    const caption = first.caption ?? message.caption
    const album = [...(first.album ?? [first]), message]
    made[made.length - 1] = { ...update, message: { ...first, album, ...(caption !== undefined && { caption }) } }
  }
  return made
}
