import { redacted } from './assignments.ts'

/** The rest of a private key's BEGIN or END line. */
export const keyName = '(?:[A-Z\\d ]{0,40}PRIVATE KEY(?: BLOCK)?|OpenVPN Static key V1) ?-{4,5}'
const end = new RegExp(`-{4,5} ?END ${keyName}`, 'g')
/** A line of a key, with what tools put before lines: a quote sign, a line number, a name. */
const keyLine =
  /^[ \t>|]{0,80}(?:\d{1,5}[ \t:]{1,8})?(?:[\w.-]{1,40}: )?([A-Za-z\d+/=]{1,128}|(?:Proc-Type|DEK-Info|Version|Comment): .{0,100}|)[ \t]{0,80}$/
const mostChars = 16_384

/** Redacts the end of a private key whose beginning is cut off, as `tail` shows it. Linear in time. */
export function redactHeadlessKeys(text: string): string {
  let result = ''
  let copied = 0
  let last = 0
  for (const { index, 0: found } of text.matchAll(end)) {
    // A key has no end of another one in it.
    const from = Math.max(last, index - mostChars)
    last = index + found.length
    const lines = text.slice(from, index).split(/(\r\n|\n|\r|(?<!\\)\\+[nr])/)
    // Only an indent precedes the END line on its own line.
    let begins = index - (lines.pop()?.length ?? 0)
    let cut = index
    while (lines.length > 1) {
      const lineEnd = lines.pop() ?? ''
      const line = lines.pop() ?? ''
      const at = begins - lineEnd.length - line.length
      const body = keyLine.exec(line.replace(/(?<!\\)\\+$/, ''))?.[1]
      if (body === undefined) break
      if (body !== '') cut = at + Math.max(0, line.lastIndexOf(body))
      begins = at
    }
    const first = lines.length === 1 ? (lines[0] ?? '') : ''
    const lastWord = first.slice(-128)
    const quotedBody = /(?<![A-Za-z\d+/=])[A-Za-z\d+/=]{16,}$/.exec(lastWord)
    if (quotedBody !== null) cut = from + first.length - lastWord.length + quotedBody.index
    if (cut === index) continue
    result += text.slice(copied, cut) + redacted
    copied = index + found.length
  }
  return copied === 0 ? text : result + text.slice(copied)
}
