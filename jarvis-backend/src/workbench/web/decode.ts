/** A declaration of the charset is searched for in this many first bytes, as browsers do. */
const lookedAt = 1024

const marks: readonly (readonly [bytes: readonly number[], charset: string])[] = [
  [[0xef, 0xbb, 0xbf], 'utf-8'],
  [[0xff, 0xfe], 'utf-16le'],
  [[0xfe, 0xff], 'utf-16be'],
]

/**
 * Decodes the body of an answer. The charset comes from the byte order mark, otherwise from the header, otherwise from the document, otherwise it is
 * UTF-8. If the charset is unknown, or none is declared and the bytes are not UTF-8, windows-1252 is used, as browsers do. Never throws.
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
