import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createLogReader } from './log-frames.ts'

export const frame = (stream: number, text: string | Uint8Array): Buffer => {
  const bytes = Buffer.from(text as string)
  const head = Buffer.alloc(8)
  head[0] = stream
  head.writeUInt32BE(bytes.length, 4)
  return Buffer.concat([head, bytes])
}
const read = (chunks: readonly Buffer[], isTty = false) => {
  const reader = createLogReader(isTty)
  for (const chunk of chunks) reader.add(chunk)
  return reader.text()
}

test('both streams become one text, wherever the chunks are cut', () => {
  fc.assert(
    fc.property(
      fc.array(fc.tuple(fc.constantFrom(1, 2), fc.string({ unit: 'grapheme' }))),
      fc.nat(20),
      (parts, cut) => {
        const bytes = Buffer.concat(parts.map(([stream, text]) => frame(stream, text)))
        const chunks = Array.from({ length: Math.ceil(bytes.length / (cut + 1)) }, (_, at) =>
          bytes.subarray(at * (cut + 1), (at + 1) * (cut + 1)),
        )
        expect(read(chunks)).toEqual({ text: parts.map(([, text]) => text).join(''), isCut: false })
      },
    ),
  )
})

test('a long text keeps its first and last characters and counts what is left out', () => {
  const { text, isCut } = read(
    Array.from({ length: 400 }, (_, at) => frame(1, `${String(at).padStart(4, '0')}${'x'.repeat(995)}\n`)),
  )
  expect(isCut).toBe(true)
  expect(text).toMatch(/^0000x/)
  expect(text).toContain('… 300000 characters left out …')
  expect(text.trimEnd()).toMatch(/x$/)
  expect(text.length).toBeLessThan(101_000)
})

test.each([
  ['a terminal has one stream without heads', [Buffer.from('\x01\x00\x00\x00plain')], true, '\x01\x00\x00\x00plain'],
  ['another maker’s stream without heads is read as it is', [Buffer.from('plain words')], false, 'plain words'],
  ['a letter cut in two stays whole', [frame(1, Buffer.from([0xc3])), frame(1, Buffer.from([0xbc]))], false, 'ü'],
])('%s', (_what, chunks, isTty, text) => {
  expect(read(chunks, isTty)).toEqual({ text, isCut: false })
})
