/** QR versions, starting with 1, for error correction M: number of codewords, correction codewords in a block, blocks. */
const versions = [
  [26, 10, 1],
  [44, 16, 1],
  [70, 26, 1],
  [100, 18, 2],
  [134, 24, 2],
  [172, 16, 4],
  [196, 18, 4],
  [242, 22, 4],
  [292, 22, 5],
  [346, 26, 5],
] as const

/**
 * The modules of a QR code (ISO/IEC 18004, byte mode, correction M), row by row; true is dark. The quiet zone of four modules is not among them.
 * @param text at most 213 bytes of UTF-8. @throws RangeError for a longer one
 */
export function qrOf(text: string): boolean[][] {
  const bytes = new TextEncoder().encode(text)
  const version = versions.findIndex(([all, ecc, blocks], at) => {
    const bits = 4 + (at < 9 ? 8 : 16) + bytes.length * 8
    return bits <= (all - ecc * blocks) * 8
  })
  if (version === -1) throw new RangeError('The text is too long for a QR code of version 10.')
  const words = codewords(bytes, version + 1)
  const best = [0, 1, 2, 3, 4, 5, 6, 7]
    .map((mask) => draw(words, version + 1, mask))
    .map((modules) => ({ modules, cost: penalty(modules) }))
  return best.reduce((least, one) => (one.cost < least.cost ? one : least)).modules
}

function codewords(bytes: Uint8Array, version: number): number[] {
  const [all, ecc, blocks] = versions[version - 1] ?? versions[0]
  const room = all - ecc * blocks
  const bits: number[] = []
  const put = (value: number, length: number) => {
    for (let bit = length - 1; bit >= 0; bit -= 1) bits.push((value >> bit) & 1)
  }
  put(4, 4)
  put(bytes.length, version < 10 ? 8 : 16)
  for (const byte of bytes) put(byte, 8)
  put(0, Math.min(4, room * 8 - bits.length))
  while (bits.length % 8 !== 0) bits.push(0)
  const data: number[] = []
  for (let at = 0; at < bits.length; at += 8) data.push(Number.parseInt(bits.slice(at, at + 8).join(''), 2))
  for (let pad = 0xec; data.length < room; pad ^= 0xec ^ 0x11) data.push(pad)

  const short = Math.floor(room / blocks)
  const longFrom = blocks - (room % blocks)
  let taken = 0
  const parts = Array.from({ length: blocks }, (_, block) => {
    const own = data.slice(taken, taken + short + (block < longFrom ? 0 : 1))
    taken += own.length
    return { own, more: correction(own, ecc) }
  })
  const woven: number[] = []
  for (let at = 0; at <= short; at += 1) for (const { own } of parts) if (at < own.length) woven.push(own[at] ?? 0)
  for (let at = 0; at < ecc; at += 1) for (const { more } of parts) woven.push(more[at] ?? 0)
  return woven
}

/** Multiplies in GF(256) with the polynomial x⁸ + x⁴ + x³ + x² + 1. */
function times(a: number, b: number): number {
  let product = 0
  for (let bit = 7; bit >= 0; bit -= 1) {
    product = (product << 1) ^ ((product >> 7) * 0x11d)
    product ^= ((b >> bit) & 1) * a
  }
  return product
}

/** Returns the error correction codewords of a block (Reed-Solomon). */
function correction(data: readonly number[], count: number): number[] {
  const divisor: number[] = [...Array<number>(count - 1).fill(0), 1]
  let root = 1
  for (let turn = 0; turn < count; turn += 1) {
    for (let at = 0; at < count; at += 1) divisor[at] = times(divisor[at] ?? 0, root) ^ (divisor[at + 1] ?? 0)
    root = times(root, 2)
  }
  const rest = Array<number>(count).fill(0)
  for (const byte of data) {
    const factor = byte ^ (rest.shift() ?? 0)
    rest.push(0)
    for (let at = 0; at < count; at += 1) rest[at] = (rest[at] ?? 0) ^ times(divisor[at] ?? 0, factor)
  }
  return rest
}

const masks: readonly ((x: number, y: number) => boolean)[] = [
  (x, y) => (x + y) % 2 === 0,
  (_x, y) => y % 2 === 0,
  (x) => x % 3 === 0,
  (x, y) => (x + y) % 3 === 0,
  (x, y) => (Math.floor(x / 3) + Math.floor(y / 2)) % 2 === 0,
  (x, y) => ((x * y) % 2) + ((x * y) % 3) === 0,
  (x, y) => (((x * y) % 2) + ((x * y) % 3)) % 2 === 0,
  (x, y) => (((x + y) % 2) + ((x * y) % 3)) % 2 === 0,
]

