import { expect, test } from 'vitest'
import { folded, linesOf, outputIn, webAddress, withoutScheme } from './texts.ts'

const esc = String.fromCharCode(27)

test.each([
  ['colours and moves of the cursor say nothing', `${esc}[1;31mred${esc}[0m ${esc}[2K${esc}[1Aup`, ['red up']],
  ['the same with their first character as a code', '⟨U+001B⟩[2K⟨U+001B⟩[0;32mdone⟨U+001B⟩[?25l', ['done']],
  [
    'another sequence stays to be seen',
    `${esc}]8;;https://evil.example${esc}\\x`,
    [`${esc}]8;;https://evil.example${esc}\\x`],
  ],
  ['a line drawn over again stands there each time', '10 %\r20 %\r\n30 %', ['10 %', '20 %', '30 %']],
  ['empty lines at the end are none', 'a\n\nb\n \n\n', ['a', '', 'b']],
  ['nothing was printed', '\n', []],
])('%s', (_, text, lines) => {
  expect(linesOf(text)).toEqual(lines)
})

test.each([
  ['after its line', 'cmd_1: exit code 0.\noutput:\na\noutput:\nb', 'a\noutput:\nb'],
  ['at the very beginning', 'output:\na', 'a'],
  ['no such line', 'It never ran: output: none', undefined],
])('the output in a result: %s', (_, result, output) => {
  expect(outputIn(result)).toBe(output)
})

test('the first and last lines are shown, and never one line alone is left out', () => {
  const lines = Array.from({ length: 12 }, (_, at) => `${at + 1}`)
  expect(folded(lines, 3, 8)).toEqual({ head: lines, left: 0, tail: [] })
  expect(folded([...lines, '13'], 3, 8)).toMatchObject({ head: ['1', '2', '3'], left: 2, tail: { length: 8, 7: '13' } })
})

test.each([
  ['https://example.org/a?b', 'example.org'],
  ['http://192.168.1.1:8080/', '192.168.1.1:8080'],
  ['https://xn--bnk-6na.example/', 'xn--bnk-6na.example'],
  ['https://bаnk.example/', 'xn--bnk-6cd.example'],
  ['https://bank.example@evil.example/', undefined],
  ['javascript:alert(1)', undefined],
  ['data:text/html,<b>x</b>', undefined],
  ['file:///etc/passwd', undefined],
  ['//evil.example', undefined],
  ['', undefined],
])('%s leads to %s', (url, host) => {
  expect(webAddress(url)?.host).toBe(host)
})

test('an address is drawn without its scheme', () => {
  expect(['https://a.example/b', 'ftp://c'].map(withoutScheme)).toEqual(['a.example/b', 'ftp://c'])
})
