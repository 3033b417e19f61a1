import { largestPicture } from 'protocol'
import { pictureFacts } from '../../lib/picture.ts'
import type { ToolImage } from '../../tools/tool.ts'

export const mostImages = 4

/** A picture, with its type read from its bytes. @returns undefined for any other kind, or one too large */
export function imageOf(base64: string): ToolImage | undefined {
  if ((base64.length * 3) / 4 > largestPicture) return undefined
  const data = Buffer.from(base64, 'base64')
  const { mimeType } = pictureFacts(data) ?? {}
  return mimeType === undefined ? undefined : { mimeType, data }
}

/** `[image, 120 kB, image/png]`: stands for a picture where it cannot be shown. */
export const inWords = ({ mimeType, data }: ToolImage): string =>
  `[image, ${Math.max(1, Math.round(data.length / 1_000))} kB, ${mimeType}]`
