import { z } from 'zod'

/** Picture types that JARVIS shows and sends to models. SVG is left out, because it is markup. */
export const imageTypes = ['image/png', 'image/jpeg', 'image/webp', 'image/gif'] as const
export type ImageType = (typeof imageTypes)[number]

/** A picture in a tool's output; `id`: its SHA-256, hex. Served at `/api/sessions/:id/images/:imageId`. */
export const Image = z.object({ id: z.string(), mimeType: z.enum(imageTypes), bytes: z.int() })
export type Image = z.infer<typeof Image>
