import { z } from 'zod'
import { imageTypes } from './image.ts'

export const AttachmentId = z.string().regex(/^att_[a-z\d]{8,64}$/)
/** Maximum number of files attached to one message. */
export const mostAttachments = 8
/** Largest picture, bytes: providers accept at most 5 MB in base64. */
export const largestPicture = 3_500_000
/** Longest side of a picture, px: providers refuse larger ones. */
export const longestSidePx = 8_000
/** Largest text file, bytes. */
export const largestTextFile = 512 * 1024

/**
 * A file that a person attached to a message: a picture, or text in UTF-8. `bytes`: the stored size. Served at
 * `/api/sessions/:id/attachments/:attachmentId`.
 */
export const Attachment = z.object({
  id: AttachmentId,
  name: z.string(),
  mimeType: z.enum([...imageTypes, 'text/plain']),
  bytes: z.int(),
  widthPx: z.int().optional(),
  heightPx: z.int().optional(),
})
export type Attachment = z.infer<typeof Attachment>
export type TranscriptionReply = z.infer<typeof TranscriptionReply>

/** Ids of uploaded files that are sent with a message. */
export const AttachmentIds = z.array(AttachmentId).min(1).max(mostAttachments)

/**
 * Tests if a text is base64. It looks for one wrong character, because a pattern for the whole text would need a backtracking step for each of
 * millions of characters.
 */
export const isBase64 = (text: string): boolean => text !== '' && !/[^A-Za-z\d+/=]|=[^=]|===/.test(text)

/** `POST /api/attachments`. `data`: the file in base64. */
export const AttachmentBody = z.strictObject({
  name: z.string().trim().min(1).max(200),
  data: z.string().refine(isBase64, 'is not base64'),
})

export const isPicture = ({ mimeType }: Pick<Attachment, 'mimeType'>): boolean => mimeType !== 'text/plain'

/** `POST /api/transcriptions`. `name`: its extension names the audio format. `data`: the recording in base64. */
export const TranscriptionBody = z.strictObject({
  name: z.string().regex(/^[\w-]{1,60}\.(?:ogg|webm|mp4|m4a|mp3|wav)$/, 'is a name such as voice.ogg'),
  data: z.string().refine(isBase64, 'is not base64'),
})
export const TranscriptionReply = z.object({ text: z.string() })
