/** Looks for a declaration of the charset no further than browsers do, bytes. */
const lookedAt = 1024

const marks: readonly (readonly [bytes: readonly number[], charset: string])[] = [
  [[0xef, 0xbb, 0xbf], 'utf-8'],
  [[0xff, 0xfe], 'utf-16le'],
  [[0xfe, 0xff], 'utf-16be'],
]

/**
 * The text of an answer: by its byte order mark, the header's charset, the document's own, then UTF-8. A charset that is unknown or not
 * declared, where the bytes are no UTF-8, gives windows-1252, as browsers do. Never throws.
 */
export function decode(body: Buffer, charset: string | undefined): string {
  const marked = marks.find(([bytes]) => bytes.every((byte, at) => body[at] === byte))?.[1]
  const declared = marked ?? charset ?? declaredIn(body)
  const decoder = declared === undefined ? undefined : decoderFor(declared)
  if (decoder !== undefined) return decoder.decode(body)
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(body)
  } catch {
    return new TextDecoder('windows-1252').decode(body)
  }
}

function declaredIn(body: Buffer): string | undefined {
  const head = body.toString('latin1', 0, lookedAt)
  return (
    /<meta[^<>]{0,200}?charset\s*=\s*["']?([\w:.-]{1,40})/i.exec(head)?.[1] ??
    /^<\?xml[^>]{0,100}?encoding\s*=\s*["']([\w:.-]{1,40})/i.exec(head)?.[1]
  )
}

function decoderFor(label: string): InstanceType<typeof TextDecoder> | undefined {
  try {
    return new TextDecoder(label)
  } catch {
    return undefined
  }
}
