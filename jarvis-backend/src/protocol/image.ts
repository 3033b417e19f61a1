import { z } from 'zod'

/** Pictures that are shown and passed on; never SVG, which is markup. */
export const imageTypes = ['image/png', 'image/jpeg', 'image/webp', 'image/gif'] as const
export type ImageType = (typeof imageTypes)[number]

/** A picture that a tool gave; `id`: its SHA-256 in hex. Read at `/api/sessions/:id/images/:imageId`. */
export const Image = z.object({ id: z.string(), mimeType: z.enum(imageTypes), bytes: z.int() })
export type Image = z.infer<typeof Image>
