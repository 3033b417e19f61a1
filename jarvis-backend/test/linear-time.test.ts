import { createRedactor } from 'redaction/redact'
import { createStreamRedactor } from 'redaction/stream'
import { legible, quoted } from 'redaction/visible'
import { awkPipe } from 'ssh-grammar/awk'
import { expect, test } from 'vitest'
import { cpuMs } from '../../scripts/cpu-ms.ts'
import { addressed } from '../src/agent/agent-order.ts'
import { steady } from '../src/agent/steady.ts'
import { passwordProblem } from '../src/auth/password-rules.ts'
import { escaped } from '../src/channels/adapters/discord-markdown.ts'
import { namedAgent, orderOf } from '../src/channels/talk/orders.ts'
import { globPattern } from '../src/workbench/files/glob.ts'

const redactor = createRedactor(['a configured secret'])
function streamed(text: string) {
  const stream = createStreamRedactor(redactor)
  return stream.push(text) + stream.flush()
}

/** Units that make a long text which begins something again and again. */
const units = {
  redact: [
    '\\',
    'password: ',
    '-----END PRIVATE KEY-----\n',
    '"a":"',
    'cookie: ',
    '://a:',
    '[1,',
    'a#',
    'secret: |\n ',
  ],
  words: [' ', 'a', '1 s ', 'seq ', 'a-', '\n', '> ', '@a ', '\0', '\u200b', 'a\0'],
}
const passes: readonly [string, (text: string) => unknown, readonly string[]][] = [
  ['redaction', redactor.text, units.redact],
  ['redaction of a stream', streamed, units.redact],
  ['legible text', legible, units.words],
  ['quoted text', quoted, units.words],
  ['results without clocks', steady, units.words],
  [
    'the agent of a message',
    (text) => [addressed(`@a${text}`), namedAgent(`@a${text}`), orderOf(`/a${text}`)],
    units.words,
  ],
  ['the escapes of Discord', escaped, units.words],
  ['an awk program', (text) => awkPipe.judge([`{printf "${text}"}`]), ['%01i', '%', '\\t']],
  ['a glob', (text) => globPattern('*a*a*a*a*a*a*b').test(text), ['a', 'a/']],
  ['a password', (text) => passwordProblem(text.slice(0, 1_000), []), ['a', '1', 'ab!', 'jarvis']],
]

test.each(passes)('%s takes time in proportion to the length', (_what, pass, given) => {
  for (const unit of given) {
    const text = (length: number) => `${unit.repeat(length / unit.length)}\n"x`
    pass(text(10_000))
    const [short, long] = [20_000, 80_000].map((length) => cpuMs(() => pass(text(length)))) as [number, number]
    // Quadratic time is sixteen times as long for a text four times as long; a few milliseconds say nothing.
    expect(long, JSON.stringify(unit)).toBeLessThan(10 * short + 100)
  }
})
