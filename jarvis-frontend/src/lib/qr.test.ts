import { expect, test } from 'vitest'
import { qrOf } from './qr.ts'

/** The formats of correction M by mask, and the words of the versions that tell theirs, as ISO/IEC 18004 lists them. */
const formats = [
  ...['101010000010010', '101000100100101', '101111001111100', '101101101001011'],
  ...['100010111111001', '100000011001110', '100111110010111', '100101010100000'],
]
const versionWords: Record<number, string> = {
  7: '000111110010010100',
  8: '001000010110111100',
  9: '001001101010011001',
  10: '001010010011010011',
}
const alignments: Record<number, number[]> = {
  2: [6, 18],
  3: [6, 22],
  4: [6, 26],
  5: [6, 30],
  6: [6, 34],
  7: [6, 22, 38],
  8: [6, 24, 42],
  9: [6, 26, 46],
  10: [6, 28, 50],
}
/** Blocks: how many, and the data and correction codewords of each. */
const blocksOf: Record<number, [count: number, data: number, ecc: number][]> = {
  1: [[1, 16, 10]],
  2: [[1, 28, 16]],
  3: [[1, 44, 26]],
  4: [[2, 32, 18]],
  5: [[2, 43, 24]],
  6: [[4, 27, 16]],
  7: [[4, 31, 18]],
  8: [
    [2, 38, 22],
    [2, 39, 22],
  ],
  9: [
    [3, 36, 22],
    [2, 37, 22],
  ],
  10: [
    [4, 43, 26],
    [1, 44, 26],
  ],
}
const rules: ((row: number, column: number) => boolean)[] = [
  (i, j) => (i + j) % 2 === 0,
  (i) => i % 2 === 0,
  (_i, j) => j % 3 === 0,
  (i, j) => (i + j) % 3 === 0,
  (i, j) => (Math.floor(i / 2) + Math.floor(j / 3)) % 2 === 0,
  (i, j) => ((i * j) % 2) + ((i * j) % 3) === 0,
  (i, j) => (((i * j) % 2) + ((i * j) % 3)) % 2 === 0,
  (i, j) => (((i * j) % 3) + ((i + j) % 2)) % 2 === 0,
]

/** Powers of the generator of GF(256), to check corrections by their syndromes. */
const powers = [1]
for (let at = 1; at < 255; at += 1) {
  const next = (powers[at - 1] ?? 0) * 2
  powers.push(next > 255 ? next ^ 0x11d : next)
}
const product = (a: number, b: number) =>
  a === 0 || b === 0 ? 0 : (powers[(powers.indexOf(a) + powers.indexOf(b)) % 255] ?? 0)

