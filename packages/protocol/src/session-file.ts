import { z } from 'zod'

/** The call that wrote a file last, as far as the session's entries tell. `seq`: number of the entry with its result. */
const WrittenBy = z.object({ toolUseId: z.string(), toolName: z.string(), seq: z.int() })

/**
 * A file of a session's own folder, which tools name `session/PATH`. `changedAt`: Unix ms. `isGone`: a call wrote the file, and it is not there any
 * more. `by` is absent if no entry of the session names the file. Served at `/api/sessions/:id/files/PATH`.
 */
export const SessionFile = z.object({
  path: z.string(),
  bytes: z.int().optional(),
  changedAt: z.int().optional(),
  isGone: z.literal(true).optional(),
  by: WrittenBy.optional(),
})
export type SessionFile = z.infer<typeof SessionFile>

/** `isCut`: the folder holds more files than are listed. */
export const SessionFilesReply = z.object({ items: z.array(SessionFile), isCut: z.literal(true).optional() })
export type SessionFilesReply = z.infer<typeof SessionFilesReply>
