import type { Steps } from 'node-kit/steps'
import { redacted } from './assignments.ts'

/** The rest of a private key's BEGIN or END line. */
export const keyName = '(?:[A-Z\\d ]{0,40}PRIVATE KEY(?: BLOCK)?|OpenVPN Static key V1) ?-{4,5}'
const end = new RegExp(`-{4,5} ?END ${keyName}`, 'g')
/** Matches a line of a private key, also with a prefix that tools add: a quote sign, a line number, a name. */
const keyLine =
  /^[ \t>|]{0,80}(?:\d{1,5}[ \t:]{1,8})?(?:[\w.-]{1,40}: )?([A-Za-z\d+/=]+|(?:Proc-Type|DEK-Info|Version|Comment): .{0,100}|)[ \t]{0,80}$/
/** Characters before an END line that are read in one step; the step then goes on to the start of a line. */
const step = 16_384

/** Redacts the end of a private key whose beginning is cut off, as `tail` shows it. Linear in time. */
export function* redactHeadlessKeys(text: string): Steps<string> {
  let result = ''
  let copied = 0
  let last = 0
  for (const { index, 0: found } of text.matchAll(end)) {
    let key = { at: index, cut: index, isWhole: false }
    // A private key contains no END line of another key, so the search stops at the one before.
    while (key.at > last && !key.isWhole) {
      // `lineAt` is always before `key.at`: near the beginning it is 0.
      const lineAt = key.at <= step ? 0 : text.lastIndexOf('\n', key.at - step) + 1
      key = linesOfKey(text, Math.max(last, lineAt), key)
      yield undefined
    }
    last = index + found.length
    if (key.cut === index) continue
    result += text.slice(copied, key.cut) + redacted
    copied = last
  }
  return copied === 0 ? text : result + text.slice(copied)
}

/**
 * Reads lines of a key backwards from `at` to `from`.
 * @returns `cut`: the position where the key's text begins; `isWhole`: the line before it does not belong to the key
 */
function linesOfKey(text: string, from: number, { at, cut }: { at: number; cut: number }) {
  const lines = text.slice(from, at).split(/(\r\n|\n|\r|(?<!\\)\\+[nr])/)
  const key = { at: at - (lines.pop()?.length ?? 0), cut, isWhole: false }
  while (lines.length > 0) {
    const lineEnd = lines.pop() ?? ''
    const line = lines.pop() ?? ''
    const begins = key.at - lineEnd.length - line.length
    const body = keyLine.exec(line.replace(/(?<!\\)\\+$/, ''))?.[1]
    if (body === undefined) return { ...key, isWhole: true }
    if (body !== '') key.cut = begins + Math.max(0, line.lastIndexOf(body))
    key.at = begins
  }
  return key
}