/** Reads a code as a scanner does that sees every module, and checks what it must be able to rely on. */
function readQr(modules: boolean[][]): { text: string; version: number } {
  const size = modules.length
  const version = (size - 17) / 4
  const at = (row: number, column: number) => (modules[row]?.[column] === true ? 1 : 0)
  const bits = (places: [number, number][]) => places.map(([row, column]) => at(row, column)).join('')
  const range = (from: number, to: number) =>
    Array.from({ length: Math.abs(to - from) + 1 }, (_, n) => from + (to > from ? n : -n))

  const own = new Set<string>()
  const take = (rows: [number, number], columns: [number, number]) => {
    for (const row of range(...rows)) for (const column of range(...columns)) own.add(`${row} ${column}`)
  }
  take([0, 8], [0, 8])
  take([0, 8], [size - 8, size - 1])
  take([size - 8, size - 1], [0, 8])
  take([6, 6], [0, size - 1])
  take([0, size - 1], [6, 6])
  const corner = ['1111111', '1000001', '1011101', '1011101', '1011101', '1000001', '1111111']
  for (const [top, left] of [
    [0, 0],
    [0, size - 7],
    [size - 7, 0],
  ] as const)
    expect(range(0, 6).map((row) => bits(range(0, 6).map((column) => [top + row, left + column])))).toEqual(corner)
  expect(bits(range(8, size - 9).map((column) => [6, column]))).toMatch(/^(?:10)+1$/)
  const middles = alignments[version] ?? []
  for (const row of middles)
    for (const column of middles) {
      const isCorner = [row, column].every((place) => place === 6 || place === size - 7) && (row === 6 || column === 6)
      if (isCorner && !(row === size - 7 && column === size - 7)) continue
      take([row - 2, row + 2], [column - 2, column + 2])
      expect([at(row, column), at(row + 1, column), at(row + 2, column - 2)]).toEqual([1, 0, 1])
    }
  const first = [...range(0, 5), 7, 8].map((column): [number, number] => [8, column])
  const format = bits([...first, [7, 8], ...range(5, 0).map((row): [number, number] => [row, 8])])
  const second = bits([
    ...range(size - 1, size - 7).map((row): [number, number] => [row, 8]),
    ...range(size - 8, size - 1).map((column): [number, number] => [8, column]),
  ])
  expect(second).toBe(format)
  expect(at(size - 8, 8)).toBe(1)
  if (version >= 7) {
    take([0, 5], [size - 11, size - 9])
    take([size - 11, size - 9], [0, 5])
    const places = range(5, 0).flatMap((row) =>
      range(size - 9, size - 11).map((column): [number, number] => [row, column]),
    )
    expect([bits(places), bits(places.map(([row, column]) => [column, row]))]).toEqual(
      Array(2).fill(versionWords[version]),
    )
  }
  const rule = rules[formats.indexOf(format)]
  if (rule === undefined) throw new Error(`no format is ${format}`)

  let stream = ''
  let isUp = true
  for (let column = size - 1; column > 0; column -= 2) {
    if (column === 6) column = 5
    for (const row of isUp ? range(size - 1, 0) : range(0, size - 1))
      for (const place of [column, column - 1])
        if (!own.has(`${row} ${place}`)) stream += String(at(row, place) ^ (rule(row, place) ? 1 : 0))
    isUp = !isUp
  }
  const words = (stream.match(/.{8}/g) ?? []).map((byte) => Number.parseInt(byte, 2))
  const blocks = (blocksOf[version] ?? []).flatMap(([count, data, ecc]) =>
    Array.from({ length: count }, () => ({ data, ecc, words: [] as number[] })),
  )
  const most = Math.max(...blocks.map(({ data }) => data))
  for (let turn = 0; turn < most; turn += 1)
    for (const block of blocks) if (turn < block.data) block.words.push(words.shift() ?? 0)
  for (let turn = 0; turn < (blocks[0]?.ecc ?? 0); turn += 1)
    for (const block of blocks) block.words.push(words.shift() ?? 0)
  for (const { ecc, words: block } of blocks)
    for (const power of powers.slice(0, ecc)) expect(block.reduce((sum, word) => product(sum, power) ^ word, 0)).toBe(0)
  const content = blocks
    .flatMap(({ data, words: block }) => block.slice(0, data))
    .map((word) => word.toString(2).padStart(8, '0'))
    .join('')
  const sized = version < 10 ? 12 : 20
  expect(content.slice(0, 4)).toBe('0100')
  const length = Number.parseInt(content.slice(4, sized), 2)
  const bytes = range(0, length - 1).map((byte) =>
    Number.parseInt(content.slice(sized + byte * 8, sized + byte * 8 + 8), 2),
  )
  return { text: new TextDecoder().decode(Uint8Array.from(bytes)), version }
}

test.each([
  ['a', 1],
  ['otpauth://totp/x', 2],
  [`otpauth://totp/JARVIS%3Aoperator?secret=${'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'}&issuer=JARVIS`, 6],
  ['Größe und 🦊', 2],
  ...[14, 26, 42, 62, 84, 106, 122, 152, 180, 213].map(
    (length, at) => ['x9'.repeat(107).slice(0, length), at + 1] as const,
  ),
] as const)('%j is read back from its code', (text, version) => {
  expect(readQr(qrOf(text))).toEqual({ text, version })
})

test('a text that is too long is refused', () => {
  expect(() => qrOf('x'.repeat(214))).toThrow(RangeError)
})
