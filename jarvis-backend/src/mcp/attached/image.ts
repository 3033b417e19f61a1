import { largestPicture } from 'protocol'
import { pictureFacts } from '../../lib/picture.ts'
import type { ToolImage } from '../../tools/tool.ts'

export const mostImages = 4

/** Reads a picture; its type is detected from its bytes. @returns undefined for other data, or if the picture is too large */
export function imageOf(base64: string): ToolImage | undefined {
  if ((base64.length * 3) / 4 > largestPicture) return undefined
  const data = Buffer.from(base64, 'base64')
  const { mimeType } = pictureFacts(data) ?? {}
  return mimeType === undefined ? undefined : { mimeType, data }
}

/** Returns a text such as `[image, 120 kB, image/png]` for places where a picture cannot be shown. */
export const inWords = ({ mimeType, data }: ToolImage): string =>
  `[image, ${Math.max(1, Math.round(data.length / 1_000))} kB, ${mimeType}]`
