/** Facts from the first bytes of a picture. Width and height are in pixels; undefined if the header does not contain them. */
export type PictureFacts = {
  mimeType: 'image/png' | 'image/jpeg' | 'image/webp' | 'image/gif'
  widthPx?: number
  heightPx?: number
}

type Reader = (data: Buffer) => [width: number, height: number] | undefined

const kinds: readonly (readonly [PictureFacts['mimeType'], RegExp, Reader])[] = [
  ['image/png', /^89504e470d0a1a0a/, (data) => [data.readUInt32BE(16), data.readUInt32BE(20)]],
  ['image/jpeg', /^ffd8ff/, sidesOfJpeg],
  ['image/gif', /^474946383[79]61/, (data) => [data.readUInt16LE(6), data.readUInt16LE(8)]],
  ['image/webp', /^52494646.{8}57454250/, sidesOfWebp],
]

/** Reads a picture’s type and size from its bytes, regardless of the file’s name. @returns undefined for any other kind of file */
export function pictureFacts(data: Buffer): PictureFacts | undefined {
  const head = data.subarray(0, 16).toString('hex')
  const kind = kinds.find(([, signature]) => signature.test(head))
  if (kind === undefined) return undefined
  const [mimeType, , sides] = kind
  try {
    const [widthPx, heightPx] = sides(data) ?? []
    return widthPx && heightPx ? { mimeType, widthPx, heightPx } : { mimeType }
  } catch {
    // The header is incomplete, so the size is not known.
    return { mimeType }
  }
}

/** Reads width and height from the first segment that begins a frame, following the segments one by one. */
function sidesOfJpeg(data: Buffer): [number, number] | undefined {
  for (let at = 2; ; ) {
    if (data.readUInt8(at) !== 0xff) return undefined
    const marker = data.readUInt8(at + 1)
    if (marker === 0xff) at += 1
    else if (marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker))
      return [data.readUInt16BE(at + 7), data.readUInt16BE(at + 5)]
    else at += 2 + data.readUInt16BE(at + 2)
  }
}

function sidesOfWebp(data: Buffer): [number, number] | undefined {
  switch (data.toString('latin1', 12, 16)) {
    case 'VP8 ':
      return [data.readUInt16LE(26) & 0x3fff, data.readUInt16LE(28) & 0x3fff]
    case 'VP8L': {
      const bits = data.readUInt32LE(21)
      return [(bits & 0x3fff) + 1, ((bits >>> 14) & 0x3fff) + 1]
    }
    case 'VP8X':
      return [data.readUIntLE(24, 3) + 1, data.readUIntLE(27, 3) + 1]
    default:
      return undefined
  }
}