/** Appends the remainder of a polynomial division (BCH code), as needed for the format and version fields. */
function withRest(value: number, bits: number, divisor: number): number {
  let rest = value
  for (let turn = 0; turn < bits; turn += 1) rest = (rest << 1) ^ ((rest >> (bits - 1)) * divisor)
  return (value << bits) | rest
}

function draw(words: readonly number[], version: number, mask: number): boolean[][] {
  const size = version * 4 + 17
  const modules = Array.from({ length: size }, () => Array<boolean>(size).fill(false))
  const isFixed = Array.from({ length: size }, () => Array<boolean>(size).fill(false))
  const fix = (x: number, y: number, isDark: boolean) => {
    const row = modules[y]
    if (row === undefined || x < 0 || x >= size) return
    row[x] = isDark
    ;(isFixed[y] ?? [])[x] = true
  }
  for (let at = 0; at < size; at += 1) {
    fix(6, at, at % 2 === 0)
    fix(at, 6, at % 2 === 0)
  }
  for (const [x, y] of [
    [3, 3],
    [size - 4, 3],
    [3, size - 4],
  ] as const)
    for (let dy = -4; dy <= 4; dy += 1)
      for (let dx = -4; dx <= 4; dx += 1) {
        const far = Math.max(Math.abs(dx), Math.abs(dy))
        fix(x + dx, y + dy, far !== 2 && far !== 4)
      }
  const middles = version === 1 ? [] : version < 7 ? [6, size - 7] : [6, (size - 1) / 2, size - 7]
  const last = middles.length - 1
  middles.forEach((x, column) => {
    middles.forEach((y, row) => {
      if ((column === 0 && (row === 0 || row === last)) || (column === last && row === 0)) return
      for (let dy = -2; dy <= 2; dy += 1)
        for (let dx = -2; dx <= 2; dx += 1) fix(x + dx, y + dy, Math.max(Math.abs(dx), Math.abs(dy)) !== 1)
    })
  })
  // The bits for correction M are 0, so the format consists only of the mask.
  const format = withRest(mask, 10, 0x537) ^ 0x5412
  for (let bit = 0; bit < 15; bit += 1) {
    const isDark = ((format >> bit) & 1) === 1
    fix(8, bit < 6 ? bit : bit < 8 ? bit + 1 : size - 15 + bit, isDark)
    fix(bit < 8 ? size - 1 - bit : bit === 8 ? 7 : 14 - bit, 8, isDark)
  }
  fix(8, size - 8, true)
  if (version >= 7) {
    const told = withRest(version, 12, 0x1f25)
    for (let bit = 0; bit < 18; bit += 1) {
      const [a, b] = [size - 11 + (bit % 3), Math.floor(bit / 3)]
      fix(a, b, ((told >> bit) & 1) === 1)
      fix(b, a, ((told >> bit) & 1) === 1)
    }
  }

  let at = 0
  for (let right = size - 1; right >= 1; right -= 2) {
    if (right === 6) right = 5
    for (let step = 0; step < size; step += 1) {
      const y = ((right + 1) & 2) === 0 ? size - 1 - step : step
      for (const x of [right, right - 1]) {
        if (isFixed[y]?.[x] === true) continue
        const bit = ((words[at >> 3] ?? 0) >> (7 - (at & 7))) & 1
        ;(modules[y] ?? [])[x] = (bit === 1) !== masks[mask]?.(x, y)
        at += 1
      }
    }
  }
  return modules
}

/** Rates how hard a drawing is to read: runs of one colour, blocks, patterns like a finder pattern, and imbalance of dark and light. */
function penalty(modules: readonly boolean[][]): number {
  const size = modules.length
  const text = (row: readonly (boolean | undefined)[]) => row.map((isDark) => (isDark ? '1' : '0')).join('')
  const lines = modules.flatMap((row, at) => [text(row), text(modules.map((other) => other[at]))])
  let cost = 0
  for (const line of lines) {
    for (const [run] of line.matchAll(/0{5,}|1{5,}/g)) cost += run.length - 2
    for (const _ of line.matchAll(/(?=00001011101|10111010000)/g)) cost += 40
  }
  let dark = 0
  for (let y = 0; y < size; y += 1)
    for (let x = 0; x < size; x += 1) {
      const is = modules[y]?.[x]
      if (is) dark += 1
      const isSquare = is === modules[y]?.[x + 1] && is === modules[y + 1]?.[x] && is === modules[y + 1]?.[x + 1]
      if (isSquare && x + 1 < size && y + 1 < size) cost += 3
    }
  return cost + Math.floor(Math.abs((dark / size ** 2) * 20 - 10)) * 10
}
