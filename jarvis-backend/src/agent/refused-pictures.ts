import { pictureFacts } from '../lib/picture.ts'
import type { Message, ModelImage } from './model.ts'
import type { StoredEntry } from './sessions/transcript-store.ts'

/** True if the picture `id` of the message at `seq` was refused by the model’s server after that message. */
export type IsRefused = (id: string, seq: number) => boolean

/**
 * @returns a function that is true for a refused picture of the message at `seq`, if the refusal came after that message. The message is then sent
 * without the picture
 */
export function refusedIn(entries: readonly StoredEntry[]): IsRefused {
  const refused = new Map<string, number>()
  for (const entry of entries)
    if (entry.type === 'picture_refused') for (const id of entry.pictures) refused.set(id, entry.seq)
  return (id, seq) => (refused.get(id) ?? -1) > seq
}

/**
 * Finds the pictures of a request that a server refused: the pictures above the limit that the error names, otherwise the pictures of the last
 * message that has any.
 * @param said the server’s error message. @returns the pictures’ ids; empty if the request has no pictures
 */
export function refusedPictures(said: string, messages: readonly Message[]): string[] {
  const groups = messages.map((message) =>
    message.role === 'user' ? [...message.results.flatMap(({ images = [] }) => images), ...(message.images ?? [])] : [],
  )
  const isOver = limitIn(said)
  const over = isOver === undefined ? [] : groups.flat().filter(isOver)
  const last = groups.findLast((images) => images.length > 0) ?? []
  return [...new Set((over.length > 0 ? over : last).flatMap(({ id }) => id ?? []))]
}

function limitIn(said: string): ((image: ModelImage) => boolean) | undefined {
  const number = (text: string | undefined) => (text === undefined ? Number.NaN : Number(text.replaceAll(',', '')))
  const px = number(/(\d[\d,]{1,8}) ?(?:pixels|px)\b/i.exec(said)?.[1])
  if (px > 0)
    return ({ data }) => {
      const { widthPx = 0, heightPx = 0 } = pictureFacts(data) ?? {}
      return Math.max(widthPx, heightPx) > px
    }
  const bytes = number(/> ?(\d[\d,]{3,12}) ?bytes/i.exec(said)?.[1])
  // Some servers count the bytes in base64.
  return bytes > 0 ? ({ data }) => (data.length * 4) / 3 > bytes : undefined
}

/** Returns the pictures attached to a run’s own message: their names by id. */
export const ownPictures = (entries: readonly StoredEntry[]): ReadonlyMap<string, string> =>
  new Map(
    entries.flatMap((entry) =>
      entry.type === 'user' ? (entry.attachments ?? []).map(({ id, name }) => [id, name] as const) : [],
    ),
  )
