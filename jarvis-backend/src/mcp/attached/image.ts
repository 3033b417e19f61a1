import type { ImageType } from '../../protocol/index.ts'
import type { ToolImage } from '../../tools/tool.ts'

/** The largest picture that models take in base64. */
const largestBytes = 3_500_000
export const mostImages = 4

/** First bytes of each type, in hex. */
const signatures: readonly (readonly [ImageType, RegExp])[] = [
  ['image/png', /^89504e470d0a1a0a/],
  ['image/jpeg', /^ffd8ff/],
  ['image/gif', /^474946383[79]61/],
  ['image/webp', /^52494646.{8}57454250/],
]

/** A picture, with its type read from its bytes. @returns undefined for any other kind, or one too large */
export function imageOf(base64: string): ToolImage | undefined {
  if ((base64.length * 3) / 4 > largestBytes) return undefined
  const data = Buffer.from(base64, 'base64')
  const head = data.subarray(0, 16).toString('hex')
  const mimeType = signatures.find(([, signature]) => signature.test(head))?.[0]
  return mimeType === undefined ? undefined : { mimeType, data }
}

/** `[image, 120 kB, image/png]`: stands for a picture where it cannot be shown. */
export const inWords = ({ mimeType, data }: ToolImage): string =>
  `[image, ${Math.max(1, Math.round(data.length / 1_000))} kB, ${mimeType}]`
